// A finding as a card: what was seen, the proof, what to do, how to prove it, and what followed from it.
import { command } from "./copy.js";
import { element, goTo, settle } from "./dom.js";
import { keepOpen, once } from "./kept.js";
import { shape } from "./shapes.js";
import { sentence, several } from "./words.js";

function stateOf(finding) {
  if (finding.role === "info") return "info";
  return finding.role === "consequence" ? "consequence" : "broken";
}

function chips(finding) {
  const role = finding.role === "first" ? [element("span", { class: "chip first" }, "first break")] : [];
  const words = [finding.link, finding.level, finding.since, finding.confidence && `${finding.confidence} confidence`];
  return element(
    "span",
    { class: "chips" },
    role,
    words.filter(Boolean).map((text) => element("span", { class: "chip" }, text)),
  );
}

function proof(one, onChart) {
  const name = element("bdi", {}, element("code", {}, one.metric));
  const jump = one.chart
    ? element(
        "button",
        {
          type: "button",
          class: "link",
          "aria-label": `Show the chart of ${one.metric}`,
          onclick: () => onChart(one.chart),
        },
        name,
      )
    : name;
  return element("li", {}, jump, " ", element("span", {}, one.measured));
}

function part(title, ...children) {
  return element("div", { class: "part" }, element("h4", {}, title), children);
}

function details(finding, onChart, onTodo) {
  const told = finding.role === "first" ? onTodo : null; // what to do stands at the top already
  return [
    finding.proofs.length
      ? part(
          "Evidence",
          element(
            "ul",
            { class: "proofs" },
            finding.proofs.map((one) => proof(one, onChart)),
          ),
        )
      : "",
    finding.fix.length && !told
      ? part(
          "What to do",
          element(
            "ol",
            {},
            finding.fix.map((text) => element("li", {}, sentence(text))),
          ),
        )
      : "",
    (finding.verify || finding.command) && !told
      ? part(
          "How to prove it",
          finding.verify && finding.verify !== finding.command ? element("p", {}, sentence(finding.verify)) : "",
          finding.command ? command(finding.command) : "",
        )
      : "",
    told ? element("p", {}, element("button", { type: "button", class: "link", onclick: told }, "What to do")) : "",
    finding.about ? part("Why it is bad", element("p", { class: "about" }, sentence(finding.about))) : "",
  ];
}

function make(key, finding, opened, actions) {
  const card = element("details", { class: `finding ${stateOf(finding)} ${finding.role}`, "data-code": finding.code });
  const cause = finding.consequence_of;
  const charts = element("div", { class: "charts beside" });
  const inside = element("div", { class: "consequences" });
  const below = keepOpen(
    element("details", { class: "followed" }, element("summary", { "data-key": `${key}/followed` }), inside),
    `${key}/followed`,
    false,
  );
  card.append(
    element(
      "summary",
      { "data-key": key },
      shape(stateOf(finding)),
      element(
        "span",
        { class: "what" },
        element("h3", {}, element("code", {}, finding.code), " ", element("bdi", {}, finding.name)),
        chips(finding),
      ),
      element("span", { class: "message" }, sentence(finding.message)),
    ),
    element(
      "div",
      { class: "body" },
      cause
        ? element(
            "p",
            { class: "note" },
            "Follows from ",
            element("button", { type: "button", class: "link", onclick: () => actions.onCode(cause) }, cause),
            ".",
          )
        : "",
      charts,
      element(
        "div",
        { class: "words" },
        details(finding, (id) => actions.onChart(id, card), actions.onTodo),
      ),
    ),
    below,
  );
  return Object.assign(keepOpen(card, key, opened), { charts, below, inside });
}

// The card of a finding, with its charts and the cards of what followed from it.
export function findingCard(key, finding, { opened, charts, consequences, actions }) {
  const card = once(key, finding, () => make(key, finding, opened, actions));
  settle(card.charts, charts);
  card.charts.hidden = !charts.length;
  card.below.hidden = !consequences.length;
  card.below.firstChild.textContent = `What followed from it: ${several(consequences.length, "finding")}`;
  settle(card.inside, consequences);
  return card;
}

export function goToFinding(code) {
  const card = [...document.querySelectorAll("[data-code]")].find((node) => node.dataset.code === code);
  if (card) {
    card.open = true;
    goTo(card);
  }
  return Boolean(card);
}
