// Set up a device over USB: write the firmware to it, tell it the Wi-Fi and where this server is.

import { get } from "../api.js";
import { Fault, Field, Loading } from "../components/basics.js";
import { useFetched } from "../components/fetched.js";
import { Choices, FormFault, useSending } from "../components/form.js";
import { CopyButton } from "../components/handing.js";
import { Icon } from "../components/icons.js";
import { html, useEffect, useRef, useSignal } from "../preact.js";
import { link } from "../router.js";
import { number, t } from "../sentences.js";
import { session } from "../session.js";
import { fetchImage, flash, FlashError, PORTS } from "./flash/flashing.js";
import { DeviceError, Improv } from "./flash/improv.js";
import { Line, LineLost } from "./flash/line.js";

/** A port that was just restarted may be missing for a moment. */
const OPEN_TRIES = 10;
const OPEN_AGAIN_MS = 700;

/** What keeps this browser from reaching a USB port, as a key of the sentences; null: nothing. */
function obstacle() {
  if (!window.isSecureContext) return "insecure";
  return navigator.serial ? null : "unsupported";
}

/** A sentence for whatever went wrong. */
function sentenceFor(error) {
  if (error instanceof LineLost) return t("flash.fault.lost");
  if (error instanceof DeviceError) return t(`flash.fault.${error.code}`, { said: error.said });
  if (error instanceof FlashError) return t(`flash.fault.${error.code}`, { chip: error.detail });
  // Of ports these two come from opening one.
  const known = { NetworkError: "busy", InvalidStateError: "busy", SecurityError: "forbidden" }[error.name];
  return known ? t(`flash.fault.${known}`) : error.message;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Open the port for talking to what runs there. Throws what `SerialPort.open` throws. */
async function openLine(port) {
  for (let tries = 1; ; tries++) {
    try {
      return await Line.open(port);
    } catch (error) {
      if (tries === OPEN_TRIES || error.name === "SecurityError") throw error;
      await sleep(OPEN_AGAIN_MS);
    }
  }
}

export default function Page() {
  const why = obstacle();
  return html`<div class="flash stack">
    <header>
      <h1>${t("flash.title")}</h1>
      <p class="muted">${t("flash.about")}</p>
    </header>
    ${why ? html`<${Obstacle} why=${why} />` : html`<${Steps} />`}
    <p class="small"><a href=${link("welcome", "device")}>${t("flash.back")}</a></p>
  </div>`;
}

function Obstacle({ why }) {
  return html`<div class="banner banner-warning" role="alert">
      <${Icon} name=${why === "insecure" ? "lock" : "warning"} />
      <p>${t(`flash.${why}.what`)}</p>
      ${why === "insecure" && html`<a class="button button-small" href=${link("trust")}>${t("flash.insecure.help")}</a>`}
    </div>
    <p>${t("flash.otherwise")}</p>`;
}

function Steps() {
  const { data, error, refresh } = useFetched(() => get("/web/flasher"), []);
  const line = useRef(null);
  /** "choose", "flashing", "asking" (what runs there), "wifi" or "done". */
  const step = useSignal("choose");
  const progress = useSignal({ phase: "connecting", done: 0 });
  const fault = useSignal("");
  const device = useSignal(null);
  const networks = useSignal([]);
  const heading = useRef(null);
  const moved = useRef(false);

  useEffect(() => () => void line.current?.close(), []);
  useEffect(() => {
    // A screen reader reads the heading of the step that was reached.
    if (moved.current) heading.current?.focus();
    moved.current = true;
  }, [step.value]);

  const end = async (message) => {
    fault.value = message;
    await line.current?.close();
    line.current = null;
    step.value = "choose";
  };

  const ask = async (port) => {
    step.value = "asking";
    line.current = await openLine(port);
    line.current.listen(({ lost }) => lost && end(t("flash.fault.lost")));
    const improv = new Improv(line.current);
    await improv.state();
    device.value = await improv.device();
    networks.value = await improv.networks();
    step.value = "wifi";
  };

  /** Let the person choose a port, and go on with it. `board`: to flash first; null: only to set up. */
  const begin = async (board) => {
    fault.value = "";
    let port;
    try {
      port = await navigator.serial.requestPort({ filters: PORTS });
    } catch (error) {
      fault.value = error.name === "NotFoundError" ? t("flash.fault.no_port") : sentenceFor(error);
      return;
    }
    try {
      if (board) {
        progress.value = { phase: "fetching", done: 0 };
        step.value = "flashing";
        const image = await fetchImage(board.manifest);
        await flash(port, image, (news) => (progress.value = news));
      }
      await ask(port);
    } catch (error) {
      await end(sentenceFor(error));
    }
  };

  if (error && !data) return html`<${Fault} error=${error} retry=${refresh} />`;
  if (!data) return html`<${Loading} />`;
  return html`<section class="card stack" aria-labelledby="flash-step">
    <h2 id="flash-step" ref=${heading} tabindex="-1">${t(`flash.step.${step.value}`)}</h2>
    <${FormFault}>${fault.value}<//>
    ${step.value === "choose" && html`<${Choose} boards=${data.boards} begin=${begin} />`}
    ${step.value === "flashing" && html`<${Flashing} ...${progress.value} />`}
    ${step.value === "asking" && html`<${Loading} what=${t("flash.asking")} />`}
    ${step.value === "wifi" &&
    html`<${Wifi}
      line=${line}
      device=${device.value}
      networks=${networks.value}
      done=${async () => {
        await line.current?.close();
        line.current = null;
        step.value = "done";
      }}
    />`}
    ${step.value === "done" && html`<${Done} />`}
  </section>`;
}

function Choose({ boards, begin }) {
  const first = boards.find(({ image }) => image) ?? boards[0];
  const chosen = useSignal(first.board);
  const board = boards.find((one) => one.board === chosen.value) ?? first;
  return html`
    <p>${t("flash.plug")}</p>
    <${Choices}
      legend=${t("flash.which")}
      options=${boards.map(({ board: value, name, image }) => ({
        value,
        label: name,
        about: image
          ? t("flash.image", { version: image.version, megabytes: number(image.size / 1_000_000) })
          : t("flash.no_image"),
      }))}
      value=${board.board}
      change=${(value) => (chosen.value = value)}
    />
    ${board.image
      ? html`<p class="hint">${t("flash.erases")}</p>`
      : html`<${Missing} board=${board} />`}
    <div class="actions">
      <button class="button button-primary" disabled=${!board.image} onClick=${() => begin(board)}>
        <${Icon} name="download" />${t("flash.install")}
      </button>
      <button class="button" onClick=${() => begin(null)}>${t("flash.only_wifi")}</button>
    </div>
  `;
}

/** Where a board's firmware comes from. */
function Missing({ board }) {
  const file = `lobug-VERSION-${board.board}-full.bin`;
  const command = `lobug firmware add --full ${file} --board ${board.board} --version VERSION`;
  return html`<div class="stack flash-missing">
    <p>${t("flash.missing", { name: board.name })}</p>
    <ol class="steps">
      <li>${t("flash.missing_file", { file })}</li>
      <li>
        ${t("flash.missing_add")}
        <div class="address"><code>${command}</code><${CopyButton} small text=${command} /></div>
      </li>
      <li>${t("flash.missing_then")}</li>
    </ol>
  </div>`;
}

function Flashing({ phase, done }) {
  const percent = Math.round(100 * done);
  return html`<div class="stack">
    <p role="status">${t(`flash.phase.${phase}`)}</p>
    <div class="flash-progress">
      <progress aria-label=${t("flash.progress")} max="100" value=${phase === "writing" ? percent : undefined}></progress>
      <span class="numbers" aria-hidden="true">${phase === "writing" && `${percent} %`}</span>
    </div>
    <p class="hint">${t("flash.keep_plugged")}</p>
  </div>`;
}

/** This server's address for devices; empty where they cannot reach it. */
function serverAddress() {
  const url = session.value.http_url;
  return !url || /^https?:\/\/(localhost|127\.|\[::1\])/.test(url) ? "" : url.replace(/\/$/, "");
}

function Wifi({ line, device, networks, done }) {
  const name = useSignal(networks[0]?.name ?? "");
  const password = useSignal("");
  const server = useSignal(serverAddress());
  const phase = useSignal("");
  const input = (signal) => (event) => (signal.value = event.currentTarget.value);
  const { submit, busy, fault } = useSending(async () => {
    const improv = new Improv(line.current);
    try {
      phase.value = "joining";
      await improv.join(name.value, password.value);
      phase.value = "server";
      await improv.server(server.value.trim() || "auto");
    } catch (error) {
      throw new Error(sentenceFor(error));
    } finally {
      phase.value = "";
    }
    await done();
  });
  const open = networks.find((network) => network.name === name.value)?.secured === false;
  return html`<form class="stack" onSubmit=${submit}>
    <p>${t("flash.found", { name: device.name, version: device.version })}</p>
    <${Field} label=${t("flash.wifi.name")} hint=${t("flash.wifi.name_hint")}>
      ${(field) => html`<input
          ...${field}
          required
          maxlength="32"
          list="flash-networks"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          value=${name.value}
          onInput=${input(name)}
        /><datalist id="flash-networks">
          ${networks.map((network) => html`<option key=${network.name} value=${network.name} />`)}
        </datalist>`}
    <//>
    <${Field} label=${t("flash.wifi.password")} hint=${t(open ? "flash.wifi.password_open" : "flash.wifi.password_hint")}>
      ${(field) => html`<input
        ...${field}
        type="password"
        maxlength="63"
        autocomplete="off"
        value=${password.value}
        onInput=${input(password)}
      />`}
    <//>
    <${Field} label=${t("flash.wifi.server")} hint=${t("flash.wifi.server_hint")}>
      ${(field) => html`<input
        ...${field}
        type="text"
        inputmode="url"
        maxlength="160"
        autocomplete="off"
        spellcheck="false"
        value=${server.value}
        onInput=${input(server)}
      />`}
    <//>
    <${FormFault}>${fault}<//>
    <p role="status" class="muted">${phase.value && t(`flash.phase.${phase.value}`)}</p>
    <button class="button button-primary" disabled=${busy}><${Icon} name="signal" />${t("flash.wifi.action")}</button>
  </form>`;
}

function Done() {
  return html`<div class="stack">
    <p><${Icon} name="check" /> ${t("flash.done")}</p>
    <div class="actions">
      <a class="button button-primary" href=${link("welcome", "device", "lobug")}>${t("flash.let_in")}</a>
    </div>
  </div>`;
}
