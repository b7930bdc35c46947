// Erasing a session, or what is old: what goes is counted by the server, then asked, then it is gone.

import { html } from "../../preact.js";
import { moment, t } from "../../sentences.js";
import * as memory from "./client.js";
import { ForgetDialog } from "./forget.js";

function PurgeDialog({ body, ...rest }) {
  return html`<${ForgetDialog}
    preview=${() => memory.post("purge", { ...body, dry_run: true })}
    erase=${() => memory.post("purge", { ...body, confirm: true })}
    ...${rest}
  />`;
}

/** Erase a session, as `GET /memory/sessions` has it. */
export function EraseSession({ session, ...rest }) {
  const when = moment(session.started_at);
  return html`<${PurgeDialog}
    body=${{ session: session.id }}
    title=${t("memory.erase_session_title", { when })}
    about=${t("memory.erase_session_means")}
    nothing=${t("memory.erase_session_empty")}
    ...${rest}
  />`;
}

/** Erase messages and timeline from more than a number of days ago. */
export function EraseOlder({ days, ...rest }) {
  return html`<${PurgeDialog}
    body=${{ older_than_days: days }}
    title=${t("memory.erase_older_title", { n: days })}
    about=${t("memory.erase_older_means")}
    nothing=${t("memory.erase_older_none", { n: days })}
    ...${rest}
  />`;
}
