// A curve as a small picture of itself, with its last value; a click draws it in full.
import { lineValues } from "./decode.js";
import { drawing, element } from "./dom.js";
import { once } from "./kept.js";
import { curvePath } from "./strips.js";
import { number } from "./words.js";

function picture(values) {
  const known = values.filter((value) => value !== null);
  const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [
    Infinity,
    -Infinity,
  ]);
  const x = (place) => (100 * place) / Math.max(values.length - 1, 1);
  const y = (value) => (high > low ? 94 - (88 * (value - low)) / (high - low) : 50);
  const reach = high > low ? `${number(low)} to ${number(high)}` : known.length ? `always ${number(low)}` : "no number";
  const curve = drawing("path", { class: "curve", d: curvePath(values, x, y) });
  return [reach, drawing("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, curve)];
}

export function small(key, chart, onOpen) {
  return once(key, chart, () => {
    const values = chart.lines.length ? lineValues(chart.lines[0].values) : [];
    const [reach, drawn] = picture(values);
    const name = chart.lines[0]?.name ?? chart.title;
    return element(
      "button",
      {
        type: "button",
        class: "small",
        "data-key": `small/${chart.id}`,
        "data-small": chart.id,
        "aria-expanded": "false",
        title: [chart.title, chart.unit, chart.note, reach].filter(Boolean).join(" · "),
        onclick: () => onOpen(chart.id),
      },
      element("bdi", { class: "name" }, name),
      drawn,
      element("span", { class: "last" }, number(values.findLast((value) => value !== null))),
      element("span", { class: "unseen" }, `, ${reach}: draw it in full`),
    );
  });
}
