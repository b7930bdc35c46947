// A line plot by uPlot, with words and a table for those who do not see it.

import { html, useEffect, useRef, useSignal } from "../preact.js";
import { moment, number, t } from "../sentences.js";

const STYLES = "web/vendor/uplot@1.6.32/dist/uPlot.min.css";
const HEIGHT_PX = 220;
/** Time around a single moment, seconds; uPlot would show years. */
const ALONE_S = 60;

let loading = null;
function library() {
  loading ??= (async () => {
    const styles = document.createElement("link");
    styles.rel = "stylesheet";
    styles.href = STYLES;
    document.head.append(styles);
    return (await import("uplot")).default;
  })();
  return loading;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options(width, xs, series) {
  const axis = { stroke: colour("--ink-soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT_PX,
    cursor: { points: { size: 7 } },
    legend: { live: true },
    axes: [axis, { ...axis, size: 52 }],
    scales: {
      x: { range: (_, low, high) => (xs.length > 1 ? [low, high] : [low - ALONE_S, low + ALONE_S]) },
      y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? 1.1 * high : 1] },
    },
    series: [
      { value: (_, at) => (at === null ? "" : moment(1_000 * at)) },
      ...series.map(({ label, unit = "" }, index) => ({
        label,
        stroke: colour(`--series-${index + 1}`),
        width: 2,
        dash: index % 2 ? [6, 4] : undefined,
        points: { size: 5 },
        value: (_, value) => (value === null ? "" : `${number(value)} ${unit}`.trim()),
      })),
    ],
  };
}

/**
 * Lines over time. xs: seconds since the epoch, ascending; series: `[{label, values, unit}]`, each as
 * long as xs, null where there is nothing; description: the plot in a sentence.
 */
export function LinePlot({ xs, series, description }) {
  const place = useRef(null);
  const theme = useSignal(0);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => theme.value++;
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);
  useEffect(() => {
    let plot = null;
    let gone = false;
    const resized = new ResizeObserver(([entry]) => {
      plot?.setSize({ width: Math.floor(entry.contentRect.width), height: HEIGHT_PX });
    });
    library().then((Plot) => {
      if (gone) return;
      const data = [xs, ...series.map((one) => one.values)];
      plot = new Plot(options(place.current.clientWidth, xs, series), data, place.current);
      resized.observe(place.current);
    });
    return () => {
      gone = true;
      resized.disconnect();
      plot?.destroy();
    };
  }, [xs, series, theme.value]);
  return html`<figure class="plot">
    <div ref=${place} class="plot-place" aria-hidden="true"></div>
    <figcaption class="muted small">${description}</figcaption>
    <details>
      <summary>${t("shell.as_table")}</summary>
      <div class="table-scroll plot-table" tabindex="0" role="region" aria-label=${description}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">${t("shell.time")}</th>
              ${series.map((one) => html`<th scope="col" key=${one.label}>${one.label}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${xs.map(
              (x, row) => html`<tr key=${x}>
                <td>${moment(1_000 * x)}</td>
                ${series.map((one) => {
                  const value = one.values[row];
                  return html`<td key=${one.label}>${value === null ? "" : `${number(value)} ${one.unit ?? ""}`}</td>`;
                })}
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`;
}
