// Blocks under one heading.
import { boxes } from "./boxes.js";
import { chartAt } from "./charts.js";
import { checklist } from "./checklist.js";
import { element, settle } from "./dom.js";
import { histogram } from "./histogram.js";
import { chosen, keepOpen, kept, once } from "./kept.js";
import { prose } from "./prose.js";
import { sides } from "./sides.js";
import { small } from "./small.js";
import { strips } from "./strips.js";
import { table } from "./table.js";
import { triage } from "./triage.js";
import { capital } from "./words.js";

const MANY_CHARTS = 24; // in full
const SMALL = "/";
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

// Charts that follow each other stand together; where there are many, those of each link by themselves. Small ones
// come last, unless something is looked for.
function runs(blocks, opened) {
  const isSmall = (data) => data.kind === "chart" && data.minor && !opened;
  const many = blocks.filter((data) => data.kind === "chart" && !isSmall(data)).length > MANY_CHARTS;
  const found = [];
  for (const data of blocks.filter((one) => !isSmall(one))) {
    const link = data.kind === "chart" ? (many && data.link) || "" : null;
    if (link !== null && found.at(-1)?.link === link) found.at(-1).blocks.push(data);
    else found.push({ link, blocks: [data] });
  }
  const minor = blocks.filter(isSmall);
  return minor.length ? [...found, { link: SMALL, blocks: minor }] : found;
}

function grid(key, { link, blocks }, axes, { onCode }) {
  const node = once(key, link, () => element("div", { class: "charts" }));
  settle(
    node,
    blocks.map((data) => chartAt(`${key}/${data.id}`, data, axes, { onCode })),
  );
  return link ? [once(`${key}/link`, link, () => element("h3", { class: "of-link" }, capital(link))), node] : [node];
}

// Each small chart draws itself in full where it stands, and back.
function smallOnes(key, blocks, axes, { onCode, redraw }) {
  const node = once(`${key}/small`, null, () => element("div", { class: "smalls" }));
  const turn = (id) => {
    if (!kept.full.delete(id)) kept.full.add(id);
    chosen();
    redraw();
    const [now] = [...node.children].filter((one) => one.dataset.chart === id || one.dataset.small === id);
    (now.querySelector(".plot") ?? now).focus({ preventScroll: true });
  };
  settle(
    node,
    blocks.map((data) =>
      kept.full.has(data.id)
        ? chartAt(`${key}/small/${data.id}`, data, axes, { onCode, onSmall: turn })
        : small(`${key}/small/${data.id}/as-picture`, data, turn),
    ),
  );
  return [node];
}

function rows(key, blocks, axes, actions) {
  return runs(blocks, actions.opened).flatMap((run, place) => {
    if (run.link === SMALL) return smallOnes(key, run.blocks, axes, actions);
    if (run.link !== null) return grid(`${key}/${place}`, run, axes, actions);
    const known = run.blocks.filter((data) => data.kind in DRAWERS);
    return known.map((data) => block(`${key}/${place}`, data, actions.onCode, actions.onPage));
  });
}

function make(key, data) {
  const body = element("div", { class: "body" });
  const heading = element("h2", {}, data.title);
  const note = data.note ? element("p", { class: "note" }, data.note) : "";
  const named = { class: "section", "data-contents": data.title || null };
  const node =
    data.folded || data.closed
      ? keepOpen(element("details", named, element("summary", { "data-key": key }, heading), note, body), key, false)
      : element("section", { ...named, tabindex: "-1" }, heading, note, body);
  return Object.assign(node, { body });
}

export function section(key, data, blocks, axes, actions) {
  const { title, note, folded, closed } = data;
  const node = once(key, { title, note, folded, closed }, () => make(key, data));
  if (actions.opened && (folded || closed)) node.open = true;
  settle(node.body, rows(key, blocks, axes, actions));
  return node;
}
