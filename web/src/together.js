// What several pages show together: each with its verdict, then what compares them.
import { verdict } from "./answer.js";
import { element } from "./dom.js";
import { goToFinding } from "./finding.js";
import { kept, once } from "./kept.js";
import { shownSections } from "./page.js";
import { section } from "./section.js";

function card(page, choose) {
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", class: "run", "data-key": `run/${page.id}`, onclick: () => choose(page.id) },
      verdict(page.verdict),
      element("b", {}, element("bdi", {}, page.title)),
      element("span", {}, page.headline),
    ),
  );
}

function count(pages) {
  const verdicts = ["broken", "unclear", "healthy"].filter((one) => pages.some((page) => page.verdict === one));
  return verdicts.map((one) => `${pages.filter((page) => page.verdict === one).length} ${one}`).join(", ");
}

export function together(shown, choose, redraw) {
  const onCode = (code) => {
    const page = shown.pages.find((one) => one.findings.some((finding) => finding.code === code));
    if (!page) return;
    choose(page.id);
    goToFinding(code);
  };
  const sections = shownSections(shown.together, new Set(), kept.filter).map(({ data, blocks }) =>
    section(`together/${data.id}${kept.filter ? "/found" : ""}`, data, blocks, shown.axes, {
      onCode,
      onPage: choose,
      opened: Boolean(kept.filter),
      redraw,
    }),
  );
  if (kept.filter) return sections;
  const facts = shown.pages.map((page) => [page.id, page.title, page.verdict, page.headline]);
  const counted = count(shown.pages);
  const told = !counted || shown.title.includes(counted);
  const triaged = shown.together.some((data) => data.blocks.some((one) => one.kind === "triage"));
  const overview = once("together/overview", [shown.title, facts], () =>
    element(
      "header",
      { class: "top", "data-contents": "Answer" },
      told ? "" : element("p", { class: "line" }, element("bdi", { class: "target" }, shown.title)),
      element("h1", {}, told ? shown.title : counted),
      triaged
        ? ""
        : element(
            "ul",
            { class: "runs" },
            shown.pages.map((page) => card(page, choose)),
          ),
    ),
  );
  return [overview, ...sections];
}
