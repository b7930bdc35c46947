// Lo-Bug's face as the device draws it (firmware/lib/core/src/lobug/face/), in the same numbers, which
// tests/unit/test_web_face.py compares.

import { html, useEffect, useRef } from "../../preact.js";

const HEAD = "#4856a8";
const INK = "#161634";
const EYE_WHITE = "#fcfaf4";
const IRIS = "#267694";
const CHEEK = "#f0788c";
const MOUTH = "#5c143a";
const TONGUE = "#f47682";
const HEART = "#ff5478";
const TEAR = "#8cd6ff";
const WARNING = "#ffbe54";
const CROSS = "#ff5850";
const STAR = "#ffe278";
const TEXT = "#f4f2ea";

/** The antennae's tips say what Lo-Bug is doing. */
export const GLOW = { idle: "#aab2dc", listening: "#5ce28c", thinking: "#ffbe54", speaking: "#60c8ff", off: "#525878" };

const NAMES = ["openLeft", "openRight", "smile", "lidTilt", "pupil", "lookX", "lookY", "browLift", "browTilt", "browSkew", "width", "bend", "open", "skew", "wave", "blush", "antennae"];
// Percent, in the order of NAMES; the last is what comes with the feeling.
const EXPRESSIONS = {
  neutral: [100, 100, 0, 0, 100, 0, 0, 0, 0, 0, 50, 35, 0, 0, 0, 0, 20],
  happy: [100, 100, 42, 0, 110, 0, 0, 30, -15, 0, 72, 85, 30, 0, 0, 55, 60],
  laughing: [0, 0, 100, 0, 100, 0, -10, 50, -20, 0, 85, 70, 90, 0, 0, 60, 80],
  funny: [105, 70, 30, 0, 100, 20, 0, 20, 0, 60, 72, 80, 30, 25, 0, 30, 60],
  sad: [78, 78, 0, -60, 108, 0, 35, 10, -80, 0, 45, -70, 0, 0, 0, 0, -60],
  angry: [82, 82, 10, 75, 80, 0, 5, -40, 85, 0, 50, -65, 0, 0, 0, 0, 40, "anger"],
  crying: [55, 55, 30, -60, 100, 0, 20, 10, -90, 0, 55, -75, 45, 0, 0, 25, -80, "tears"],
  loving: [100, 100, 0, 0, 100, 0, 0, 30, -20, 0, 70, 90, 30, 0, 0, 80, 75, "hearts"],
  embarrassed: [82, 82, 25, -20, 90, -60, 40, 20, -55, 0, 38, 0, 0, 0, 60, 100, -10, "sweat"],
  surprised: [118, 118, 0, 0, 78, 0, 0, 80, 0, 0, 24, 0, 60, 0, 0, 0, 90],
  shocked: [127, 127, 0, 0, 42, 0, 0, 95, -40, 0, 46, -20, 100, 0, 0, 0, 100, "exclaim"],
  thinking: [95, 75, 0, 0, 95, 55, -65, 20, 10, 60, 30, 5, 0, 35, 0, 0, 20, "dots"],
  winking: [100, 0, 12, 0, 105, 0, 0, 25, 0, -30, 66, 85, 20, 15, 0, 45, 45, "sparkle"],
  cool: [80, 80, 0, 0, 100, 0, 0, 20, 0, 40, 50, 45, 0, 50, 0, 0, 30, "shades"],
  relaxed: [45, 45, 20, -10, 100, 0, 15, 0, -15, 0, 55, 65, 0, 0, 0, 35, -10],
  delicious: [0, 0, 100, 0, 100, 0, 0, 30, -15, 0, 64, 85, 12, 0, 0, 55, 50, "lick"],
  kissy: [0, 0, 0, 0, 100, 0, 0, 20, -20, 0, 12, 0, 28, 0, 0, 80, 40, "kiss"],
  confident: [68, 68, 15, 20, 95, 0, 0, 5, 35, 30, 58, 45, 0, 60, 0, 0, 60, "sparkle"],
  sleepy: [26, 20, 0, -10, 95, 0, 30, 0, -20, 0, 26, -10, 25, 0, 0, 0, -50, "zzz"],
  silly: [115, 75, 0, 0, 70, 0, 0, 30, 0, 50, 72, 75, 40, 0, 0, 40, 50, "tongue"],
  confused: [100, 72, 0, 0, 85, 20, -15, 15, 15, 75, 42, -10, 0, 20, 45, 0, 0, "question"],
  // Looks that no message asks for.
  attentive: [112, 112, 0, 0, 116, 0, 0, 45, 0, 0, 42, 45, 8, 0, 0, 15, 100],
  asleep: [0, 0, 0, 0, 100, 0, 20, -10, 0, 0, 26, 30, 10, 0, 0, 30, -70, "zzz"],
  waking: [76, 76, 12, 0, 104, 0, -20, 40, -20, 0, 46, 60, 0, 0, 0, 20, 30],
  lost: [80, 80, 0, -45, 98, 0, 10, 20, -70, 0, 40, -45, 0, 0, 0, 0, -90],
};

