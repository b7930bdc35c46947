// A device at a serial port that a test plays: it speaks Improv and has a console, as the firmware
// does. `window.fakePort` is the port; `navigator.serial` gives it to a page that asks.
(options) => {
  const HEADER = [..."IMPROV"].map((letter) => letter.charCodeAt(0)).concat(1);
  const device = {
    password: "right word",
    networks: [["Cafe", -71, false], ["Home", -48, true], ["Home", -80, true]],
    starts_after: 0, // how many times it is asked for its state before it answers
    silent: false,
    joins: true, // false: joining takes for ever
    refuses: null, // why it does not take the server
    ...options,
  };
  const port = { told: [], joined: [], pickedWith: null, baud: [] };
  let out = null;
  let text = "";
  let held = [];
  const encode = (value) => [...new TextEncoder().encode(value)];
  const sum = (bytes) => bytes.reduce((total, byte) => total + byte, 0) & 0xff;
  const say = (bytes) => out?.enqueue(new Uint8Array(bytes));
  const print = (line) => say(encode(`${line}\n`));
  const send = (type, data) => {
    const bytes = [...HEADER, type, data.length, ...data];
    // In pieces, as a serial line brings them.
    const whole = [...bytes, sum(bytes), 10];
    say(whole.slice(0, 5));
    say(whole.slice(5));
  };
  const result = (command, ...strings) => {
    const data = strings.flatMap((one) => [encode(one).length, ...encode(one)]);
    send(4, [command, data.length, ...data]);
  };

  async function command([kind, , ...data]) {
    if (device.silent) return;
    if (kind === 2) {
      if (device.starts_after-- > 0) return;
      print("ets Jul 29 2019 12:21:46 IMPROVISED");
      send(2, [0]);
      send(1, [2]);
      return;
    }
    send(2, [0]);
    if (kind === 3) result(3, "Lo-Bug", "2.1.0", "m5stack-core2", "Lo-Bug-1A2B");
    if (kind === 4) {
      for (const [name, dbm, secured] of device.networks) {
        result(4, name, String(dbm), secured ? "YES" : "NO");
      }
      result(4);
    }
    if (kind === 1) {
      const decode = (bytes) => new TextDecoder().decode(new Uint8Array(bytes));
      const name = decode(data.slice(1, 1 + data[0]));
      const password = decode(data.slice(2 + data[0]));
      port.joined.push([name, password]);
      send(1, [3]);
      if (!device.joins) return;
      if (password === device.password) {
        send(1, [4]);
        result(1, "");
      } else {
        print("The Wi-Fi rejects my password.");
        send(2, [3]);
        send(1, [2]);
      }
    }
  }

  function take(bytes) {
    for (const byte of bytes) {
      if (held.length || byte === HEADER[0]) {
        held.push(byte);
        const length = held[8];
        if (length === undefined || held.length < 10 + length) continue;
        const whole = held;
        held = [];
        if (sum(whole.slice(0, -1)) !== whole.at(-1)) throw new Error("a wrong checksum");
        command(whole.slice(9, -1));
      } else if (byte === 10) {
        if (text) port.told.push(text);
        if (text.startsWith("server ")) print(device.refuses ?? "Saved.");
        text = "";
      } else {
        text += String.fromCharCode(byte);
      }
    }
  }

  Object.assign(port, {
    readable: null,
    writable: null,
    getInfo: () => ({ usbVendorId: 0x10c4, usbProductId: 0xea60 }),
    setSignals: async () => {},
    async open({ baudRate }) {
      if (device.busy) throw new DOMException("Failed to open serial port.", "NetworkError");
      port.baud.push(baudRate);
      port.readable = new ReadableStream({ start: (controller) => void (out = controller) });
      port.writable = new WritableStream({ write: take });
    },
    async close() {
      port.readable = port.writable = out = null;
    },
    pull() {
      out.error(new DOMException("The device has been lost.", "NetworkError"));
      port.readable = port.writable = out = null;
    },
  });
  window.fakePort = port;
  const serial = {
    async requestPort({ filters }) {
      port.pickedWith = filters;
      if (device.nothing_chosen) throw new DOMException("No port selected by the user.", "NotFoundError");
      return port;
    },
  };
  Object.defineProperty(navigator, "serial", { value: serial, configurable: true });
}
