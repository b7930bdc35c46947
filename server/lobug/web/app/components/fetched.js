// What a page shows of the server's data, and keeps fresh.

import { useTopics } from "../live.js";
import { useRef, useSignal } from "../preact.js";

/**
 * Hook: fetch with `load` at first, after each interruption, and when one of the topics of
 * live.js has changed. Returns `{data, error, refresh}`. While there is data from before, an error
 * leaves it as it is.
 */
export function useFetched(load, topics = [], inputs = []) {
  const state = useSignal({ data: null, error: null });
  const turn = useRef(0);
  const refresh = async () => {
    const mine = ++turn.current;
    try {
      const data = await load();
      if (mine === turn.current) state.value = { data, error: null };
    } catch (error) {
      if (mine === turn.current) state.value = { data: state.value.data, error };
    }
  };
  useTopics(topics, refresh, inputs);
  return { ...state.value, refresh };
}
