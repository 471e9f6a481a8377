// The runs of a fleet: worst first, those with the same diagnosis together, filtered by code, setting and words.
import { drawing, element, settle } from "./dom.js";
import { shape } from "./shapes.js";
import { curvePath } from "./strips.js";
import { number, STATES, several } from "./words.js";

const SHOWN_AT_FIRST = 40;
const MOST_VALUES = 200;

function sparkline(curve) {
  const known = curve.filter((value) => Number.isFinite(value));
  if (known.length < 2) return "";
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (place) => (100 * place) / (curve.length - 1);
  const y = (value) => (high > low ? 94 - (88 * (value - low)) / (high - low) : 50);
  const label = `return from ${number(known[0])} to ${number(known.at(-1))}`;
  return drawing(
    "svg",
    { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": label },
    drawing("path", { class: "curve", d: curvePath(curve, x, y) }),
  );
}

function line(row, settings, onPage) {
  const name = element("bdi", {}, row.title);
  const set = settings.map((one, place) => (row.values?.[place] ? `${one} ${row.values[place]}` : "")).filter(Boolean);
  return element(
    "li",
    { class: "of-run" },
    row.page
      ? element("button", { type: "button", class: "link", "data-page": row.page, onclick: () => onPage(row.page) }, name)
      : element("span", {}, name),
    element("span", { class: "spark" }, sparkline(row.curve ?? [])),
    element("span", { class: "final" }, row.final ?? ""),
    element("span", { class: "since" }, row.since ?? ""),
    element("bdi", { class: "set" }, set.join(" · ")),
  );
}

function listed(rows, settings, onPage) {
  const list = element("ol", { class: "of-runs" }, rows.slice(0, SHOWN_AT_FIRST).map((row) => line(row, settings, onPage)));
  const rest = rows.slice(SHOWN_AT_FIRST);
  if (!rest.length) return [list];
  const more = element("button", { type: "button", class: "quiet more" }, `Show ${rest.length} more`);
  more.addEventListener("click", () => {
    list.append(...rest.map((row) => line(row, settings, onPage)));
    more.remove();
  });
  return [list, more];
}

function group(data, rows, settings, onPage) {
  const codes = (data.codes ?? []).slice(1);
  const body = element("div", { class: "rows" });
  const details = element(
    "details",
    { class: `group ${data.state}`, open: data.state === "broken" },
    element(
      "summary",
      {},
      shape(data.state),
      element("span", { class: "unseen" }, `${STATES[data.state] ?? data.state}: `),
      element("b", {}, data.title),
      element("span", { class: "count" }, several(rows.length, "run")),
      codes.length ? element("span", { class: "codes" }, `with ${codes.join(", ")}`) : "",
    ),
    body,
  );
  const fill = () => {
    if (details.open && !body.childNodes.length) body.append(...listed(rows, settings, onPage));
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

function choice(label, every, values) {
  const list = element("select", { "aria-label": label }, element("option", { value: "" }, every));
  list.append(...values.map((value) => element("option", { value }, value)));
  return list;
}

function valuesOf(block, place) {
  const found = new Set(block.groups.flatMap((one) => one.rows.map((row) => row.values?.[place] ?? "")));
  const sorted = [...found].filter(Boolean).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  return sorted.slice(0, MOST_VALUES);
}

function filters(block) {
  const settings = block.settings ?? [];
  const codes = [...new Set(block.groups.flatMap((one) => one.codes ?? []))].sort();
  const words = element("input", { type: "search", placeholder: "Find a run", "aria-label": "Find a run by its words" });
  const code = choice("Only runs with this finding", "every finding", codes);
  const setting = choice("Only runs with this setting", "every setting", settings);
  const value = choice("Its value", "any value", []);
  value.hidden = true;
  setting.addEventListener("change", () => {
    const place = settings.indexOf(setting.value);
    value.hidden = place < 0;
    const values = place < 0 ? [] : valuesOf(block, place);
    settle(value, [value.options[0], ...values.map((one) => element("option", { value: one }, one))]);
    value.value = "";
  });
  const wanted = () => {
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const place = settings.indexOf(setting.value);
    return (one, row) => {
      if (code.value && !(one.codes ?? []).includes(code.value)) return false;
      if (place >= 0 && !(value.value ? row.values?.[place] === value.value : row.values?.[place])) return false;
      const text = [row.title, one.title, ...(one.codes ?? []), ...(row.values ?? [])].join(" ").toLowerCase();
      return parts.every((part) => text.includes(part));
    };
  };
  return { fields: [words, code, setting, value], wanted };
}

export function triage(block, _onCode, onPage) {
  const { fields, wanted } = filters(block);
  const told = element("span", { class: "told", role: "status" });
  const groups = element("div", { class: "groups" });
  const draw = () => {
    const fits = wanted();
    const left = block.groups
      .map((one) => [one, one.rows.filter((row) => fits(one, row))])
      .filter(([, rows]) => rows.length);
    const count = left.reduce((sum, [, rows]) => sum + rows.length, 0);
    told.textContent = `${several(count, "run")} in ${several(left.length, "group")}`;
    settle(
      groups,
      left.map(([one, rows]) => group(one, rows, block.settings ?? [], onPage)),
    );
  };
  for (const field of fields) field.addEventListener("input", draw);
  draw();
  return element("div", { class: "triage" }, element("div", { class: "filters" }, fields, told), groups);
}
