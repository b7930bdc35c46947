// Who sits at this browser, and whose memory the pages show.

import { get, onSignedOut, patch, post, del } from "./api.js";
import { computed, signal } from "./preact.js";
import { link } from "./router.js";

/** The answer of GET /web/session; null until it is known. */
export const session = signal(null);

/** Whose data a page shows where the owner at this computer looks at another person's; null: own. */
export const viewed = signal(null);

export const isOwner = computed(() => session.value?.role === "owner");
/** Whether the owner's data of other persons may be shown: only at the computer itself. */
export const seesOthers = computed(() => isOwner.value && Boolean(session.value?.at_this_computer));
/** Whether this page came over plain HTTP from another computer. */
export const isInsecure = () => Boolean(session.value) && !session.value.secure && !session.value.at_this_computer;
/** The person whose data is shown; null: the caller's own, whatever the server calls it. */
export const shownUser = computed(() => viewed.value ?? session.value?.user ?? null);

/** `user` for queries that take one; empty where only the own data can be had. */
export const userQuery = () => (seesOthers.value && shownUser.value ? { user: shownUser.value } : {});

/** Ask the server who we are. Throws ApiError. */
export async function loadSession() {
  session.value = await get("/web/session");
  return session.value;
}

/** Say who sits at this computer. */
export async function sitDown(user, name) {
  const known = session.value?.browser;
  session.value = known
    ? await patch("/web/session", { user })
    : await post("/web/session", { user, name });
  viewed.value = null;
}

/** Let this browser in by the code that the owner's page shows. */
export async function pair(code, name) {
  session.value = await post("/web/pair", { code, name });
}

export async function signOut() {
  await del("/web/session");
  await loadSession();
}

let asking = null;
onSignedOut(() => {
  asking ??= loadSession()
    .catch(() => {})
    .finally(() => (asking = null));
});

/** A place in the memory of this person, whoever's memory was looked at last. */
export function ownMemory(place, { id, query = {} } = {}) {
  const { user } = session.value;
  const words = new URLSearchParams({ ...query, ...(user && { person: user }) });
  return `${link(...["memory", place, id].filter((part) => part !== undefined))}?${words}`;
}
