// Things that are handed to another device: codes to read off, QR codes to scan, texts to copy.

import { html, useSignal } from "../preact.js";
import { t } from "../sentences.js";
import { Icon } from "./icons.js";
import { toast } from "./toasts.js";

/** The digits of a code, large, and read one by one by a screen reader. */
export function Digits({ code }) {
  return html`<p class="digits">
    <span aria-hidden="true">${code}</span>
    <span class="visually-hidden">${t("shell.code", { code: [...code].join(" ") })}</span>
  </p>`;
}

/** A QR code, from the SVG document that the server drew. */
export function QrCode({ svg, label }) {
  return html`<img
    class="qr"
    src=${`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`}
    alt=${label}
    width="220"
    height="220"
  />`;
}

/** A button that copies a text. Without a clipboard (plain HTTP) it says how to copy by hand. */
export function CopyButton({ text, label, small = false }) {
  const done = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      done.value = true;
      setTimeout(() => (done.value = false), 2_000);
    } catch {
      toast(t("shell.copy_by_hand"), { kind: "bad" });
    }
  };
  return html`<button
    type="button"
    class=${small ? "button button-small" : "button"}
    onClick=${copy}
  >
    <${Icon} name=${done.value ? "check" : "copy"} />
    <span aria-live="polite">${done.value ? t("shell.copied") : label ?? t("shell.copy")}</span>
  </button>`;
}
