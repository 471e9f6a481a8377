// Under a chart: each line with its value where the cursor is, and what the marks in the picture mean.
import { element, settle } from "./dom.js";
import { chosen, kept } from "./kept.js";
import { COLOURS, keyOf, places } from "./plot.js";
import { shape } from "./shapes.js";
import { number, several } from "./words.js";

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

  constructor(onCode, onHide) {
    this.onCode = onCode;
    this.onHide = onHide;
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
      chart.lines.map((line, place) => this.line(chart, line, place)),
    );
    this.mark(chart, 0);
  }

  // What the signs in the picture mean, how many values it cannot show, and which curves are hidden.
  mark(chart, undrawn) {
    const limits = (chart.limits ?? []).map((limit) => this.sign("dots", limit.label));
    const band = chart.band ? [this.sign("patch", chart.band.label || "healthy")] : [];
    const left = undrawn ? [element("li", {}, `${several(undrawn, "value")} of 0 or less not drawn`)] : [];
    settle(this.known, [...(chart.marks ?? []).map((mark) => this.onset(mark)), ...limits, ...band, ...left]);
    for (const [place, button] of [...this.lines.querySelectorAll("button")].entries())
      button.setAttribute("aria-pressed", String(!kept.hidden.has(keyOf(chart, place))));
  }

  // One of several curves is hidden and shown by a click.
  line(chart, line, place) {
    const swatch = element("i", {
      class: line.dashed ? "swatch dashed" : "swatch",
      style: { "--swatch": `var(--line-${place % COLOURS})` },
    });
    const named = [swatch, element("bdi", { class: "name" }, line.name), this.values[place]];
    if (chart.lines.length < 2) return element("li", {}, named);
    const turn = () => {
      const key = keyOf(chart, place);
      if (!kept.hidden.delete(key)) kept.hidden.add(key);
      chosen();
      this.onHide();
    };
    const label = `Show the curve ${line.name}`;
    return element("li", {}, element("button", { type: "button", class: "curve", "aria-label": label, onclick: turn }, named));
  }

  sign(look, text) {
    return element("li", {}, element("i", { class: look }), element("bdi", {}, text));
  }

  onset(mark) {
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
    const columns = [...places(chart, kept.smoothing), data.length];
    this.values.forEach((cell, line) => {
      const smooth = kept.smoothing ? ` (smoothed ${number(valueAt(data[columns[line + 1] - 1], place))})` : "";
      cell.textContent = `${number(valueAt(data[columns[line]], place))}${smooth}`;
    });
  }
}