const EYE = { x: 62, y: -9, rx: 37, ry: 41 };
const MOUTH_Y = 64;
const COLUMNS = 16;
const STEPS = 12;
const { sin, cos, max, min, abs, sqrt, PI } = Math;
const clamp = (value, low, high) => max(low, min(high, value));
const between = (from, to, part) => from + (to - from) * part;
const f = (value) => value.toFixed(1);
const at = ([x, y]) => `${f(x)} ${f(y)}`;
const line = (points) => `M${points.map(at).join("L")}`;
const shape = (points) => `${line(points)}Z`;
const ellipse = (cx, cy, rx, ry = rx) =>
  `M${f(cx - rx)} ${f(cy)}a${f(rx)} ${f(ry)} 0 1 0 ${f(2 * rx)} 0a${f(rx)} ${f(ry)} 0 1 0 ${f(-2 * rx)} 0Z`;

/** What is seen between the lids: `{upper, lower}`, points from the eye's centre. */
function opening(face, side) {
  const lid = (side < 0 ? face.openLeft : face.openRight) / 100;
  const wide = clamp(lid - 1, 0, 0.31);
  const ry = EYE.ry * (1 + wide / 2);
  const rx = EYE.rx * (1 + wide / 5);
  const open = clamp(lid, 0, 1) * (1 - face.blink) * (face.prop === "hearts" ? 1 - face.propSize : 1);
  const smile = clamp(face.smile / 100, 0, 1);
  const tilt = clamp(face.lidTilt / 100, -1, 1);
  const upper = [];
  const lower = [];
  for (let column = 0; column <= COLUMNS; column++) {
    const t = -cos((PI * column) / COLUMNS);
    const bow = 1 - t * t;
    const height = ry * sqrt(max(0, bow));
    // Where the lids meet: hanging when one sleeps, arched when one laughs.
    const meet = ry * between((40 + bow * 60) / 256, (70 - bow * 130) / 256, smile);
    const slant = ry * tilt * t * -side * (130 / 256) * (open / 2 + 0.5);
    const hooded = (ry * abs(tilt) * 30) / 256;
    let top = max(between(meet, -ry * 1.0625, open) + slant + hooded, -height);
    // The lower lid helps the upper one in the end.
    let bottom = min(between(ry * 1.0625, meet, max(smile, (1 - open) ** 3)), height);
    if (top > bottom) top = bottom = (top + bottom) / 2;
    upper.push([t * rx, top]);
    lower.push([t * rx, bottom]);
  }
  const lashes = 5 * clamp(2 * (1 - open) + abs(tilt), 0, 1);
  return { upper, lower, lashes, lowerLashes: 5 * clamp(2 * smile - 0.5, 0, 1) };
}

function lips(face, opened) {
  // A mouth that opens wide gets narrower.
  const half = clamp((face.width * 62) / 100 - face.mouth * 5, 6, 64);
  const bend = ((face.bend * 16) / 100) * (half / 40);
  const flat = 1 - (190 / 256) * (opened / (opened + 12));
  const upper = [];
  const lower = [];
  for (let step = 0; step <= STEPS; step++) {
    const angle = (PI * step) / STEPS;
    const t = -cos(angle);
    const bow = bend * (1 - t * t);
    const rest = -bend / 2 - face.skew * 0.08 * t + face.wave * 0.05 * sin(t * 1.5 * PI);
    upper.push([half * t, MOUTH_Y + rest + bow * flat - (opened * sin(angle)) / 4]);
    lower.push([half * t, MOUTH_Y + rest + bow + opened * sin(angle) * 0.75]);
  }
  return { upper, lower };
}

