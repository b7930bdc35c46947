// Writing a full image to an empty device: what the server's manifest says, by esptool-js.

import { get, request } from "../../api.js";

/** USB chips of M5Stack's boards: Espressif's own, Silicon Labs, WCH, FTDI. */
export const PORTS = [0x303a, 0x10c4, 0x1a86, 0x0403].map((usbVendorId) => ({ usbVendorId }));

const ROM_BAUD = 115_200;
const BAUD = 460_800;
const RESET_MS = 100;

/** `code`: damaged, wrong_chip, no_answer, failed. `detail`: for somebody who looks closer. */
export class FlashError extends Error {
  constructor(code, detail = "") {
    super(detail || code);
    this.code = code;
    this.detail = detail;
  }
}

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The image of a board and its manifest: `{version, chip, parts: [{data, address}]}`. Throws ApiError, FlashError. */
export async function fetchImage(manifestPath) {
  const manifest = await get(manifestPath);
  const [build] = manifest.builds;
  const parts = [];
  for (const { path, offset, sha256 } of build.parts) {
    const place = new URL(path, new URL(manifestPath, location.href)).pathname;
    const answer = await request("GET", place, { raw: true });
    const data = new Uint8Array(await answer.arrayBuffer());
    const found = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", data)));
    if (found !== sha256) throw new FlashError("damaged", found);
    parts.push({ data, address: offset });
  }
  return { version: manifest.version, chip: build.chipFamily, parts };
}

/**
 * Write an image to the device at a port, which is closed before and after. `tell` is called with
 * `{phase: "connecting" | "writing" | "restarting", done}`; done is 0 to 1. Throws FlashError.
 */
export async function flash(port, image, tell) {
  // Large, and needed here alone.
  const { ESPLoader, Transport } = await import("esptool-js");
  const log = [];
  const terminal = {
    clean() {},
    write: (text) => log.push(text),
    writeLine: (text) => log.push(text),
  };
  const transport = new Transport(port, false);
  const loader = new ESPLoader({ transport, baudrate: BAUD, romBaudrate: ROM_BAUD, terminal });
  tell({ phase: "connecting", done: 0 });
  try {
    try {
      await loader.main();
    } catch (error) {
      // The port could not be opened at all.
      if (error.name === "NetworkError" || error.name === "InvalidStateError") throw error;
      throw new FlashError("no_answer", error.message);
    }
    const chip = loader.chip.CHIP_NAME;
    if (image.chip && chip !== image.chip) throw new FlashError("wrong_chip", chip);
    tell({ phase: "writing", done: 0 });
    try {
      await loader.writeFlash({
        fileArray: image.parts,
        flashSize: "keep",
        flashMode: "keep",
        flashFreq: "keep",
        eraseAll: false,
        compress: true,
        reportProgress: (_, written, total) => tell({ phase: "writing", done: written / total }),
      });
    } catch (error) {
      throw new FlashError("failed", [error.message, ...log.slice(-5)].join("\n"));
    }
    tell({ phase: "restarting", done: 1 });
  } finally {
    await restart(transport, loader);
  }
}

/** Let the device start what it has, and close the port. Never throws: it may be gone. */
async function restart(transport, loader) {
  try {
    await transport.setRTS(true);
    await sleep(RESET_MS);
    await loader.after("hard_reset");
  } catch {
    // The cable was pulled, or the port never opened.
  }
  try {
    await transport.disconnect();
  } catch {
    // As above.
  }
}
