// What a device tells of itself, in words. Pure.

import { t } from "../../sentences.js";

/** Weakest signal, dBm, of 4, 3, 2 and 1 bars; measured at Wi-Fi stations, weaker is 0 bars. */
const BARS_DBM = [-55, -67, -75, -85];

/** Bars of a Wi-Fi signal, 0 to 4. */
export function bars(dbm) {
  const at = BARS_DBM.findIndex((weakest) => dbm >= weakest);
  return at < 0 ? 0 : 4 - at;
}

/** Below it a battery is shown as a warning, percent. */
export const LOW_BATTERY = 15;

/** `{kind, text, at}` of a device's state: a Tag's kind, its words, and since when. */
export function stateOf(device) {
  if (device.state === "revoked") return { kind: "bad", text: t("devices.state.revoked") };
  if (device.at_another_server) return { kind: "good", text: t("devices.state.elsewhere") };
  if (device.connected) return { kind: "good", text: t("devices.state.connected") };
  if (device.state === "approved") return { kind: "warning", text: t("devices.state.approved") };
  return { kind: "plain", text: t("devices.state.away") };
}

/** Whether something can be sent to a device now: the server it is connected to is this one. */
export const isAtThisServer = (device) => device.connected && !device.at_another_server;

/** What a device is called: its name, else its id. */
export const nameOf = (device) => device.name || device.id;
