// Groups of numbers side by side on one scale: whiskers, quartiles, the middle, and the mean with its interval.
import { element } from "./dom.js";
import { number } from "./words.js";

function nice(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const marks = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step)
    marks.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return marks;
}

function track(row, at) {
  const span = (name, from, to) =>
    element("i", { class: name, style: { left: `${at(from)}%`, width: `${Math.max(at(to) - at(from), 0)}%` } });
  const point = (name, where) => element("i", { class: name, style: { left: `${at(where)}%` } });
  return element(
    "div",
    { class: "track", "aria-hidden": "true" },
    span("whisker", row.low, row.high),
    span("quartiles", row.quarter, row.three_quarters),
    point("median", row.middle),
    span("interval", row.mean_low, row.mean_high),
    point("mean", row.mean),
  );
}

function line(row, at) {
  const mean = `${number(row.mean)} (${number(row.mean_low)} to ${number(row.mean_high)})`;
  return element(
    "div",
    { class: "row" },
    element("div", { class: "label" }, element("bdi", {}, row.label), row.note ? element("small", {}, row.note) : ""),
    track(row, at),
    element(
      "div",
      {
        class: "figures",
        title: `lowest ${number(row.low)}, middle ${number(row.middle)}, highest ${number(row.high)}`,
      },
      mean,
    ),
  );
}

export function boxes(block) {
  const numbers = block.rows.flatMap((row) => [row.low, row.high, row.mean_low, row.mean_high]).filter(Number.isFinite);
  if (!numbers.length) return element("p", { class: "note" }, "Nothing was measured.");
  let [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (!(high > low)) [low, high] = [low - 0.5, high + 0.5];
  const at = (value) => 2 + (96 * (value - low)) / (high - low);
  const ruler = nice(low, high).map((mark) => element("span", { style: { left: `${at(mark)}%` } }, number(mark)));
  return element(
    "div",
    { class: "boxes" },
    block.rows.map((row) => line(row, at)),
    element(
      "div",
      { class: "row last" },
      element("div"),
      element("div", { class: "ruler" }, ruler),
      element("div", { class: "figures hint" }, "mean (95 % interval)"),
    ),
  );
}
