// Blocks under one heading.
import { boxes } from "./boxes.js";
import { chartAt } from "./charts.js";
import { checklist } from "./checklist.js";
import { element, settle } from "./dom.js";
import { histogram } from "./histogram.js";
import { keepOpen, once } from "./kept.js";
import { prose } from "./prose.js";
import { sides } from "./sides.js";
import { strips } from "./strips.js";
import { table } from "./table.js";
import { triage } from "./triage.js";
import { capital } from "./words.js";

const MANY_CHARTS = 24;
const DRAWERS = { histogram, boxes, strips, table, sides, prose, checklist, triage };

function block(key, data, onCode, onPage) {
  return once(key, data, () =>
    element(
      "figure",
      { class: `block of-${data.kind}` },
      data.title ? element("figcaption", {}, element("h4", {}, element("bdi", {}, data.title))) : "",
      data.note ? element("p", { class: "note" }, data.note) : "",
      DRAWERS[data.kind](data, onCode, onPage),
    ),
  );
}

// Charts that follow each other stand together; where there are many, those of each link by themselves.
function runs(blocks) {
  const many = blocks.filter((data) => data.kind === "chart").length > MANY_CHARTS;
  const found = [];
  for (const data of blocks) {
    const link = data.kind === "chart" ? (many && data.link) || "" : null;
    if (link !== null && found.at(-1)?.link === link) found.at(-1).blocks.push(data);
    else found.push({ link, blocks: [data] });
  }
  return found;
}

function grid(key, { link, blocks }, axes, onCode) {
  const node = once(key, link, () => element("div", { class: "charts" }));
  settle(
    node,
    blocks.map((data) => chartAt(`${key}/${data.id}`, data, axes, onCode)),
  );
  return link ? [once(`${key}/link`, link, () => element("h3", { class: "of-link" }, capital(link))), node] : [node];
}

function rows(key, blocks, axes, onCode, onPage) {
  return runs(blocks).flatMap((run, place) => {
    if (run.link !== null) return grid(`${key}/${place}`, run, axes, onCode);
    const known = run.blocks.filter((data) => data.kind in DRAWERS);
    return known.map((data) => block(`${key}/${place}`, data, onCode, onPage));
  });
}

function make(key, data) {
  const body = element("div", { class: "body" });
  const heading = element("h2", {}, data.title);
  const note = data.note ? element("p", { class: "note" }, data.note) : "";
  const node = data.folded
    ? keepOpen(
        element("details", { class: "section" }, element("summary", { "data-key": key }, heading), note, body),
        key,
        false,
      )
    : element("section", { class: "section" }, heading, note, body);
  return Object.assign(node, { body });
}

export function section(key, data, blocks, axes, { onCode, onPage, opened }) {
  const { title, note, folded } = data;
  const node = once(key, { title, note, folded }, () => make(key, data));
  if (opened && folded) node.open = true;
  settle(node.body, rows(key, blocks, axes, onCode, onPage));
  return node;
}
