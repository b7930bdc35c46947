// Whether the microphone works, seen by its level, before somebody talks for the first time.

import { Icon } from "../../components/icons.js";
import { html, useEffect, useRef, useSignal } from "../../preact.js";
import { link } from "../../router.js";
import { t } from "../../sentences.js";

/** Root mean square of a voice near a microphone, full scale 1; rooms are below it. */
const VOICE_LEVEL = 0.02;
/** How long it must be that loud, so that a click is no voice; frames of the screen. */
const VOICE_FRAMES = 12;
const BARS = 24;

/** What kept the microphone from being opened, as a key of the sentences. */
function faultOf(error) {
  const known = {
    NotAllowedError: "refused",
    SecurityError: "refused",
    NotFoundError: "missing",
    OverconstrainedError: "missing",
    NotReadableError: "busy",
  };
  return known[error.name] ?? "broken";
}

/** The check. `heard` is called once a voice was heard. */
export function MicrophoneCheck({ heard }) {
  const state = useSignal(navigator.mediaDevices?.getUserMedia ? "idle" : "unsupported");
  const bars = useRef(null);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const start = async () => {
    state.value = "asking";
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const context = new AudioContext();
      let frame = 0;
      stop.current = () => {
        cancelAnimationFrame(frame);
        for (const track of stream.getTracks()) track.stop();
        context.close();
        stop.current = () => {};
      };
      const analyser = context.createAnalyser();
      analyser.fftSize = 1024;
      context.createMediaStreamSource(stream).connect(analyser);
      const samples = new Float32Array(analyser.fftSize);
      let loud = 0;
      const look = () => {
        analyser.getFloatTimeDomainData(samples);
        const level = Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
        // In decibels, as an ear hears it: -60 dB is nothing, -10 dB is all.
        const shown = Math.min(1, Math.max(0, (20 * Math.log10(level + 1e-6) + 60) / 50));
        const lit = Math.round(shown * BARS);
        [...(bars.current?.children ?? [])].forEach((bar, at) => bar.classList.toggle("lit", at < lit));
        loud = level > VOICE_LEVEL ? loud + 1 : 0;
        if (loud >= VOICE_FRAMES && state.value === "open") {
          state.value = "heard";
          heard();
        }
        frame = requestAnimationFrame(look);
      };
      stream.getAudioTracks()[0]?.addEventListener("ended", () => {
        stop.current();
        state.value = "missing";
      });
      state.value = "open";
      look();
    } catch (error) {
      stop.current();
      state.value = faultOf(error);
    }
  };

  const open = state.value === "open" || state.value === "heard";
  const fault = !open && state.value !== "idle" && state.value !== "asking";
  return html`<div class="microphone stack">
    <div ref=${bars} class=${open ? "microphone-level" : "microphone-level microphone-level-off"} aria-hidden="true">
      ${Array.from({ length: BARS }, (_, at) => html`<span key=${at} />`)}
    </div>
    <p role="status" class=${state.value === "heard" ? "microphone-heard" : "muted"}>
      ${state.value === "heard" && html`<${Icon} name="check" />`}
      ${!fault && t(`welcome.microphone.${state.value}`)}
    </p>
    ${fault &&
    html`<div class="fault" role="alert">
      <${Icon} name="warning" />
      <p>
        ${t(`welcome.microphone.${state.value}`)}
        ${state.value === "unsupported" && html` <a href=${link("trust")}>${t("welcome.microphone.trust")}</a>`}
      </p>
    </div>`}
    ${!open &&
    state.value !== "unsupported" &&
    html`<div class="actions welcome-centre">
      <button class="button button-primary" disabled=${state.value === "asking"} onClick=${start}>
        <${Icon} name="talk" />${t(fault ? "shell.retry" : "welcome.microphone.start")}
      </button>
    </div>`}
  </div>`;
}
