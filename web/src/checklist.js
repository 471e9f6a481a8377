// Questions that evidence has ticked off, or not yet.
import { command } from "./copy.js";
import { element } from "./dom.js";
import { shape } from "./shapes.js";
import { STATES, sentence } from "./words.js";

function question(item) {
  return element(
    "li",
    { class: item.state },
    shape(item.state),
    element(
      "div",
      {},
      element(
        "p",
        {},
        element("b", {}, sentence(item.question)),
        " ",
        element("small", { class: "word" }, STATES[item.state] ?? item.state),
      ),
      item.told ? element("p", { class: "note" }, sentence(item.told)) : "",
      item.command ? command(item.command) : "",
    ),
  );
}

export function checklist(block) {
  const done = block.items.filter((item) => item.state === "done").length;
  const failed = block.items.filter((item) => item.state === "failed").length;
  const summary = `${done} of ${block.items.length} done${failed ? `, ${failed} failed` : ""}`;
  return element(
    "div",
    { class: "checklist" },
    block.note ? "" : element("p", { class: "note" }, summary),
    element("ul", {}, block.items.map(question)),
  );
}
