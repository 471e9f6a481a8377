// Rows of words and numbers; a state is said by shape and word too. What is too wide for a phone stands there row by
// row, each cell beside the name of its column.
import { element } from "./dom.js";
import { shape } from "./shapes.js";
import { STATES, sentence } from "./words.js";

const SHOWN_AT_FIRST = 100;
const CHARACTERS_ON_A_PHONE = 34;
const LONGEST_COUNTED = 40;

function isWide(block) {
  const widths = block.columns.map((column, place) =>
    Math.max(column.length, ...block.rows.map((row) => Math.min(row.cells[place]?.length ?? 0, LONGEST_COUNTED))),
  );
  return widths.reduce((sum, width) => sum + width, 0) > CHARACTERS_ON_A_PHONE;
}

function stated(row) {
  if (!row.state) return [];
  return [shape(row.state), element("span", { class: "unseen" }, `${STATES[row.state] ?? row.state}: `)];
}

function named(text, row, onCode) {
  const name = element("bdi", {}, sentence(text));
  return row.code ? element("button", { type: "button", class: "link", onclick: () => onCode(row.code) }, name) : name;
}

export function table(block, onCode) {
  const numeric = new Set(block.numeric ?? []);
  const look = (place) => (numeric.has(place) ? "numeric" : null);
  const head = block.columns.map((column, place) =>
    element("th", { scope: "col", role: "columnheader", class: look(place) }, column),
  );
  const cell = (text, place, share) =>
    element(
      "td",
      {
        role: "cell",
        class: [look(place), share ? "shaded" : ""].filter(Boolean).join(" ") || null,
        style: share ? { "--share": share } : null,
        "data-column": block.columns[place],
      },
      element("bdi", {}, sentence(text)),
    );
  const line = (row) => {
    const [first, ...others] = row.cells;
    const heading = { scope: "row", role: "rowheader", class: look(0) };
    return element(
      "tr",
      { role: "row", class: row.state || null },
      element("th", heading, stated(row), named(first ?? "", row, onCode)),
      others.map((text, place) => cell(text, place + 1, row.shares?.[place + row.shares.length - others.length])),
    );
  };
  const body = element("tbody", { role: "rowgroup" }, block.rows.slice(0, SHOWN_AT_FIRST).map(line));
  return sheet(block, head, body, block.rows.slice(SHOWN_AT_FIRST), line);
}

function sheet(block, head, body, rest, line) {
  const more = element("button", { type: "button", class: "quiet more" }, `Show ${rest.length} more`);
  more.addEventListener("click", () => {
    body.append(...rest.map(line));
    more.remove();
  });
  const top = element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head));
  const whole = element("table", { role: "table", class: isWide(block) ? "wide" : null }, top, body);
  const frame = { class: "sideways", tabindex: "0", role: "region", "aria-label": block.title || "Table" };
  return element("div", { class: "sheet" }, element("div", frame, whole), rest.length ? more : "");
}
