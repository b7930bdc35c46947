// The page of live turns: times of the stages, what was heard, health of the engines.

import { PageHead, Tabs } from "../components/basics.js";
import { html } from "../preact.js";
import { go, link, route } from "../router.js";
import { t } from "../sentences.js";
import { Health } from "./turns/health.js";
import { HeardList } from "./turns/heard.js";
import { Times } from "./turns/times.js";

const TABS = { times: Times, heard: HeardList, health: Health };

export default function Page() {
  const current = route.value.rest[0] in TABS ? route.value.rest[0] : "times";
  const Shown = TABS[current];
  return html`
    <${PageHead} title=${t("turns.title")} about=${t("turns.about")} />
    <${Tabs}
      label=${t("turns.tabs_label")}
      current=${current}
      choose=${(name) => go(link("turns", name))}
      tabs=${Object.keys(TABS).map((name) => ({ name, label: t(`turns.tabs.${name}`) }))}
    />
    <${Shown} />
  `;
}
