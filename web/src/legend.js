// Under a chart: each line with its value where the cursor is, and what the marks in the picture mean.
import { element, settle } from "./dom.js";
import { COLOURS, places } from "./plot.js";
import { shape } from "./shapes.js";
import { number } from "./words.js";

const isThere = (value) => value !== null && value !== undefined;

// Lines over different axes have no value at most steps of the others: there the nearest one is told.
function nearest(values, place) {
  for (let step = 0; step < values.length; step += 1) {
    for (const near of [place - step, place + step]) if (isThere(values[near])) return values[near];
  }
  return null;
}

function valueAt(values, place) {
  if (place === null) return values.findLast(isThere);
  return values[place] === undefined ? nearest(values, place) : values[place];
}

export class Legend {
  where = element("span", { class: "where" });
  lines = element("ul", { class: "lines" });
  known = element("ul", { class: "known" });
  values = [];

  constructor(onCode) {
    this.onCode = onCode;
    this.node = element(
      "div",
      { class: "legend" },
      element("div", { class: "values" }, this.where, this.lines),
      this.known,
    );
  }

  describe(chart) {
    this.values = chart.lines.map(() => element("b", { class: "value" }));
    settle(
      this.lines,
      chart.lines.map((line, place) => this.line(line, place)),
    );
    const limits = (chart.limits ?? []).map((limit) => this.sign("dots", limit.label));
    const band = chart.band ? [this.sign("patch", chart.band.label || "healthy")] : [];
    settle(this.known, [...(chart.marks ?? []).map((mark) => this.mark(mark)), ...limits, ...band]);
  }

  line(line, place) {
    const swatch = element("i", {
      class: line.dashed ? "swatch dashed" : "swatch",
      style: { "--swatch": `var(--line-${place % COLOURS})` },
    });
    return element("li", {}, swatch, element("bdi", { class: "name" }, line.name), this.values[place]);
  }

  sign(look, text) {
    return element("li", {}, element("i", { class: look }), element("bdi", {}, text));
  }

  mark(mark) {
    const text = mark.label || mark.code;
    if (!mark.code) return this.sign("tick", text);
    const open = () => this.onCode(mark.code);
    return element(
      "li",
      {},
      element("button", { type: "button", class: "quiet", onclick: open }, shape("broken"), element("bdi", {}, text)),
    );
  }

  tell(chart, axis, data, place) {
    this.where.textContent = place === null ? "last" : `${axis} ${number(data[0][place])}`;
    places(chart).forEach((column, line) => {
      this.values[line].textContent = number(valueAt(data[column], place));
    });
  }
}
