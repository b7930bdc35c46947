// What the stage times of turns mean: segments for a waterfall, and percentiles. Pure.

/** Which stages end a segment of the waterfall, in the order of a turn. */
const SEGMENTS = [
  ["hearing", ["endpoint", "decode", "gate", "transcript"]],
  ["memory", ["recall"]],
  ["thinking", ["first_token", "first_piece"]],
  ["voice", ["first_audio", "first_audio_sent"]],
  ["playing", ["first_audio_played"]],
];

/** All stages, in the order in which they are shown; as the server's STAGES. */
export const STAGES = [
  "speech_end", "endpoint", "decode", "gate", "transcript", "recall", "house", "first_token", "first_piece",
  "reply", "first_audio", "first_audio_sent", "first_audio_played", "speech", "played", "stored", "done",
];

/** Stages whose percentiles are shown. */
export const TOLD = [
  "endpoint", "transcript", "recall", "first_token", "first_piece", "first_audio", "first_audio_played", "done",
];

/**
 * Segments of a turn's waterfall until its first sound: `[{group, from, to}]`, seconds. Each begins
 * where the one before ended; stages that overlap (a reply prepared before the end of speech) give a
 * segment only for what they add.
 */
export function segments(timings) {
  const found = [];
  let at = 0;
  for (const [group, stages] of SEGMENTS) {
    const ends = stages.map((stage) => timings[stage]).filter((end) => end !== undefined);
    const to = Math.max(...ends, -Infinity);
    if (to > at) {
      found.push({ group, from: at, to });
      at = to;
    }
  }
  return found;
}

/** When the reply could be heard or read first, seconds; null: there was none. */
export function firstSound(timings) {
  for (const stage of ["first_audio_played", "first_audio_sent", "first_audio", "first_token", "reply"]) {
    if (timings[stage] !== undefined) return Math.max(0, timings[stage]);
  }
  return null;
}

/** The value below which a share of the values lies (nearest rank); null: there are none. */
export function percentile(values, share) {
  if (!values.length) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
