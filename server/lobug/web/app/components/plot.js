// A plot over time, drawn by uPlot in the colours of the page, and its table for those who do not see
// it. The library is loaded when the first plot is shown.

import { html, useEffect, useRef } from "../preact.js";
import { number, t } from "../sentences.js";

const HEIGHT = 220;
const AXIS_PX = 60;
const MARGIN_S = 3.5 * 86_400;
const STYLES = "web/vendor/uplot@1.6.32/dist/uPlot.min.css";

let loading = null;
function library() {
  loading ??= (async () => {
    const element = document.createElement("link");
    element.rel = "stylesheet";
    element.href = STYLES;
    document.head.append(element);
    return (await import("uplot")).default;
  })();
  return loading;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options(uPlot, width, unit, data, series) {
  const axis = { stroke: colour("--ink-soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  const barred = series.some(({ bars }) => bars);
  return {
    width,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    legend: { show: series.length > 1, live: false },
    scales: {
      // uPlot stretches a single moment over years; and the first and last bar would be cut in half.
      x: {
        range: (_plot, low, high) => {
          const alone = data[0].length < 2;
          const [from, to] = alone ? [data[0][0] ?? low, data[0][0] ?? low] : [low, high];
          return alone || barred ? [from - MARGIN_S, to + MARGIN_S] : [from, to];
        },
      },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      axis,
      { ...axis, size: AXIS_PX, values: (_plot, ticks) => ticks.map((tick) => (unit ? `${number(tick)} ${unit}` : number(tick))) },
    ],
    series: [
      {},
      ...series.map(({ label, fill, bars, dash }, place) => {
        const stroke = colour(`--series-${place + 1}`);
        return {
          label,
          stroke,
          width: 2,
          points: { show: bars ? false : undefined },
          fill: fill || bars ? `color-mix(in srgb, ${stroke} ${bars ? 70 : 18}%, transparent)` : undefined,
          dash: dash ? [6, 4] : undefined,
          paths: bars ? uPlot.paths.bars({ size: [0.7, 40] }) : undefined,
        };
      }),
    ],
  };
}

/**
 * `data`: seconds since the epoch, then the values of each series; `series`: `{label, fill, bars, dash}`
 * of each; `label`: what it shows, in words; `kind`: its name for tests.
 */
export function Plot({ kind, label, unit = "", data, series }) {
  const box = useRef(null);
  const key = JSON.stringify(data);
  useEffect(() => {
    const element = box.current;
    let plot = null;
    let ended = false;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const draw = async () => {
      const uPlot = await library();
      if (ended) return;
      plot?.destroy();
      plot = new uPlot(options(uPlot, element.clientWidth, unit, data, series), data, element);
    };
    draw();
    const sized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    dark.addEventListener("change", draw);
    return () => {
      ended = true;
      sized.disconnect();
      dark.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [key]);
  return html`<div class="plot" data-plot=${kind} role="img" aria-label=${label} ref=${box}></div>`;
}

/** The figures of a plot, folded. `head`: names of the columns; `rows`: what stands in them. */
export function AsTable({ head, rows }) {
  return html`<details>
    <summary>${t("shell.as_table")}</summary>
    <div class="table-scroll plot-table" tabindex="0" role="region" aria-label=${t("shell.as_table")}>
      <table>
        <thead><tr>${head.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows.map((row, at) => html`<tr key=${at}>${row.map((cell, place) => html`<td key=${place} class="numbers">${cell}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
  </details>`;
}