function tongueOf({ upper, lower }, opened) {
  const floor = lower.slice(2, -2);
  const top = floor.map(([x, y], index) => [
    x,
    max(upper[index + 2][1], y - opened * 0.4 * sin((PI * index) / (floor.length - 1))),
  ]);
  return [...top, ...floor.reverse()];
}

function heart(x, y, scale) {
  const points = [];
  for (let corner = 0; corner < 32; corner++) {
    const a = (2 * PI * corner) / 32;
    const across = 16 * sin(a) ** 3;
    const up = 13 * cos(a) - 5 * cos(2 * a) - 2 * cos(3 * a) - cos(4 * a);
    points.push([x + across * 2.5 * scale, y - up * 2.5 * scale]);
  }
  return shape(points);
}

function star(x, y, size) {
  const points = Array.from({ length: 8 }, (_, corner) => {
    const radius = corner % 2 ? size / 4 : size;
    return [x + radius * sin((corner * PI) / 4), y - radius * cos((corner * PI) / 4)];
  });
  return { d: shape(points), fill: STAR };
}

const stroke = (d, colour, width) => ({ d, stroke: colour, "stroke-width": f(width) });
const scaled = (points, x, y, size) => points.map(([px, py]) => [x + px * size, y + py * size]);

// What comes with a feeling: shapes by the clock (seconds) and by how far it has grown (0 to 1).
const PROPS = {
  tears: (s, size) =>
    [-1, 1].flatMap((side) => {
      const x = side * (EYE.x + 4);
      const run = ((s / 0.7 + (side > 0 ? 0.5 : 0)) % 1) * 54 * size;
      return [
        stroke(line([[x, EYE.y + 34], [x, EYE.y + 34 + 54 * size]]), TEAR, 12),
        { d: ellipse(x, EYE.y + 34 + run, 3, 6), fill: EYE_WHITE, opacity: 0.75 },
      ];
    }),
  hearts: (s, size) => {
    const beat = s % 1;
    const swell = beat < 0.4 ? abs(sin((beat / 0.2) * PI)) / 10 : 0;
    return [-1, 1].flatMap((side) => [
      { d: heart(side * EYE.x, EYE.y + 2, (0.9 + swell) * size), fill: HEART },
      { d: ellipse(side * EYE.x - 18 * size, EYE.y - 12 * size, 7 * size, 5 * size), fill: EYE_WHITE, opacity: 0.6 },
    ]);
  },
  sweat: (s, size) => {
    const y = -46 + 8 * ((s / 1.6) % 1);
    const r = 9 * size;
    return [
      { d: shape([[112 - r * 0.94, y - r / 3], [112, y - r * 2.5], [112 + r * 0.94, y - r / 3]]), fill: TEAR },
      { d: ellipse(112, y, r), fill: TEAR },
      { d: ellipse(112 - r / 3, y, r / 4, r / 3), fill: EYE_WHITE, opacity: 0.75 },
    ];
  },
  zzz: (s, size) =>
    [0, 1, 2].map((letter) => {
      const way = (s / 3 + 1 - letter / 3) % 1;
      const width = 6 + 10 * way;
      const x = 88 + 30 * way + sin(2 * PI * way) * 4;
      const y = -50 - 46 * way;
      const z = line([[x, y], [x + width, y], [x, y + width], [x + width, y + width]]);
      return { ...stroke(z, TEXT, width / 4 + 1), opacity: f(clamp(min(way, 1 - way) * 2, 0, 1) * size) };
    }),
  shades: (s, size) => {
    const y = EYE.y - 60 * (1 - size);
    const glass = [[-47, -36], [47, -36], [49, -28], [44, 26], [28, 43], [-28, 43], [-44, 26], [-49, -28]];
    return [
      ...[-1, 1].flatMap((side) => [
        { d: shape(scaled(glass, side * EYE.x, y, 1)), fill: "#14141e" },
        stroke(line([[side * 102, y - 31], [side * 130, y - 36]]), "#14141e", 7),
        stroke(line([[side * EYE.x - 22, y + 10], [side * EYE.x - 4, y - 14]]), "#606896", 6),
        stroke(line([[side * EYE.x - 6, y + 14], [side * EYE.x + 8, y - 6]]), "#606896", 3),
      ]),
      stroke(line([[-20, y - 29], [20, y - 29]]), "#14141e", 10),
    ];
  },
  tongue: (s, size) => [
    stroke(line([[6, 74], [6, 74 + 20 * size]]), TONGUE, 24 * size),
    { ...stroke(line([[6, 74], [6, 74 + 13 * size]]), MOUTH, 2), opacity: 0.4 },
  ],
  lick: (s, size) => [stroke(line([[28, 63], [28, 63 + 10 * size + 3 * sin((2 * PI * s) / 0.9)]]), TONGUE, 18 * size)],
  kiss: (s, size) => {
    const fly = clamp(((s / 1.8) % 1) * 2, 0, 1);
    return [{ d: heart(44 + 40 * fly, MOUTH_Y - 50 * fly, ((40 + 70 * fly) / 256) * size), fill: HEART }];
  },
  question: (s, size) => {
    const hook = [[-9, -16], [-7, -22], [0, -26], [7, -23], [9, -16], [6, -9], [1, -5], [0, -1], [0, 2]];
    return [
      stroke(line(scaled(hook, 118, -76, size)), WARNING, 6 * size),
      { d: ellipse(118, -76 + 11 * size, 4 * size), fill: WARNING },
    ];
  },
  exclaim: (s, size) => [
    stroke(line(scaled([[0, -24], [0, 0]], 118, -76, size)), WARNING, 8 * size),
    { d: ellipse(118, -76 + 12 * size, 5 * size), fill: WARNING },
  ],
  anger: (s, size) => {
    const grown = (0.86 + sin((2 * PI * s) / 0.5) / 8) * size;
    return [-1, 1].flatMap((x) =>
      [-1, 1].map((y) => stroke(line(scaled([[x * 4, y * 15], [x * 5, y * 5], [x * 15, y * 4]], 100, -54, grown)), CROSS, 5 * grown)),
    );
  },
  sparkle: (s, size) => {
    const twinkle = 0.78 + sin((2 * PI * s) / 1.1) / 5;
    return [star(112, -56, 16 * twinkle * size), star(130, -34, 8 * (1.78 - twinkle) * size)];
  },
  dots: (s, size) =>
    [0, 1, 2].map((dot) => {
      const hop = max(0, sin(2 * PI * (s / 1.2 - dot * 0.16)));
      return { d: ellipse(92 + dot * 20, -72 - dot * 10 - 5 * hop, (5 + dot) * size), fill: TEXT };
    }),
};

