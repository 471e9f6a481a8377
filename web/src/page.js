// One page: the verdict, the loop, what broke, and everything that was measured.
import { firstOf, todo, top } from "./answer.js";
import { calm, goTo } from "./dom.js";
import { goToFinding } from "./finding.js";
import { chosen as chose, kept, once } from "./kept.js";
import { loop } from "./loop.js";
import { findings, proofsOf } from "./panel.js";
import { section } from "./section.js";

const matches = (chart, words) => {
  const text = [chart.title, chart.note, chart.link, ...(chart.codes ?? []), ...chart.lines.map((line) => line.name)]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
};

// The sections with the blocks that are shown: all but the proofs, or, while something is looked for, the charts found.
export function shownSections(sections, moved, filter) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = words.length
    ? (block) => block.kind === "chart" && matches(block, words)
    : (block) => !moved.has(block);
  return sections.map((data) => ({ data, blocks: data.blocks.filter(wanted) })).filter(({ blocks }) => blocks.length);
}

// What jumping to a chart means: to its card first, and otherwise to wherever it stands.
function chartNode(id, card) {
  const among = (root) => [...root.querySelectorAll("[data-chart]")].find((node) => node.dataset.chart === id);
  return (card && among(card)) ?? among(document);
}

// What was asked for may lie below the screen: then it comes up, with the loop still in sight.
function bringUp(panel) {
  const top = panel.getBoundingClientRect().top;
  if (top > innerHeight * 0.65) scrollBy({ top: top - innerHeight * 0.4, behavior: calm() ? "auto" : "smooth" });
}

function actionsOf(page, redraw) {
  return {
    onCode(code) {
      if (goToFinding(code)) return;
      kept.links.delete(page.id);
      redraw();
      goToFinding(code);
    },
    onChart(id, card) {
      const node = chartNode(id, card);
      if (node) goTo(node);
    },
    onTodo: firstOf(page) && (() => goTo(document.querySelector(".todo"), "start")),
    onLink(link) {
      if (kept.links.get(page.id) === link) kept.links.delete(page.id);
      else kept.links.set(page.id, link);
      chose();
      redraw();
      bringUp(document.querySelector(".findings"));
    },
  };
}

function circle(page, chosen, onLink) {
  if (!page.loop.length) return "";
  const named = page.findings.map((one) => [one.code, one.name, one.link, one.since, one.role, one.consequence_of]);
  const node = once(`${page.id}/loop`, [page.loop, named], () => loop(page, onLink));
  for (const button of node.querySelectorAll("[data-link]")) {
    button.setAttribute("aria-pressed", String(button.dataset.link === chosen?.link));
  }
  node.classList.toggle("choosing", Boolean(chosen));
  return node;
}

export function drawPage(page, redraw) {
  const chosen = page.loop.find((link) => link.link === kept.links.get(page.id)) ?? null;
  const proofs = proofsOf(page);
  const { onLink, ...actions } = actionsOf(page, redraw);
  const looking = Boolean(kept.filter);
  const sections = shownSections(page.sections, proofs.moved, kept.filter).map(({ data, blocks }) => {
    const key = `${page.id}/section/${data.id}${looking ? "/found" : ""}`;
    return section(key, data, blocks, page.axes, { onCode: actions.onCode, opened: looking, redraw });
  });
  if (looking) return sections;
  const found = findings(page, chosen, { proofs, actions, onLink });
  return [top(page), todo(page), circle(page, chosen, onLink), found, ...sections];
}
