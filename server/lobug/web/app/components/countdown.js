// Time that is left.

import { html, useEffect, useSignal } from "../preact.js";
import { span } from "../sentences.js";

/** Hook: milliseconds since the epoch, anew each second. */
export function useNow() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now.value;
}

/** Time until a moment as "4:30". `over` is shown when it has passed. */
export function Countdown({ until, over }) {
  const left = (new Date(until).getTime() - useNow()) / 1_000;
  return left > 0 ? html`<span class="numbers" role="timer">${span(left)}</span>` : over;
}
