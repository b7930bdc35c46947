// The page Talk: the face, what was said, and the ways to say something.

import { Icon } from "../components/icons.js";
import { html, signal, useComputed, useEffect, useLayoutEffect, useRef, useState } from "../preact.js";
import { link, route } from "../router.js";
import { t } from "../sentences.js";
import { ownMemory, session } from "../session.js";
import { MODES, interruptible } from "./talk/dialogue.js";
import {
  connectHere,
  happen,
  leave,
  level,
  openSound,
  phase,
  setMode,
  setSound,
  sound,
  start,
  state,
} from "./talk/talker.js";

/** A part of the page that is loaded when it is first needed, after the frame; until then `meanwhile`
 * is in its place. Should it not come, it is tried again where it is needed next. */
function later(load, meanwhile = () => null) {
  const part = signal(null);
  return (props) => {
    useEffect(() => {
      if (!part.value) load().then((loaded) => (part.value = loaded), () => {});
    }, []);
    return part.value ? html`<${part.value} ...${props} />` : meanwhile();
  };
}

const Face = later(
  () => import("./talk/face.js").then((module) => module.Face),
  () => html`<svg class="face" viewBox="-156 -134 312 252" aria-hidden="true" />`,
);
const Memories = later(() => import("./talk/memories.js").then((module) => module.Memories));

const DOZES_AFTER_MS = 180_000;
const asleep = signal(false);

const LOOKS = { listening: "attentive", thinking: "thinking", lost: "lost", replaced: "asleep", revoked: "lost", connecting: "waking" };
const GLOWS = { idle: "idle", listening: "listening", thinking: "thinking", speaking: "speaking" };

function lookOf(now, { emotion, ears }) {
  if (now === "idle") return asleep.value ? "asleep" : emotion;
  if (now === "speaking" && emotion === "thinking") return "neutral";
  if (now === "speaking" || (now === "listening" && ears === "opening")) return emotion;
  return LOOKS[now] ?? "neutral";
}