/** How long its movements take, ms. */
const MS = {
  blend: 110,
  close: 100,
  closed: 40,
  open: 110,
  blinkLeast: 1800,
  blinkRange: 4200,
  secondBlink: 120,
  saccadeLeast: 500,
  saccadeRange: 2600,
  saccade: 25,
  attack: 18,
  release: 75,
  excitement: 600,
  prop: 260,
};
const MOTION = "(prefers-reduced-motion: reduce)";
const some = (least, range) => least + Math.random() * range;
/** On the way to a target: after `dt` seconds, with a time constant in ms. */
const approach = (value, target, dt, tau) => target + (value - target) * Math.exp((-1000 * dt) / tau);
/** How far the lids have closed, `ms` into a blink. */
function blinkAfter(ms) {
  if (ms < MS.close) return ms / MS.close;
  return clamp((MS.close + MS.closed + MS.open - ms) / MS.open, 0, 1);
}

/** Moves the face: what it shows from frame to frame. */
class Drawing {
  constructor(svg) {
    this.parts = Object.fromEntries([...svg.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
    this.still = matchMedia(MOTION);
    this.input = { look: "neutral", glow: GLOW.idle, lively: false, pulse: false, asleep: false, level: 0 };
    this.face = { blink: 0, x: 0, y: 0, mouth: 0, excitement: 0, prop: undefined, propSize: 0, clock: 0 };
    EXPRESSIONS.neutral.forEach((value, index) => NAMES[index] && (this.face[NAMES[index]] = value));
    this.saccade = [0, 0];
    this.blinkAt = this.saccadeAt = 0;
    this.blinking = -1;
    this.last = 0;
    this.request = this.timer = 0;
    this.follow = ({ clientX, clientY, pointerType }) => {
      if (pointerType !== "mouse" || this.input.asleep) return;
      const box = svg.getBoundingClientRect();
      this.saccade = [
        clamp((clientX - box.x - box.width / 2) / innerWidth, -0.5, 0.5) * 120,
        clamp((clientY - box.y - box.height / 2) / innerHeight, -0.5, 0.5) * 120,
      ];
      this.saccadeAt = performance.now() + 1500;
      this.run();
    };
    addEventListener("pointermove", this.follow, { passive: true });
  }

  close() {
    removeEventListener("pointermove", this.follow);
    cancelAnimationFrame(this.request);
    clearTimeout(this.timer);
  }

  show(input) {
    Object.assign(this.input, input);
    this.run();
  }

  run() {
    if (this.request) return;
    clearTimeout(this.timer);
    this.request = requestAnimationFrame((now) => {
      this.request = 0;
      this.frame(now);
    });
  }

  frame(now) {
    const dt = min(0.1, (now - this.last) / 1000);
    this.last = now;
    const moving = this.still.matches ? this.settle() : this.move(dt, now);
    this.draw();
    if (moving) this.run();
    else if (!this.still.matches) {
      // At rest until the next blink or glance.
      this.timer = setTimeout(() => this.run(), max(16, min(this.blinkAt, this.saccadeAt) - now));
    }
  }

  settle() {
    const { face, input } = this;
    const target = EXPRESSIONS[input.look] ?? EXPRESSIONS.neutral;
    NAMES.forEach((name, index) => (face[name] = target[index]));
    Object.assign(face, { blink: 0, x: 0, y: 0, mouth: 0, excitement: 0, prop: target[NAMES.length], propSize: 1, clock: 0.4 });
    return false;
  }

  move(dt, now) {
    const { face, input } = this;
    const target = EXPRESSIONS[input.look] ?? EXPRESSIONS.neutral;
    let moving = input.lively || input.pulse;
    NAMES.forEach((name, index) => {
      face[name] = approach(face[name], target[index], dt, MS.blend);
      if (abs(face[name] - target[index]) > 0.3) moving = true;
    });
    if (now > this.blinkAt && this.blinking < 0 && !input.asleep) this.blinking = 0;
    if (now > this.blinkAt && input.asleep) this.blinkAt = now + 4000;
    if (this.blinking >= 0) {
      this.blinking += 1000 * dt;
      face.blink = blinkAfter(this.blinking);
      if (this.blinking > MS.close + MS.closed + MS.open) {
        this.blinking = -1;
        this.blinkAt = now + (Math.random() < 1 / 6 ? MS.secondBlink : some(MS.blinkLeast, MS.blinkRange));
      }
      moving = true;
    }
    if (now > this.saccadeAt) {
      this.saccadeAt = now + some(MS.saccadeLeast, MS.saccadeRange);
      // Half of the time straight on, or it would seem restless.
      const away = Math.random() < 0.5 && !input.asleep;
      this.saccade = away ? [some(-28, 56), some(-16, 32)] : [0, 0];
    }
    face.x = approach(face.x, this.saccade[0], dt, MS.saccade);
    face.y = approach(face.y, this.saccade[1], dt, MS.saccade);
    if (abs(face.x - this.saccade[0]) + abs(face.y - this.saccade[1]) > 0.3) moving = true;
    const level = clamp(input.level * 5, 0, 1);
    face.mouth = approach(face.mouth, level, dt, level > face.mouth ? MS.attack : MS.release);
    face.excitement = approach(face.excitement, level, dt, MS.excitement);
    if (face.mouth > 0.01) moving = true;
    const wanted = target[NAMES.length];
    if (face.prop !== wanted) {
      // The old one leaves before the new one comes.
      face.propSize = max(0, face.propSize - (2000 * dt) / MS.prop);
      if (face.propSize === 0 || !face.prop) face.prop = wanted;
      moving = true;
    } else if (wanted && face.propSize < 1) {
      face.propSize = min(1, face.propSize + (1000 * dt) / MS.prop);
      moving = true;
    }
    if (face.prop && input.lively) moving = true;
    if (moving) face.clock += dt;
    return moving;
  }

  set(part, attributes) {
    for (const [name, value] of Object.entries(attributes)) this.parts[part].setAttribute(name, value);
  }

  draw() {
    const { face, input } = this;
    const swing = (period) => sin((2 * PI * face.clock) / period);
    const tremble = face.prop === "anger" ? swing(0.09) : 0;
    const bounce = -face.excitement * 1.5 * (1 + swing(0.42));
    this.set("all", { transform: `translate(${f(tremble)} ${f(swing(3.6) + bounce)})` });
    for (const side of [-1, 1]) {
      const name = side < 0 ? "left" : "right";
      this.antenna(name, side, swing(2.6) * 3 + face.x * side * 0.06, input.pulse ? 0.62 + 0.38 * swing(1) * side : 1);
      this.set(`${name}-cheek`, { opacity: f(clamp(face.blush / 100, 0, 1) * 0.9) });
      this.eye(name, side);
      this.brow(name, side);
    }
    this.drawMouth();
    this.props();
  }

  antenna(name, side, sway, bright) {
    const angle = ((8 + (100 - clamp(this.face.antennae, -100, 100)) * 0.335 + sway) / 256) * 2 * PI;
    const curve = [[side * 32, -81]];
    for (let joint = 1; joint <= 6; joint++) {
      const bent = (angle * (joint + 2)) / 7;
      const [x, y] = curve[joint - 1];
      curve.push([x + side * 6 * sin(bent), y - 6 * cos(bent)]);
    }
    const [x, y] = curve[6];
    this.set(`${name}-antenna`, { d: line(curve) });
    this.set(`${name}-halo`, { cx: f(x), cy: f(y), fill: this.input.glow, opacity: f(0.28 * bright) });
    this.set(`${name}-tip`, { cx: f(x), cy: f(y), fill: this.input.glow, opacity: f(bright) });
    this.set(`${name}-spark`, { cx: f(x - 2), cy: f(y - 3) });
  }

  eye(name, side) {
    const { face } = this;
    const { upper, lower, lashes, lowerLashes } = opening(face, side);
    const outline = shape([...upper, ...lower.toReversed()]);
    this.set(`${name}-white`, { d: outline });
    this.set(`${name}-clip`, { d: outline });
    const squint = face.prop === "tongue" ? -side * 9 * face.propSize : 0;
    const x = (12 * clamp(face.lookX + face.x, -100, 100)) / 100 + squint;
    const y = (14 * clamp(face.lookY + face.y, -100, 100)) / 100;
    const size = clamp(face.pupil / 100, 0.125, 1.25);
    const glint = max(0.5, size);
    this.set(`${name}-iris`, { d: ellipse(x, y, 24 * size, 26 * size) });
    this.set(`${name}-pupil`, { d: ellipse(x, y, 18 * size, 20 * size) });
    this.set(`${name}-glint`, { d: ellipse(x - 8 * glint, y - 10 * glint, 7 * glint) + ellipse(x + 8 * glint, y + 8 * glint, 3 * glint) });
    this.set(`${name}-upper`, { d: line(upper), "stroke-width": f(lashes) });
    this.set(`${name}-lower`, { d: line(lower), "stroke-width": f(lowerLashes) });
  }

  brow(name, side) {
    const { face } = this;
    const wide = clamp((side < 0 ? face.openLeft : face.openRight) / 100 - 1, 0, 0.31);
    const lift = face.browLift * 0.1 + (EYE.ry * wide) / 2 + (side > 0 ? face.browSkew * 0.1 : 0);
    const tilt = face.browTilt * 0.1;
    const y = EYE.y - EYE.ry - 8 - lift;
    const x = (offset) => side * (EYE.x + offset);
    this.set(`${name}-brow`, {
      d: line([[x(20), y - tilt / 2 + 4], [x(10), y - tilt / 4 + 1], [x(0), y], [x(-10), y + tilt / 4 + 1], [x(-20), y + tilt / 2 + 4]]),
    });
  }

  drawMouth() {
    const { face } = this;
    const opened = clamp(max(face.open * 0.38, face.mouth * 36), 0, 40);
    const both = lips(face, opened);
    const closed = opened < 2;
    const inside = [...both.upper, ...both.lower.toReversed()];
    this.set("inside", { d: closed ? "" : shape(inside) });
    this.set("tongue", { d: closed ? "" : shape(tongueOf(both, opened)) });
    this.set("lips", { d: closed ? line(both.lower) : line(both.upper) + line(both.lower) });
  }

  props() {
    const { prop, propSize, clock } = this.face;
    const shapes = prop && propSize > 0 ? PROPS[prop](clock, propSize) : [];
    const group = this.parts.props;
    while (group.childElementCount > shapes.length) group.lastChild.remove();
    while (group.childElementCount < shapes.length) {
      group.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    }
    shapes.forEach((one, index) => {
      const attributes = { fill: "none", stroke: "none", opacity: 1, ...one };
      for (const [name, value] of Object.entries(attributes)) group.children[index].setAttribute(name, value);
    });
  }
}

function eye(name, x) {
  return html`<g transform=${`translate(${x} ${EYE.y})`}>
    <clipPath id=${`face-${name}`}><path data-part=${`${name}-clip`} /></clipPath>
    <path data-part=${`${name}-white`} fill=${EYE_WHITE} />
    <g clip-path=${`url(#face-${name})`}>
      <path data-part=${`${name}-iris`} fill=${IRIS} />
      <path data-part=${`${name}-pupil`} fill=${INK} />
      <path data-part=${`${name}-glint`} fill=${EYE_WHITE} />
    </g>
    <path data-part=${`${name}-upper`} fill="none" stroke=${INK} />
    <path data-part=${`${name}-lower`} fill="none" stroke=${INK} />
  </g>`;
}

function antenna(name) {
  return html`<path data-part=${`${name}-antenna`} fill="none" stroke=${HEAD} stroke-width="5" />
    <circle data-part=${`${name}-halo`} r="12" />
    <circle data-part=${`${name}-tip`} r="8" />
    <circle data-part=${`${name}-spark`} r="2" fill=${EYE_WHITE} opacity="0.6" />`;
}

/**
 * The face. `look`: an emotion of the protocol, or attentive, asleep, lost. `glow`: of GLOW.
 * `lively`: it sways and breathes. `pulse`: its tips pulse. `level`: a signal, the loudness that
 * moves the mouth. A screen reader does not see it; what it says is said in words.
 */
export function Face({ look, glow, lively, pulse, asleep, level }) {
  const svg = useRef(null);
  const drawing = useRef(null);
  useEffect(() => {
    const made = (drawing.current = new Drawing(svg.current));
    const stop = level.subscribe((value) => made.show({ level: value }));
    return () => {
      stop();
      made.close();
    };
  }, []);
  useEffect(() => drawing.current.show({ look, glow: GLOW[glow], lively, pulse, asleep }), [look, glow, lively, pulse, asleep]);
  return html`<svg ref=${svg} class="face" viewBox="-156 -134 312 252" aria-hidden="true" focusable="false" data-look=${look}>
    <g data-part="all" stroke-linecap="round" stroke-linejoin="round">
      ${antenna("left")}${antenna("right")}
      <ellipse cx="0" cy="14" rx="140" ry="100" fill=${HEAD} />
      <ellipse data-part="left-cheek" cx="-96" cy="40" rx="20" ry="12" fill=${CHEEK} />
      <ellipse data-part="right-cheek" cx="96" cy="40" rx="20" ry="12" fill=${CHEEK} />
      ${eye("left", -EYE.x)}${eye("right", EYE.x)}
      <path data-part="left-brow" fill="none" stroke=${INK} stroke-width="5" />
      <path data-part="right-brow" fill="none" stroke=${INK} stroke-width="5" />
      <path data-part="inside" fill=${MOUTH} />
      <path data-part="tongue" fill=${TONGUE} />
      <path data-part="lips" fill="none" stroke=${INK} stroke-width="5" />
      <g data-part="props" />
    </g>
  </svg>`;
}
