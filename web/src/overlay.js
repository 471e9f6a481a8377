// What is known of a curve, drawn around it: the healthy band and the doubt about an onset behind, limits and onsets
// in front.
import uPlot from "uplot";
import { colour } from "./theme.js";

const LONGEST_LABEL = 26;
const ROWS = 4;
const HEIGHT = 14; // of a label, in pixels

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

const overlaps = (one, other) =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height;

// Writes a label at the first of some places where it lies inside and on no other; the legend has those without room.
function label(plot, context, box, text, corners) {
  const [width, height] = [context.measureText(text).width, HEIGHT * uPlot.pxRatio];
  const inside = ({ left, top }) =>
    left >= box.left && left + width <= box.left + box.width && top >= box.top && top + height <= box.top + box.height;
  const spots = corners(width, height).map(([left, top]) => ({ left, top, width, height, text }));
  const spot = spots.find((one) => inside(one) && !plot.labels.some((other) => overlaps(one, other)));
  if (!spot) return;
  plot.labels.push(spot);
  context.save();
  context.textAlign = "left";
  context.textBaseline = "top";
  context.setLineDash([]);
  context.lineJoin = "round";
  context.lineWidth = 4 * uPlot.pxRatio;
  context.strokeStyle = colour("surface");
  const middle = spot.top + 1.5 * uPlot.pxRatio;
  context.strokeText(text, spot.left, middle);
  context.restore();
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillText(text, spot.left, middle);
}

function stroked(context, [fromX, fromY], [toX, toY]) {
  context.lineWidth = 1.5 * uPlot.pxRatio;
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

function drawLimits(plot, chart, context, box) {
  context.strokeStyle = context.fillStyle = colour("broken");
  const [right, gap] = [box.left + box.width, 3 * uPlot.pxRatio];
  for (const limit of chart.limits ?? []) {
    const y = Math.round(plot.valToPos(limit.at, "y", true));
    if (!(y >= box.top && y <= box.top + box.height)) continue;
    context.setLineDash([2 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    stroked(context, [box.left, y], [right, y]);
    label(plot, context, box, shortened(limit.label), (width, height) =>
      [right - width - gap, box.left + (box.width - width) / 2, box.left + gap].flatMap((x) => [
        [x, y - height - gap],
        [x, y + gap],
      ]),
    );
  }
}

function drawMarks(plot, chart, context, box) {
  const gap = 5 * uPlot.pxRatio;
  for (const mark of [...(chart.marks ?? [])].sort((one, other) => one.at - other.at)) {
    const x = Math.round(plot.valToPos(mark.at, "x", true));
    if (!(x >= box.left - 1 && x <= box.left + box.width + 1)) continue;
    context.strokeStyle = context.fillStyle = mark.code ? colour("broken") : colour("soft");
    context.setLineDash(mark.code ? [] : [3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    stroked(context, [x, box.top], [x, box.top + box.height]);
    label(plot, context, box, shortened(mark.label || mark.code), (width, height) =>
      [...Array(ROWS).keys()].flatMap((row) => [
        [x + gap, box.top + uPlot.pxRatio + height * row],
        [x - width - gap, box.top + uPlot.pxRatio + height * row],
      ]),
    );
  }
}

export function drawInFront(plot, chart) {
  plot.labels = [];
  clipped(plot, (context, box) => {
    context.font = font(10.5);
    drawMarks(plot, chart, context, box);
    drawLimits(plot, chart, context, box);
  });
}
