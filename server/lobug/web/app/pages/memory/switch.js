// The master switch: whether anything new is remembered.

import * as api from "../../api.js";
import { signal } from "../../preact.js";
import { isOwner } from "../../session.js";

const SETTING = "memory.enabled";

/** `{on, changeable}`; null where it is not known: nobody but the owner may see it. */
export const memorySwitch = signal(null);

/** Ask the server. What it refuses to tell stays unknown. */
export async function loadMemorySwitch() {
  if (!isOwner.value) {
    memorySwitch.value = null;
    return;
  }
  try {
    const { settings } = await api.get("/settings");
    const found = settings.find((setting) => setting.name === SETTING);
    memorySwitch.value = found ? { on: found.value === true, changeable: found.changeable } : null;
  } catch {
    memorySwitch.value = null;
  }
}

/** Switch memory on or off. Throws ApiError. Afterwards the switch shows what holds. */
export async function switchMemory(on) {
  try {
    await api.patch("/settings", { [SETTING]: on });
  } finally {
    await loadMemorySwitch();
  }
}
