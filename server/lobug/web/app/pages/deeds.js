// The page of what was promised: timers, alarms, reminders, lists, notes; live, and changed by hand.

import { PageHead, Tabs } from "../components/basics.js";
import { html } from "../preact.js";
import { go, link, route } from "../router.js";
import { t } from "../sentences.js";
import { Alerts } from "./deeds/alerts.js";
import { Lists } from "./deeds/lists.js";
import { Notes } from "./deeds/notes.js";

const TABS = { alerts: Alerts, lists: Lists, notes: Notes };

export default function Page() {
  const current = route.value.rest[0] in TABS ? route.value.rest[0] : "alerts";
  const Shown = TABS[current];
  return html`
    <${PageHead} title=${t("deeds.title")} about=${t("deeds.about")} />
    <${Tabs}
      label=${t("deeds.tabs_label")}
      current=${current}
      choose=${(name) => go(link("deeds", name))}
      tabs=${Object.keys(TABS).map((name) => ({ name, label: t(`deeds.tabs.${name}`) }))}
    />
    <${Shown} />
  `;
}
