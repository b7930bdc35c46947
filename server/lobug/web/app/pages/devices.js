import { PageHead } from "../components/basics.js";
import { html } from "../preact.js";
import { t } from "../sentences.js";

export default function Page() {
  return html`<${PageHead} title=${t("shell.pages.devices")} />`;
}
