// One chart with its title, its buttons and its legend; its curves are drawn while it is near the screen.
import { element, settle } from "./dom.js";
import { byFinger, byKey } from "./gestures.js";
import { chosen, kept } from "./kept.js";
import { Legend } from "./legend.js";
import { columns, plotted, undrawn } from "./plot.js";
import { number, several } from "./words.js";
import { join, zoomOf, zoomTo } from "./zoom.js";

const button = (label, text, more = {}) =>
  element("button", { type: "button", class: "quiet", "aria-label": label, ...more }, text);

// The name of a metric, and the log's own name for it more softly.
function titled(title) {
  const [, name, own] = /^(.+?) (\(.+\))$/s.exec(title) ?? [null, title, ""];
  return [element("span", {}, name), own && element("span", { class: "own" }, ` ${own}`)];
}

function spoken(chart) {
  const marks = (chart.marks ?? []).map((mark) => `${mark.label || mark.code} at ${number(mark.at)}`);
  const limits = (chart.limits ?? []).map((limit) => limit.label);
  return [`${chart.title}, ${several(chart.lines.length, "curve")}`, ...marks, ...limits].join("; ");
}

export class ChartView {
  name = element("bdi");
  unit = element("small");
  note = element("p", { class: "note" });
  scale = button("Logarithmic scale", "log");
  whole = button("Show the whole axis again", "whole axis", { hidden: true });
  box = element("div", { class: "plot", tabindex: "0", role: "group", "aria-roledescription": "chart" });
  axis = "";
  near = false;
  plot = null;
  size = null; // as last observed: asking the element itself would lay the whole page out again
  leave = () => {};

  constructor({ onCode, onSmall }) {
    this.legend = new Legend(onCode, () => this.draw());
    const heading = element("h4", {}, this.name, " ", this.unit);
    const close = onSmall ? button("Draw it small again", "small", { onclick: () => onSmall(this.chart.id) }) : "";
    const actions = element("div", { class: "actions" }, this.whole, this.scale, close);
    const caption = element("figcaption", {}, heading, actions);
    this.node = element("figure", { class: "chart" }, caption, this.note, this.box, this.legend.node);
    this.scale.addEventListener("click", () => this.toggleScale());
    this.whole.addEventListener("click", () => {
      zoomTo(this.axis, null);
      this.box.focus({ preventScroll: true });
    });
    this.box.addEventListener("keydown", (event) => this.plot && byKey(this.plot, this.axis, event));
  }

  get logarithmic() {
    return kept.logarithmic.get(this.chart.id) ?? this.chart.logarithmic ?? false;
  }

  get range() {
    return this.plot && [this.plot.scales.x.min, this.plot.scales.x.max];
  }

  toggleScale() {
    const next = !this.logarithmic;
    if (next === (this.chart.logarithmic ?? false)) kept.logarithmic.delete(this.chart.id);
    else kept.logarithmic.set(this.chart.id, next);
    chosen();
    this.scale.setAttribute("aria-pressed", String(next));
    this.draw();
  }

  // Takes new data; JSON tells whether it is new.
  update(chart, axes) {
    const signature = JSON.stringify([chart, chart.lines.map((line) => axes[line.axis])]);
    if (signature === this.signature) return;
    Object.assign(this, { signature, chart, axes, axis: chart.lines.length ? axes[chart.lines[0].axis].label : "" });
    settle(this.name, titled(chart.title));
    this.unit.textContent = chart.unit ?? "";
    this.note.textContent = chart.note ?? "";
    this.note.hidden = !chart.note;
    this.node.dataset.chart = chart.id;
    this.box.setAttribute("aria-label", spoken(chart));
    this.scale.setAttribute("aria-pressed", String(this.logarithmic));
    this.legend.describe(chart);
    if (this.near) this.draw();
  }

  draw() {
    const cursor = this.plot?.cursor.left ?? -1;
    this.erase();
    this.size ??= { width: this.box.clientWidth, height: this.box.clientHeight };
    if (!this.size.width) return;
    const look = { logarithmic: this.logarithmic, smoothing: kept.smoothing };
    this.data = this.chart.lines.length ? columns(this.chart, this.axes, look) : [[]];
    this.scale.setAttribute("aria-pressed", String(this.logarithmic));
    this.legend.mark(this.chart, this.logarithmic ? undrawn(this.chart) : 0);
    this.whole.hidden = !zoomOf(this.axis);
    this.box.textContent = this.data[0].length ? "" : "Nothing was logged.";
    if (!this.data[0].length) return;
    const options = { ...look, onCursor: (plot) => this.tell(plot) };
    this.plot = plotted(this.chart, this.axis, this.data, this.box, this.size, options);
    this.leave = join(this);
    byFinger(this.plot, this.axis);
    if (cursor >= 0) this.plot.setCursor({ left: cursor, top: 0 });
    this.tell(this.plot);
  }

  erase() {
    this.leave();
    this.plot?.destroy();
    this.plot = null;
  }

  tell(plot) {
    this.legend.tell(this.chart, this.axis, this.data, plot.cursor.left >= 0 ? (plot.cursor.idx ?? null) : null);
  }

  wake() {
    this.near = true;
    if (!this.plot) this.draw();
  }

  sleep() {
    this.near = false;
    this.erase();
  }

  zoom() {
    this.whole.hidden = !zoomOf(this.axis);
    const [min, max] = zoomOf(this.axis) ?? [this.data[0][0], this.data[0].at(-1)];
    this.plot.setScale("x", { min, max });
  }

  resize(width, height) {
    if (!width || (width === this.size?.width && height === this.size?.height)) return;
    this.size = { width, height };
    if (this.plot) this.plot.setSize(this.size);
    else if (this.near) this.draw();
  }

  measure() {
    this.size = null;
    this.near = true;
    this.draw();
  }

  redraw() {
    this.plot?.redraw(false);
  }
}
