// What a view fetches: shown while it is asked for anew, replaced when the answer is there.

import { Fault, Loading } from "../../components/basics.js";
import { useTopics } from "../../live.js";
import { html, useRef, useState } from "../../preact.js";
import { shownUser } from "../../session.js";

/**
 * Hook: fetch with `load(signal)`, and again when memory or an input has changed. What was known
 * stays while the new answer is awaited. Returns `{value, error, reload}`.
 */
export function useMemoryData(load, inputs = []) {
  const [state, setState] = useState({ value: null, error: null });
  const pending = useRef(null);
  const key = JSON.stringify([shownUser.value, ...inputs]);
  const reload = async () => {
    pending.current?.abort();
    const abort = (pending.current = new AbortController());
    try {
      const value = await load(abort.signal);
      if (!abort.signal.aborted) setState({ key, value, error: null });
    } catch (error) {
      if (error.name !== "AbortError" && !abort.signal.aborted) {
        setState((before) => ({ key, value: before.key === key ? before.value : null, error }));
      }
    }
  };
  useTopics(["memory"], reload, [key]);
  // What belongs to other inputs, or to another person, is not shown for these.
  return state.key === key ? { ...state, reload } : { value: null, error: null, reload };
}

/** What `useMemoryData` has: loading, its fault, or `children(value)`. */
export function Loaded({ data, children }) {
  if (data.value) {
    return html`${data.error && html`<${Fault} error=${data.error} retry=${data.reload} />`}${children(data.value)}`;
  }
  return data.error ? html`<${Fault} error=${data.error} retry=${data.reload} />` : html`<${Loading} />`;
}
