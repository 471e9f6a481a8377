// How often each value was seen, as bars over the values.
import { drawing, element } from "./dom.js";
import { number, several } from "./words.js";

const THINNEST = 0.6;

function reach(bins) {
  const low = Math.min(...bins.map((bin) => bin.low));
  const high = Math.max(...bins.map((bin) => bin.high));
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function said(bin, total) {
  const where = bin.low === bin.high ? `exactly ${number(bin.low)}` : `${number(bin.low)} to ${number(bin.high)}`;
  return `${where}: ${several(bin.count, "time")}, ${number((100 * bin.count) / total)} %`;
}

function bar(bin, [low, high], most, total, tell) {
  const scale = 100 / (high - low);
  const width = Math.max((bin.high - bin.low) * scale, THINNEST);
  const left = Math.min((bin.low - low) * scale, 100 - width);
  const height = (96 * bin.count) / most;
  const node = drawing("g", { class: bin.low === bin.high ? "bin exact" : "bin" });
  node.append(
    drawing("rect", { class: "reach", x: left, width, y: 0, height: 100 }),
    drawing("rect", { class: "count", x: left, width, y: 100 - height, height }),
  );
  node.addEventListener("pointerenter", () => tell(said(bin, total)));
  return node;
}

export function histogram(block) {
  const bins = block.bins.filter((bin) => Number.isFinite(bin.low) && Number.isFinite(bin.high));
  if (!bins.length) return element("p", { class: "note" }, "Nothing was counted.");
  const [low, high] = reach(bins);
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const total = bins.reduce((sum, bin) => sum + bin.count, 0) || 1;
  const largest = bins.reduce((one, other) => (other.count > one.count ? other : one));
  const readout = element("output", { class: "readout" }, said(largest, total));
  const tell = (text) => {
    readout.textContent = text;
  };
  const picture = drawing(
    "svg",
    {
      viewBox: "0 0 100 100",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `Histogram, most often ${said(largest, total)}`,
    },
    bins.map((bin) => bar(bin, [low, high], most, total, tell)),
  );
  picture.addEventListener("pointerleave", () => tell(said(largest, total)));
  const edges = low < 0 && high > 0 ? [low, 0, high] : [low, (low + high) / 2, high];
  const marks = edges.map((edge) =>
    element("span", { style: { left: `${(100 * (edge - low)) / (high - low)}%` } }, number(edge)),
  );
  return element("div", { class: "histogram" }, picture, element("div", { class: "ruler" }, marks), readout);
}
