// A device's report of its own condition, in words. Pure.

import { t } from "../../sentences.js";

/** Starts that the device had not wanted. */
const FAULTS = ["panic", "interrupt_watchdog", "task_watchdog", "watchdog", "brownout"];

const RESETS = [...FAULTS, "power_on", "external", "software", "deep_sleep", "sdio", "unknown"];

/** Why a device does not trust the update that it is offered. */
const REFUSALS = ["no_key", "unsigned", "wrong_signature"];

/** Below it, bytes of internal memory and of a stack, there is a risk of a crash. */
const LOW_MEMORY = 16 * 1024;
const LOW_STACK = 512;

const kilobytes = (bytes) => (bytes == null ? "?" : Math.floor(bytes / 1024));
const shown = (value) => value ?? "?";

/** How long it has run, in its two largest units. */
export function duration(seconds) {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days) return t("devices.report.days", { days, hours });
  if (hours) return t("devices.report.hours", { hours, minutes });
  return minutes ? t("devices.report.minutes", { minutes }) : t("devices.report.seconds", { seconds });
}

/** `[{name, text, bad}]`: a row for each part that the device has told of. */
export function reportRows(report) {
  const rows = [];
  const row = (key, text, bad = false) => rows.push({ name: t(`devices.report.${key}`), text, bad });
  const { uptime_s: uptime, reset, memory, stacks, audio, wifi, crash, update_refused: refused } = report;
  if (uptime != null) row("running", duration(uptime));
  if (RESETS.includes(reset)) row("started", t(`devices.report.reset.${reset}`), FAULTS.includes(reset));
  if (memory) {
    const figures = {
      free: kilobytes(memory.free),
      largest: kilobytes(memory.largest),
      least: kilobytes(memory.least),
    };
    row("memory", t("devices.report.memory_text", figures), memory.least != null && memory.least < LOW_MEMORY);
  }
  if (stacks && Object.keys(stacks).length) {
    const free = Object.entries(stacks).map(([task, bytes]) => `${task} ${bytes}`);
    row(
      "stacks",
      t("devices.report.stacks_text", { free: free.join(", ") }),
      Object.values(stacks).some((bytes) => bytes < LOW_STACK),
    );
  }
  if (audio) {
    row(
      "sound",
      t("devices.report.sound_text", {
        gaps: shown(audio.gaps),
        late: shown(audio.late_ms),
        dropped: shown(audio.dropped_ms),
        unsent: shown(audio.unsent_ms),
      }),
    );
  }
  if (wifi) {
    row("wifi", t("devices.report.wifi_text", { dbm: shown(wifi.rssi), reconnects: shown(wifi.reconnects) }));
    const losses = Object.entries(wifi.losses ?? {}).map(([reason, times]) => `${reason} (${times} ×)`);
    if (losses.length) row("losses", losses.join(", "));
  }
  if (REFUSALS.includes(refused)) row("refused", t(`devices.report.refusal.${refused}`), true);
  if (crash) {
    const { task, pc, cause, address, backtrace } = crash;
    const text = t("devices.report.crash_text", {
      task: shown(task),
      pc: shown(pc),
      cause: shown(cause),
      address: shown(address),
    });
    row("crash", backtrace?.length ? `${text}; ${backtrace.join(" ")}` : text, FAULTS.includes(reset));
  }
  return rows;
}
