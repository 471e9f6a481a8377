// The answer: the verdict, the headline, the sentence behind it, and what to do now.
import { command } from "./copy.js";
import { element } from "./dom.js";
import { once } from "./kept.js";
import { shape } from "./shapes.js";
import { capital, sentence, VERDICT_STATE } from "./words.js";

export function verdict(word) {
  const state = VERDICT_STATE[word] ?? "unknown";
  return element("span", { class: `verdict ${state}` }, shape(state), capital(word));
}

export const firstOf = (page) => page.findings.find((finding) => finding.role === "first") ?? null;

export function top(page) {
  const told = [page.title, page.verdict, page.headline, page.says, page.facts, page.growing];
  return once(`${page.id}/top`, told, () =>
    element(
      "header",
      { class: "top", "data-contents": "Answer" },
      element(
        "p",
        { class: "line" },
        verdict(page.verdict),
        page.growing ? element("span", { class: "growing" }, "still training") : "",
        element("bdi", { class: "target" }, page.title),
      ),
      element("h1", {}, sentence(page.headline)),
      page.says && page.says !== page.headline ? element("p", { class: "says" }, sentence(page.says)) : "",
      element(
        "dl",
        { class: "facts" },
        page.facts.map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, value))),
        ),
      ),
    ),
  );
}

const part = (title, ...children) => element("div", { class: "part" }, element("h2", {}, title), children);
const steps = (texts) =>
  element(
    "ol",
    {},
    texts.map((text) => element("li", {}, sentence(text))),
  );
const carriedOut = (text) => (text.startsWith("weaklink ") ? command(text) : element("p", {}, sentence(text)));

// What a fix, a proof and the next command say; of a page without a break, where to look next.
export function todo(page) {
  const first = firstOf(page);
  const { fix = page.advice, verify = "", command: own = "" } = first ?? {};
  const next = own || page.next;
  if (!fix.length && !verify && !next) return "";
  return once(`${page.id}/todo`, [fix, verify, next], () =>
    element(
      "section",
      { class: "todo", tabindex: "-1", "aria-label": "What to do" },
      fix.length ? part("What to do", steps(fix)) : "",
      verify || next
        ? part(
            first ? "How to prove it" : "Next",
            verify && verify !== next ? element("p", {}, sentence(verify)) : "",
            next ? carriedOut(next) : "",
          )
        : "",
    ),
  );
}
