// The curves of one chart, by uPlot.
import uPlot from "uplot";
import { axisValues, lineValues } from "./decode.js";
import { kept } from "./kept.js";
import { drawBehind, drawInFront } from "./overlay.js";
import { smoothed } from "./smooth.js";
import { colour } from "./theme.js";
import { lonelyTicks, ticks } from "./words.js";
import { zoomOf, zoomTo } from "./zoom.js";

export const COLOURS = 8;
const FURTHEST_LIMIT = 2.5;
const FURTHEST_FACTOR = 100; // two powers of ten

const lineColour = (place) => colour(`line-${place % COLOURS}`);

const isBanded = (line) => Boolean(line.lows && line.highs);
export const keyOf = (chart, place) => `${chart.id}/${place}`;
const isShown = (chart, place) => !kept.hidden.has(keyOf(chart, place));

// How many values a logarithmic scale cannot show.
export function undrawn(chart) {
  return chart.lines.flatMap((line) => lineValues(line.values)).filter((value) => value !== null && value <= 0).length;
}

// Columns as uPlot has them: the axis, then for each line its values, where there are any its extremes, and while
// curves are smoothed, its smoothed values.
export function columns(chart, axes, { logarithmic, smoothing }) {
  const fit = logarithmic ? (value) => (value > 0 ? value : null) : (value) => value;
  const tables = chart.lines.map((line) => {
    const rows = [line.values, ...(isBanded(line) ? [line.lows, line.highs] : [])];
    const drawn = rows.map((row) => lineValues(row).map(fit));
    if (smoothing) drawn.push(smoothed(drawn[0], smoothing));
    return [axisValues(axes[line.axis].values), ...drawn];
  });
  const shared = chart.lines.every((line) => line.axis === chart.lines[0].axis);
  return shared ? [tables[0][0], ...tables.flatMap((table) => table.slice(1))] : uPlot.join(tables);
}

// Where the values of each line stand among the columns; its smoothed ones are the last before the next line.
export function places(chart, smoothing) {
  let next = 1;
  return chart.lines.map((line) => {
    const place = next;
    next += (isBanded(line) ? 3 : 1) + (smoothing ? 1 : 0);
    return place;
  });
}

// Gaps stay gaps; a point between two of them is drawn as a dot. The raw curve stays behind the smoothed one.
function series(chart, smoothing) {
  const rows = chart.lines.flatMap((line, place) => {
    const full = () => lineColour(place);
    const stroke = smoothing ? () => `color-mix(in srgb, ${lineColour(place)} 38%, transparent)` : full;
    const show = isShown(chart, place);
    const dash = line.dashed ? [6, 4] : undefined;
    const own = { show, stroke, width: smoothing ? 1.2 : 1.6, dash, points: { size: 5, fill: stroke } };
    const edge = { show, stroke: "transparent", width: 0, points: { show: false } };
    const smooth = { show, stroke: full, width: 2, dash, points: { show: false } };
    return [own, ...(isBanded(line) ? [edge, edge] : []), ...(smoothing ? [smooth] : [])];
  });
  return [{}, ...rows];
}

function bands(chart, smoothing) {
  const at = places(chart, smoothing);
  return chart.lines.flatMap((line, place) =>
    isBanded(line) && isShown(chart, place)
      ? [
          {
            series: [at[place] + 2, at[place] + 1],
            fill: () => `color-mix(in srgb, ${lineColour(place)} 18%, transparent)`,
          },
        ]
      : [],
  );
}

// Limits and the healthy band belong into the picture unless they would press the curve flat.
function levelsOf(chart) {
  const known = [...(chart.limits ?? []).map((limit) => limit.at), chart.band?.low, chart.band?.high];
  return known.filter(Number.isFinite);
}

function heights(chart, low, high) {
  if (low === null || high === null) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  let [bottom, top] = [low, high];
  for (const level of levelsOf(chart)) {
    if (Math.max(top, level) - Math.min(bottom, level) > FURTHEST_LIMIT * span) continue;
    [bottom, top] = [Math.min(bottom, level), Math.max(top, level)];
  }
  if (bottom === top) return [bottom - (Math.abs(bottom) / 10 || 1), top + (Math.abs(top) / 10 || 1)];
  return uPlot.rangeNum(bottom, top, 0.08, true);
}

function range(chart, logarithmic) {
  if (!logarithmic) return (_, low, high) => heights(chart, low, high);
  return (_, low, high) => {
    if (!(low > 0 && high > 0)) return [0.1, 1];
    const near = levelsOf(chart).filter((level) => level > low / FURTHEST_FACTOR && level < high * FURTHEST_FACTOR);
    return uPlot.rangeLog(Math.min(low, ...near), Math.max(high, ...near), 10, false);
  };
}

function axis(extra) {
  return {
    stroke: () => colour("soft"),
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("grid"), width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    gap: 4,
    ...extra,
  };
}

export function plotted(chart, label, data, box, size, { logarithmic, smoothing, onCursor }) {
  const full = [data[0][0], data[0].at(-1)];
  const within = (low, high) => (high > low ? [low, high] : [low - 1, high + 1]);
  const options = {
    ...size,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    series: series(chart, smoothing),
    bands: bands(chart, smoothing),
    scales: {
      x: { time: false, range: () => within(...(zoomOf(label) ?? full)) },
      y: { distr: logarithmic ? 3 : 1, range: range(chart, logarithmic) },
    },
    axes: [
      axis({ values: (_, splits) => ticks(splits), size: 26, space: 64 }),
      axis({
        values: (_, splits) => (logarithmic ? lonelyTicks(splits) : ticks(splits)),
        size: (_, labels) => Math.max(38, 14 + 6.4 * Math.max(0, ...(labels ?? []).map((text) => text?.length ?? 0))),
        space: 34,
      }),
    ],
    cursor: {
      y: false,
      points: { size: 7, width: 2 },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => zoomTo(label, null) },
      sync: {
        key: label,
        scales: ["x", null],
        setSeries: false,
        filters: { pub: (kind) => kind.startsWith("mousemove") || kind.startsWith("mouseleave") },
      },
    },
    hooks: {
      drawClear: [(plot) => drawBehind(plot, chart)],
      draw: [(plot) => drawInFront(plot, chart)],
      setCursor: [onCursor],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          zoomTo(label, [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
        },
      ],
    },
  };
  return new uPlot(options, data, box);
}
