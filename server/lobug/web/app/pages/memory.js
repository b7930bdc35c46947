// All that Lo-Bug knows of a person: to be seen, searched, changed, taken away and erased.

import { Banner } from "../components/banner.js";
import { Field, PageHead, Tabs } from "../components/basics.js";
import { html, useEffect, useState } from "../preact.js";
import { get } from "../api.js";
import { useTopics } from "../live.js";
import { go, link, route } from "../router.js";
import { seesOthers, session, shownUser, viewed } from "../session.js";
import { t } from "../sentences.js";
import { EntryPage } from "./memory/entry.js";
import { IdentityView } from "./memory/identity.js";
import { EntryList } from "./memory/list.js";
import { ManageView } from "./memory/manage.js";
import { NumbersView } from "./memory/numbers.js";
import { ProjectsView } from "./memory/projects.js";
import { SearchView } from "./memory/search.js";
import { loadMemorySwitch, memorySwitch } from "./memory/switch.js";
import { TimelineView } from "./memory/timeline.js";
import { WhyView } from "./memory/why.js";

const VIEWS = {
  all: EntryList,
  search: SearchView,
  identity: IdentityView,
  timeline: TimelineView,
  why: WhyView,
  projects: ProjectsView,
  numbers: NumbersView,
  manage: ManageView,
};

const addressOf = (view) => (view === "all" ? link("memory") : link("memory", view));

/** The address that is shown, with the person whose memory it shows; `null`: the caller's own. */
function addressWith(person) {
  const [path, query = ""] = location.hash.split("?");
  const parts = new URLSearchParams(query);
  if (person) parts.set("person", person);
  else parts.delete("person");
  return parts.size ? `${path}?${parts}` : path;
}

/** Hook: the address says whose memory is shown, so that a link leads to the same view. Returns
 * whether the person of the address is the one who is shown. */
function usePersonInAddress() {
  const { person } = route.value.query;
  const asked = person === session.value?.user ? null : person;
  const follows = !seesOthers.value || person === undefined || asked === viewed.value;
  useEffect(() => {
    if (!follows) viewed.value = asked;
    else if (seesOthers.value && viewed.value && person === undefined) go(addressWith(viewed.value), { replace: true });
  });
  return follows;
}

export default function Page() {
  const [place, id] = route.value.rest;
  useTopics(["settings"], () => void loadMemorySwitch(), [session.value?.role]);
  if (!usePersonInAddress()) return null;
  if (place === "entry" && /^\d+$/.test(id ?? "")) return html`<${EntryPage} id=${Number(id)} />`;
  const current = VIEWS[place] ? place : "all";
  const View = VIEWS[current];
  return html`
    <${PageHead} title=${t("shell.pages.memory")} about=${t("memory.about")}>
      ${seesOthers.value && html`<${Person} />`}
    <//>
    ${memorySwitch.value && !memorySwitch.value.on && html`<${Banner} kind="warning">${t("memory.is_off")}<//>`}
    <${Tabs}
      label=${t("memory.tabs")}
      tabs=${Object.keys(VIEWS).map((name) => ({ name, label: t(`memory.views.${name}`) }))}
      current=${current}
      choose=${(view) => go(addressOf(view), { replace: true })}
    />
    <div class="stack memory-view" role="tabpanel" aria-label=${t(`memory.views.${current}`)}>
      <${View} key=${`${current} ${shownUser.value}`} />
    </div>
  `;
}

/** Whose memory is shown: at this computer the owner sees everybody's. */
function Person() {
  const [users, setUsers] = useState([]);
  const load = () => get("/memory/users").then((answer) => setUsers(answer.users.map((one) => one.user)), () => {});
  useTopics(["memory"], load);
  const shown = shownUser.value ?? "";
  const names = [...new Set([session.value?.user, ...users, shown].filter(Boolean))].sort();
  if (names.length < 2) return null;
  return html`<${Field} label=${t("memory.person")}>
    ${(props) => html`<select
      ...${props}
      value=${shown}
      onChange=${(event) => {
        const name = event.currentTarget.value;
        viewed.value = name === session.value?.user ? null : name;
        go(addressWith(viewed.value), { replace: true });
      }}
    >
      ${!shown && html`<option value=""></option>`}
      ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>`}
  <//>`;
}