/** A person who has not talked for a while finds Lo-Bug dozing. */
function useDozing() {
  useEffect(() => {
    let timer = 0;
    const stop = phase.subscribe((now) => {
      clearTimeout(timer);
      asleep.value = false;
      if (now === "idle") timer = setTimeout(() => (asleep.value = true), DOZES_AFTER_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}

function Stage() {
  const now = phase.value;
  useDozing();
  const look = useComputed(() => lookOf(phase.value, state.value));
  const word = state.value.ringing && now === "idle" ? "ringing" : now === "idle" && asleep.value ? "asleep" : now;
  return html`<section class="stage" data-phase=${now}>
    <${Face}
      look=${look.value}
      glow=${GLOWS[now] ?? "off"}
      lively=${["listening", "thinking", "speaking"].includes(now)}
      pulse=${now === "thinking"}
      asleep=${look.value === "asleep"}
      level=${level}
    />
    <p class="stage-words" role="status">${t(`talk.phases.${word}`)}</p>
    ${now === "replaced" && html`<button class="button button-primary" onClick=${connectHere}>${t("talk.here")}</button>`}
    ${now === "lost" && html`<button class="button" onClick=${connectHere}>${t("shell.retry")}</button>`}
  </section>`;
}

/** A sentence of a longer text, marked while it is spoken. */
function Marked({ text, part }) {
  const at = part ? text.indexOf(part) : -1;
  if (at < 0) return text;
  return html`${text.slice(0, at)}<mark>${part}</mark>${text.slice(at + part.length)}`;
}

function Words({ line }) {
  const { sentences, shown, current, text } = line;
  if (text) return html`<${Marked} text=${text} part=${sentences[current]} />`;
  return sentences
    .slice(0, shown)
    .map((one, index) => html`<span key=${index}>${index > 0 && " "}${index === current ? html`<mark>${one}</mark>` : one}</span>`);
}

function Line({ line }) {
  if (line.who === "note" || line.who === "fault") {
    return html`<li class="line line-${line.who}">${line.key ? t(`talk.${line.key}`) : line.text}</li>`;
  }
  if (line.who === "person") {
    return html`<li class="line line-person" data-interim=${line.interim ? "" : undefined}>
      <span class="visually-hidden">${t("talk.you")}: </span>
      <p>${line.text}${line.interim && t("talk.hearing")}</p>
    </li>`;
  }
  if (line.shown === 0 && !line.text) return null;
  return html`<li class="line line-lobug" data-state=${line.state}>
    <span class=${line.unasked ? "line-name" : "visually-hidden"}>${t(line.unasked ? "talk.unasked" : "talk.me")}: </span>
    <p>
      <${Words} line=${line} />
      ${line.state === "interrupted" && html`<span class="cut"> ${t("talk.interrupted")}</span>`}
    </p>
    ${line.memories.length > 0 && html`<${Memories} memories=${line.memories} />`}
    ${line.message !== null &&
    html`<a class="line-why small" href=${ownMemory("why", { query: { message: line.message } })}>${t("talk.why")}</a>`}
  </li>`;
}

function Transcript() {
  const box = useRef(null);
  const follows = useRef(true);
  const { lines } = state.value;
  useLayoutEffect(() => {
    if (follows.current && lines.length > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    follows.current = scrollHeight - scrollTop - clientHeight < 60;
  };
  return html`<div
    class="transcript"
    role="log"
    aria-live="polite"
    aria-label=${t("talk.transcript")}
    tabindex="0"
    ref=${box}
    onScroll=${onScroll}
  >
    ${lines.length === 0 &&
    html`<div class="transcript-empty">
      <p class="empty-title">${t("talk.empty")}</p>
      <p class="muted">${t("talk.empty_more")}</p>
    </div>`}
    ${lines.length > 0 && html`<ol>${lines.map((line) => html`<${Line} key=${line.id} line=${line} />`)}</ol>`}
  </div>`;
}

function MicrophoneFault({ kind }) {
  const { https_url } = session.value;
  return html`<div class="fault" role="alert">
    <${Icon} name="warning" />
    <p>
      ${t(`talk.microphone.${kind}`)}
      ${kind === "insecure" && " "}
      ${kind === "insecure" &&
      (https_url
        ? html`<a href=${https_url}>${t("talk.microphone.insecure_go")}</a>${" "}
            <a href=${link("trust")}>${t("talk.microphone.insecure_trust")}</a>`
        : t("talk.microphone.insecure_off"))}
    </p>
  </div>`;
}

/** Elements in which the space bar and Escape have a meaning of their own. */
const busyWithKeys = (target) => target.closest?.("input, textarea, select, button, a, summary, dialog, [contenteditable]");

function useKeys() {
  useLayoutEffect(() => {
    const down = (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) happen({ type: "interrupt" });
      if (event.key !== " " || event.repeat || busyWithKeys(event.target)) return;
      event.preventDefault();
      happen({ type: "press" });
    };
    const up = (event) => {
      if (event.key !== " " || busyWithKeys(event.target)) return;
      if (state.value.mode === "hold") happen({ type: "release" });
    };
    // A key that is let go elsewhere is not seen here, and who has left is not listened to later.
    const blur = () => (state.value.mode === "hold" || state.value.early) && happen({ type: "release" });
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", blur);
    return () => {
      removeEventListener("blur", blur);
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
    };
  }, []);
}

function TalkButton() {
  const { mode, ears, early, link: door } = state.value;
  const on = ears !== "off";
  const pressed = useRef(false);
  const hold = mode === "hold";
  const press = (event) => {
    if (!hold || event.button > 0) return;
    event.currentTarget.setPointerCapture?.(event.pointerId);
    pressed.current = true;
    happen({ type: "press" });
  };
  const release = () => {
    if (!pressed.current) return;
    pressed.current = false;
    happen({ type: "release" });
  };
  const key = (act) => (event) => {
    if (!hold || (event.key !== " " && event.key !== "Enter")) return;
    event.preventDefault();
    if (!event.repeat) act();
  };
  // A click without pointer or key comes from a screen reader or a voice command: it toggles.
  const click = (event) => {
    if (!hold || event.detail === 0) happen({ type: "press" });
  };
  const label = on ? { hold: "holding", tap: "tapped", free: "freed" }[mode] : early ? "early" : mode;
  return html`<button
    class="talk-button"
    data-on=${on ? "" : undefined}
    aria-pressed=${on || early ? "true" : "false"}
    aria-label=${t(`talk.button.${label}`)}
    disabled=${!on && door !== "open" && door !== "connecting"}
    onPointerDown=${press}
    onPointerUp=${release}
    onPointerCancel=${release}
    onLostPointerCapture=${release}
    onContextMenu=${(event) => event.preventDefault()}
    onKeyDown=${key(() => happen({ type: "press" }))}
    onKeyUp=${key(() => happen({ type: "release" }))}
    onClick=${click}
  >
    <${Icon} name="talk" />
  </button>`;
}

function Controls() {
  const { mode } = state.value;
  const stops = interruptible(state.value);
  return html`<div class="controls">
    <fieldset class="modes">
      <legend class="visually-hidden">${t("talk.modes")}</legend>
      ${MODES.map(
        (one) => html`<label key=${one}>
          <input type="radio" name="talk-mode" checked=${one === mode} onChange=${() => setMode(one)} />
          <span>${t(`talk.mode.${one}`)}</span>
        </label>`,
      )}
    </fieldset>
    <div class="controls-row">
      <button
        class="round-button"
        aria-pressed=${sound.value ? "true" : "false"}
        aria-label=${t("talk.sound_on")}
        title=${t(sound.value ? "talk.sound_on" : "talk.sound_off")}
        onClick=${() => setSound(!sound.value)}
      >
        <${Icon} name="speaker" />
      </button>
      <${TalkButton} />
      <button class="round-button" aria-label=${t("talk.stop")} title=${t("talk.stop")} disabled=${!stops} onClick=${() => happen({ type: "interrupt" })}>
        <${Icon} name="stop" />
      </button>
    </div>
    <p class="hint controls-hint">${t(`talk.hint.${mode}`)} ${t("talk.hint.stop")}</p>
  </div>`;
}

function Typing() {
  // A sentence in the address (#/talk?say=...) is proposed, never sent: any link may hold one.
  // What was typed before the app had come stays.
  const [text, setText] = useState(
    () => document.querySelector("form.typing > input")?.value || (route.value.query.say ?? ""),
  );
  const send = (event) => {
    event.preventDefault();
    const words = text.trim();
    if (!words) return;
    happen({ type: "typed", text: words });
    setText("");
  };
  return html`<form class="typing" onSubmit=${send}>
    <input
      class="input"
      aria-label=${t("talk.type")}
      placeholder=${t("talk.type")}
      autocomplete="off"
      enterkeyhint="send"
      maxlength="2000"
      value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}
    />
    <button class="button button-primary" aria-label=${t("talk.send")} disabled=${!text.trim()}><${Icon} name="send" /></button>
  </form>`;
}

export default function Page() {
  // Before anything can be pressed.
  useLayoutEffect(() => {
    start();
    return leave;
  }, []);
  useEffect(openSound, []);
  useKeys();
  const { fault } = state.value;
  return html`<div class="talk">
    <h1 class="visually-hidden">${t("shell.pages.talk")}</h1>
    <${Stage} />
    <${Controls} />
    <div class="talk-words">
      <${Transcript} />
      ${fault && html`<${MicrophoneFault} kind=${fault} />`}
      <${Typing} />
    </div>
  </div>`;
}
