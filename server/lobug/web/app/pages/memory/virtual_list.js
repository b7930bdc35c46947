// A list of any length of which only the rows in view are in the document.
//
// All rows are equally high, so that the place of each is known without the others. Height and
// places are set through the CSSOM, which the page's policy allows.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../../preact.js";

const SPARE_ROWS = 8;
const SETTLED_MS = 60;

/**
 * `row(place)` is the content of a row, an element that can have the focus inside;
 * `need(first, end)` is told which rows are in view once scrolling rests; `anchor()` returns the id
 * of the row at a place and `placeOf(id)` the place of an id: after `version` changed, the row at
 * the top stays where it was on the screen.
 */
export function VirtualList({ label, total, row, need, keyOf, placeOf, version, reveal }) {
  const list = useRef(null);
  const height = useRef(0);
  const focused = useRef(-1);
  const wanted = useRef(reveal ?? -1);
  const top = useRef(null);
  const [view, setView] = useState({ first: 0, end: 0 });

  const measure = () => {
    const box = list.current;
    if (!box) return;
    height.current = box.querySelector(".row-measure").getBoundingClientRect().height || 1;
    const above = -box.getBoundingClientRect().top;
    const first = Math.floor(above / height.current);
    const end = Math.ceil((above + innerHeight) / height.current);
    const next = {
      first: Math.min(Math.max(0, first), Math.max(0, total - 1)),
      end: Math.max(1, Math.min(total, end)),
      height: height.current,
    };
    const key = above > 0 ? keyOf(next.first) : undefined;
    top.current = key === undefined ? null : { key, place: next.first };
    setView((now) =>
      now.first === next.first && now.end === next.end && now.height === next.height ? now : next,
    );
  };

  useLayoutEffect(() => {
    // What was at the top stays there, though rows came or went above it.
    const before = top.current;
    if (before) {
      const place = placeOf(before.key);
      if (place >= 0 && place !== before.place) scrollBy(0, (place - before.place) * height.current);
    }
    measure();
  }, [total, version]);

  useEffect(() => {
    let waiting = 0;
    const moved = () => {
      if (waiting) return;
      waiting = requestAnimationFrame(() => {
        waiting = 0;
        measure();
      });
    };
    addEventListener("scroll", moved, { passive: true });
    addEventListener("resize", moved);
    return () => {
      cancelAnimationFrame(waiting);
      removeEventListener("scroll", moved);
      removeEventListener("resize", moved);
    };
  });

  useEffect(() => {
    if (!view.end) return undefined;
    const timer = setTimeout(() => need(view.first, view.end), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [view.first, view.end, version]);

  useLayoutEffect(() => {
    if (wanted.current < 0 || !height.current) return;
    const element = list.current.querySelector(`[data-place="${wanted.current}"] a`);
    if (!element) return;
    wanted.current = -1;
    element.focus({ preventScroll: true });
  });

  const show = (place) => {
    wanted.current = place;
    focused.current = place;
    const box = list.current.getBoundingClientRect();
    const at = box.top + place * height.current;
    const margin = 2 * height.current;
    if (at < margin) scrollBy(0, at - margin);
    else if (at + height.current > innerHeight - margin) scrollBy(0, at + height.current - innerHeight + margin);
    measure();
    setView((now) => ({ ...now }));
  };

  useEffect(() => {
    if (wanted.current >= 0) show(wanted.current);
  }, []);

  const typed = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const shown = Math.max(1, view.end - view.first - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: shown, PageUp: -shown, Home: -total, End: total }[event.key];
    if (!step || focused.current < 0) return;
    event.preventDefault();
    show(Math.min(total - 1, Math.max(0, focused.current + step)));
  };

  const from = Math.max(0, view.first - SPARE_ROWS);
  const to = Math.min(total, view.end + SPARE_ROWS);
  const places = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  // The row that has the focus stays, or the focus would be lost.
  for (const place of [focused.current, wanted.current]) {
    if (place >= 0 && place < total && !places.includes(place)) places.push(place);
  }
  return html`<div
    class="virtual"
    role="list"
    aria-label=${label}
    ref=${list}
    style=${{ height: `${total * (view.height ?? 0)}px` }}
    onKeyDown=${typed}
    onFocusIn=${(event) => {
      focused.current = Number(event.target.closest("[data-place]")?.dataset.place ?? -1);
    }}
    onFocusOut=${(event) => {
      if (event.relatedTarget) focused.current = -1;
    }}
  >
    <div class="row-measure" aria-hidden="true"></div>
    ${places.map(
      (place) => html`<div
        class="virtual-row"
        role="listitem"
        key=${place}
        data-place=${place}
        aria-setsize=${total}
        aria-posinset=${place + 1}
        style=${{ transform: `translateY(${place * (view.height ?? 0)}px)` }}
      >${row(place)}</div>`,
    )}
  </div>`;
}
