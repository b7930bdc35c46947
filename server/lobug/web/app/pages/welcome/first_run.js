// The first run: a name, a microphone, and the first words.

import { FormFault, useSending } from "../../components/form.js";
import { Field } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { isName, knownPeople, loadPeople, personMeant } from "../../components/person_input.js";
import { html, useEffect, useRef, useSignal } from "../../preact.js";
import { go, link } from "../../router.js";
import { t } from "../../sentences.js";
import { isOwner, session, sitDown } from "../../session.js";
import { thisBrowser } from "../../this_browser.js";
import { MicrophoneCheck } from "./microphone_check.js";

const SENTENCES = ["remember", "timer", "ask"];

export function FirstRun() {
  const mayName = session.value.at_this_computer && isOwner.value;
  const steps = mayName ? ["name", "microphone", "words"] : ["microphone", "words"];
  const at = useSignal(0);
  const heading = useRef(null);
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) heading.current?.focus();
    moved.current = true;
  }, [at.value]);
  const next = () => at.value++;
  const step = steps[at.value];
  return html`
    <p class="welcome-progress" aria-label=${t("welcome.step", { at: at.value + 1, of: steps.length })} role="img">
      ${steps.map((name, i) => html`<span key=${name} class=${i <= at.value ? "done" : undefined} />`)}
    </p>
    <h1 ref=${heading} tabindex="-1">${t(`welcome.${step}.title`, { name: session.value.user ?? "" })}</h1>
    ${step === "name" && html`<${NameStep} next=${next} />`}
    ${step === "microphone" && html`<${MicrophoneStep} next=${next} />`}
    ${step === "words" && html`<${WordsStep} />`}
  `;
}

function NameStep({ next }) {
  const name = useSignal(session.value.user ?? "");
  useEffect(() => void loadPeople(), []);
  const others = knownPeople.value.filter((known) => isName(known) && known !== name.value);
  const { submit, busy, fault } = useSending(async () => {
    const user = personMeant(name.value);
    if (user !== session.value.user || !session.value.browser) {
      await sitDown(user, t("welcome.browser", { ...browserWords() }));
    }
    next();
  });
  return html`<form class="stack" onSubmit=${submit}>
    <p>${t("welcome.name.about")}</p>
    <${Field} label=${t("welcome.name.label")} hint=${t("welcome.name.hint")}>
      ${(field) => html`<input
        ...${field}
        required
        maxlength="200"
        pattern=".*[^:\\s]\\s*"
        autocomplete="given-name"
        autocapitalize="words"
        autofocus
        value=${name.value}
        onInput=${(event) => (name.value = event.currentTarget.value)}
      />`}
    <//>
    ${others.length > 0 &&
    html`<div>
      <p class="small muted" id="known-people">${t("welcome.name.known")}</p>
      <ul class="actions" aria-labelledby="known-people">
        ${others.slice(0, 8).map(
          (known) => html`<li key=${known}>
            <button type="button" class="button button-small" onClick=${() => (name.value = known)}>${known}</button>
          </li>`,
        )}
      </ul>
    </div>`}
    <${FormFault}>${fault}<//>
    <button class="button button-primary button-wide" disabled=${busy}>${t("welcome.name.action")}</button>
  </form>`;
}

const browserWords = () => {
  const { browser, system } = thisBrowser();
  return { browser: browser ?? t("welcome.some_browser"), system: system ?? t("welcome.some_system") };
};

function MicrophoneStep({ next }) {
  const heard = useSignal(false);
  return html`<div class="stack">
    <p>${t("welcome.microphone.about")}</p>
    <${MicrophoneCheck} heard=${() => (heard.value = true)} />
    <button class=${heard.value ? "button button-primary button-wide" : "button button-wide"} onClick=${next}>
      ${t(heard.value ? "welcome.microphone.next" : "welcome.microphone.skip")}
    </button>
  </div>`;
}

function WordsStep() {
  return html`<div class="stack">
    <p>${t("welcome.words.about")}</p>
    <ul class="first-words">
      ${SENTENCES.map(
        (name) => html`<li key=${name}>
          <a href=${`${link("talk")}?${new URLSearchParams({ say: t(`welcome.words.${name}`) })}`}>
            <${Icon} name="talk" /><span>“${t(`welcome.words.${name}`)}”</span>
          </a>
        </li>`,
      )}
    </ul>
    <button class="button button-primary button-wide" onClick=${() => go(link("talk"))}>${t("welcome.words.action")}</button>
    ${isOwner.value &&
    html`<p class="small welcome-centre"><a href=${link("welcome", "device")}>${t("welcome.words.device")}</a></p>`}
  </div>`;
}
