// Line icons, 24 x 24, drawn for Lo-Bug.

import { html } from "../preact.js";

const PATHS = {
  talk: "M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Zm-7 8a7 7 0 0 0 14 0M12 18v3",
  memory: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3Zm0 13a3 3 0 0 1 3-3h11M9 8h6",
  deeds: "M12 7v5l3 2M12 4a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM4 5 7 3M20 5l-3-2",
  devices: "M4 5h16v11H4ZM9 20h6M8 10h.01M16 10h.01M10 12.5q2 1.2 4 0",
  turns: "M4 6h7M8 11h9M12 16h8M4 20h16",
  settings: "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5v5M8.5 14.5v5",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4.5 20a7.5 7.5 0 0 1 15 0",
  people: "M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM2.5 19.5a6.5 6.5 0 0 1 13 0M16 5.5a3 3 0 0 1 0 6M18 14a6 6 0 0 1 3.5 5.5",
  info: "M12 11v6M12 7.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  warning: "M12 9v5M12 17h.01M12 3.5 2.5 20h19Z",
  close: "m6 6 12 12M18 6 6 18",
  check: "m5 12.5 4.5 4.5L19 7.5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  edit: "m5 19 1-4L16.5 4.5l3 3L9 18Zm9.5-12.5 3 3",
  trash: "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM15.5 15.5 20.5 20.5",
  pin: "M12 15v6M8 4h8l-1 6 3 3v2H6v-2l3-3Z",
  restore: "M4 5v5h5M4.5 10a8 8 0 1 1-.5 4",
  history: "M4 5v5h5M4.5 10a8 8 0 1 1-.5 4M12 8v5l3 2",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M4 20h16",
  upload: "M12 15.5V4.5M7.5 9 12 4.5 16.5 9M4 20h16",
  filter: "M4 6h16M7 12h10M10 18h4",
  send: "M4 12 20 4l-5 16-3.5-6.5Z",
  stop: "M7 7h10v10H7Z",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4ZM10 21h4",
  timer: "M12 8v5l3 2M9 3h6M12 5.5a8 8 0 1 0 0 16 8 8 0 0 0 0-16Z",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  battery: "M3 8h15v8H3ZM21 11v2M6 11v2M9 11v2M12 11v2",
  signal: "M5 19v-3M10 19v-7M15 19V8M20 19V4",
  speaker: "M4 10v4h4l5 4V6L8 10ZM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11",
  qr: "M4 4h6v6H4ZM14 4h6v6h-6ZM4 14h6v6H4ZM14 14h2v2M20 14v6h-6v-2",
  lock: "M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  copy: "M9 9h11v11H9ZM5 15H4V4h11v1",
  chevron: "m9 5 7 7-7 7",
  back: "m15 5-7 7 7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  chip: "M7 7h10v10H7ZM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
  external: "M10 5H5v14h14v-5M13 4h7v7M20 4l-9 9",
};

/** An icon. It says nothing to a screen reader unless it has a label. */
export function Icon({ name, label }) {
  return html`<svg
    class="icon"
    viewBox="0 0 24 24"
    aria-hidden=${label ? undefined : "true"}
    role=${label ? "img" : undefined}
    aria-label=${label}
  >
    <path d=${PATHS[name]} />
  </svg>`;
}
