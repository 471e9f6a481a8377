// What is known of a curve, drawn around it: the healthy band and the doubt about an onset behind, limits and onsets
// in front.
import uPlot from "uplot";
import { colour } from "./theme.js";

const LONGEST_LABEL = 26;
const ROWS = 4;

const font = (size) => `${size * uPlot.pxRatio}px system-ui, sans-serif`;
const shortened = (text) => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text);

function clipped(plot, draw) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, bbox);
  ctx.restore();
}

export function drawBehind(plot, chart) {
  clipped(plot, (context, box) => {
    if (chart.band) {
      const { low = null, high = null } = chart.band;
      const top = high === null ? box.top : plot.valToPos(high, "y", true);
      const bottom = low === null ? box.top + box.height : plot.valToPos(low, "y", true);
      context.fillStyle = colour("healthy-band");
      if (Number.isFinite(top) && Number.isFinite(bottom)) context.fillRect(box.left, top, box.width, bottom - top);
    }
    for (const mark of chart.marks ?? []) {
      if (!(mark.within > 0)) continue;
      const from = plot.valToPos(mark.at - mark.within, "x", true);
      const to = plot.valToPos(mark.at + mark.within, "x", true);
      context.fillStyle = colour("onset-band");
      context.fillRect(from, box.top, Math.max(to - from, 1), box.height);
    }
  });
}

function drawLimits(plot, chart, context, box) {
  context.strokeStyle = context.fillStyle = colour("broken");
  context.font = font(10.5);
  context.textAlign = "right";
  for (const limit of chart.limits ?? []) {
    const y = Math.round(plot.valToPos(limit.at, "y", true));
    if (!(y >= box.top && y <= box.top + box.height)) continue;
    context.setLineDash([2 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    context.lineWidth = 1.5 * uPlot.pxRatio;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    const above = y - box.top > 18 * uPlot.pxRatio;
    context.textBaseline = above ? "bottom" : "top";
    labelled(
      context,
      shortened(limit.label),
      box.left + box.width - 4 * uPlot.pxRatio,
      y + (above ? -3 : 3) * uPlot.pxRatio,
    );
  }
}

function labelled(context, text, x, y) {
  context.save();
  context.setLineDash([]);
  context.lineJoin = "round";
  context.lineWidth = 4 * uPlot.pxRatio;
  context.strokeStyle = colour("surface");
  context.strokeText(text, x, y);
  context.restore();
  context.fillText(text, x, y);
}

function drawMarks(plot, chart, context, box) {
  context.font = font(10.5);
  context.textBaseline = "top";
  const ends = [];
  for (const mark of [...(chart.marks ?? [])].sort((one, other) => one.at - other.at)) {
    const x = Math.round(plot.valToPos(mark.at, "x", true));
    if (!(x >= box.left - 1 && x <= box.left + box.width + 1)) continue;
    context.strokeStyle = context.fillStyle = mark.code ? colour("broken") : colour("soft");
    context.setLineDash(mark.code ? [] : [3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    context.lineWidth = 1.5 * uPlot.pxRatio;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height);
    context.stroke();
    const text = shortened(mark.label || mark.code);
    const width = context.measureText(text).width;
    const toTheLeft = x + width + 6 * uPlot.pxRatio > box.left + box.width;
    const start = toTheLeft ? x - width - 5 * uPlot.pxRatio : x + 5 * uPlot.pxRatio;
    const row = [...Array(ROWS).keys()].find((place) => !(ends[place] > start)) ?? ROWS - 1;
    ends[row] = start + width + 8 * uPlot.pxRatio;
    context.textAlign = "left";
    labelled(context, text, start, box.top + (3 + 14 * row) * uPlot.pxRatio);
  }
}

export function drawInFront(plot, chart) {
  clipped(plot, (context, box) => {
    drawLimits(plot, chart, context, box);
    drawMarks(plot, chart, context, box);
  });
}
