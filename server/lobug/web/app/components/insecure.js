// What a page that came over plain HTTP from another computer cannot do.

import { html } from "../preact.js";
import { link } from "../router.js";
import { t } from "../sentences.js";
import { session } from "../session.js";
import { Icon } from "./icons.js";

/** Whether this page came over plain HTTP from another computer. */
export const isInsecure = () => Boolean(session.value) && !session.value.secure && !session.value.at_this_computer;

/** A line that says so, with the way to HTTPS; nothing where all is well. */
export function InsecureNotice() {
  if (!isInsecure()) return null;
  return html`<div class="banner banner-warning" role="status">
    <${Icon} name="lock" />
    <p>${t("shell.insecure")}</p>
    <a class="button button-small" href=${link("trust")}>${t("shell.insecure_help")}</a>
  </div>`;
}
