// Preact, its hooks, signals and templates, as the rest of the app uses them.

import { h, render, Fragment } from "preact";
import htm from "htm";

export { Fragment, h, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";

/** Tagged template that makes elements: html`<p class="note">${text}</p>`. Text is never markup. */
export const html = htm.bind(h);
