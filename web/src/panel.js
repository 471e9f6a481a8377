// What broke: the findings as cards, all of them or those of one link, with its charts.
import { firstOf } from "./answer.js";
import { chartAt } from "./charts.js";
import { element, settle } from "./dom.js";
import { findingCard } from "./finding.js";
import { keepOpen, once } from "./kept.js";
import { shape } from "./shapes.js";
import { capital, sentence, several, STATES } from "./words.js";

export const chartsOf = (sections) => sections.flatMap((one) => one.blocks.filter((block) => block.kind === "chart"));

// Which charts prove a finding: those stand in its card and not among the many.
export function proofsOf(page) {
  const charts = chartsOf(page.sections);
  const codes = new Set(page.findings.map((finding) => finding.code));
  const proving = charts.filter((chart) => chart.proves && chart.codes?.some((code) => codes.has(code)));
  return { moved: new Set(proving), of: (code) => proving.filter((chart) => chart.codes.includes(code)) };
}

function keyed(page) {
  const seen = new Map();
  return page.findings.map((finding) => {
    const times = (seen.get(finding.code) ?? 0) + 1;
    seen.set(finding.code, times);
    return { finding, first: times === 1, key: `${page.id}/finding/${finding.code}/${times}` };
  });
}

// Each finding under its cause. Whatever no cause leads to stands by itself, so that none is ever lost.
function grown(all) {
  const under = (code) => all.filter(({ finding }) => finding.consequence_of === code && finding.code !== code);
  const seen = new Set();
  const grow = (one) => {
    seen.add(one);
    const below = one.first ? under(one.finding.code).filter((other) => !seen.has(other)) : [];
    return { ...one, below: below.map(grow) };
  };
  const codes = new Set(all.map(({ finding }) => finding.code));
  const causes = all.filter(
    ({ finding }) => !codes.has(finding.consequence_of) || finding.consequence_of === finding.code,
  );
  const trees = causes.map(grow);
  return [...trees, ...all.flatMap((one) => (seen.has(one) ? [] : [grow(one)]))];
}

function card(page, one, opened, { proofs, actions, place }) {
  const key = `${one.key}${place}`;
  const charts = proofs.of(one.finding.code);
  return findingCard(key, one.finding, {
    opened,
    charts: charts.map((chart) => chartAt(`${key}/${chart.id}`, chart, page.axes, actions)),
    consequences: one.below.map((other) => card(page, other, false, { proofs, actions, place })),
    actions,
  });
}

function cards(page, proofs, actions, chosen) {
  const all = keyed(page);
  if (chosen) {
    const own = all.filter(({ finding }) => finding.link === chosen).map((one) => ({ ...one, below: [] }));
    const whole = { ...actions, onTodo: null };
    return { broken: own.map((one) => card(page, one, true, { proofs, actions: whole, place: "/link" })), known: [] };
  }
  const trees = grown(all);
  const draw = (one, place) =>
    card(page, one, place === 0 && one.finding.role !== "info", { proofs, actions, place: "" });
  return {
    broken: trees.filter(({ finding }) => finding.role !== "info").map(draw),
    known: trees.filter(({ finding }) => finding.role === "info").map(draw),
  };
}

function knowing(page, known) {
  if (!known.length) return "";
  const node = once(`${page.id}/known`, null, () => {
    const body = element("div", { class: "cards" });
    const made = element(
      "details",
      { class: "known-too" },
      element("summary", { "data-key": `${page.id}/known` }),
      body,
    );
    return Object.assign(keepOpen(made, `${page.id}/known`, false), { body });
  });
  node.firstChild.textContent = `Worth knowing: ${several(known.length, "finding")}`;
  settle(node.body, known);
  return node;
}

function aboutLink(link, onClose) {
  const rules = [
    link.clean && `${several(link.clean, "rule")} clean`,
    link.blind && `${several(link.blind, "rule")} could not tell`,
  ];
  return element(
    "div",
    { class: `about-link ${link.state}` },
    element("h2", {}, shape(link.state), capital(link.link), element("small", {}, STATES[link.state] ?? link.state)),
    element("p", {}, sentence(link.says)),
    element("p", { class: "note" }, rules.filter(Boolean).join(", ")),
    element("button", { type: "button", class: "quiet", onclick: onClose }, "Show all findings"),
  );
}

// Where nothing broke it stands at the top.
function advice(page) {
  if (!page.advice.length || !firstOf(page)) return "";
  return once(`${page.id}/advice`, page.advice, () => {
    const lines = page.advice.map((text) => element("li", {}, sentence(text)));
    return element("div", { class: "advice" }, element("h3", {}, "What to do next"), element("ul", {}, lines));
  });
}

// The charts of a link that do not stand in one of its cards already.
function chartsOfLink(page, link, proofs, onCode) {
  const inCard = (chart) => proofs.moved.has(chart) && chart.codes.some((code) => link.codes.includes(code));
  const own = chartsOf(page.sections).filter((chart) => chart.link === link.link && !inCard(chart));
  if (!own.length) return "";
  const grid = once(`${page.id}/charts/${link.link}`, null, () => element("div", { class: "charts" }));
  settle(
    grid,
    own.map((chart) => chartAt(`${page.id}/link/${link.link}/${chart.id}`, chart, page.axes, { onCode })),
  );
  return grid;
}

export function findings(page, chosen, { proofs, actions, onLink }) {
  const { broken, known } = cards(page, proofs, actions, chosen?.link);
  const panel = once(`${page.id}/panel`, null, () =>
    element("section", { class: "findings", "aria-label": "Findings" }),
  );
  const list = once(`${page.id}/cards`, null, () => element("div", { class: "cards" }));
  settle(list, broken);
  if (chosen || page.findings.length) panel.dataset.contents = chosen ? capital(chosen.link) : "What broke";
  else delete panel.dataset.contents;
  if (chosen) {
    const about = once(`${page.id}/about/${chosen.link}`, chosen, () => aboutLink(chosen, () => onLink(chosen.link)));
    settle(panel, [about, list, chartsOfLink(page, chosen, proofs, actions.onCode)]);
  } else {
    const heading = once(`${page.id}/broke`, null, () => element("h2", {}, "What broke"));
    settle(panel, [broken.length ? heading : "", list, knowing(page, known), advice(page)]);
  }
  return panel;
}
