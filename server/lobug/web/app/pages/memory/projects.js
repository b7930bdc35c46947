// What is worked on: projects, and tasks with their working state.

import { Card, Empty, Tag, When } from "../../components/basics.js";
import { attempt, toast } from "../../components/toasts.js";
import { html } from "../../preact.js";
import { link } from "../../router.js";
import { t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";
import { Words } from "./parts.js";

export function ProjectsView() {
  const data = useMemoryData(async (signal) => {
    const [{ projects }, { tasks }] = await Promise.all([
      memory.get("projects", {}, { signal }),
      memory.get("tasks", {}, { signal }),
    ]);
    return { projects, tasks };
  });
  const change = async (path, sentence) => {
    if (await attempt(() => memory.post(path))) {
      toast(t(sentence));
      data.reload();
    }
  };
  return html`<${Loaded} data=${data}>
    ${({ projects, tasks }) => {
      const open = tasks.filter((task) => task.status === "open");
      if (!projects.length && !tasks.length) {
        return html`<${Empty} icon="list" title=${t("memory.projects_none")}>${t("memory.projects_none_more")}<//>`;
      }
      return html`
        <${Card} title=${t("memory.open_tasks")}>
          ${open.length
            ? html`<ul class="rows">
                ${open.map((task) => html`<li key=${task.id}>
                  <div class="row-main">
                    <p class="row-title"><${Words}>${task.title}<//></p>
                    ${task.project && html`<p class="small muted"><${Words}>${task.project}<//></p>`}
                    ${task.state && html`<p class="task-state"><${Words}>${task.state}<//></p>`}
                  </div>
                  <button class="button button-small" onClick=${() => change(`tasks/${task.id}/complete`, "memory.task_done")}>
                    ${t("memory.complete")}<span class="visually-hidden">: ${task.title}</span>
                  </button>
                </li>`)}
              </ul>`
            : html`<p class="muted">${t("memory.no_open_tasks")}</p>`}
        <//>
        <${Card} title=${t("memory.projects")}>
          <ul class="rows">
            ${projects.map((project) => html`<li key=${project.name}>
              <div class="row-main">
                <p class="row-title">
                  <a href=${`${link("memory")}?${new URLSearchParams({ project: project.name })}`}><${Words}>${project.name}<//></a>
                  ${" "}${project.status === "archived" && html`<${Tag}>${t("memory.archived")}<//>`}
                </p>
                ${project.description && html`<p class="muted"><${Words}>${project.description}<//></p>`}
                <p class="small muted"><${When} at=${project.created_at} /></p>
              </div>
              ${project.status === "active" &&
              html`<button class="button button-small" onClick=${() => change(`projects/${encodeURIComponent(project.name)}/archive`, "memory.project_archived")}>
                ${t("memory.archive")}<span class="visually-hidden">: ${project.name}</span>
              </button>`}
            </li>`)}
          </ul>
        <//>
      `;
    }}
  <//>`;
}
