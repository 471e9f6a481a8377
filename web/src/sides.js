// Texts that somebody else wrote, side by side, exactly as they are.
import { element } from "./dom.js";
import { several } from "./words.js";

const SHOWN_AT_FIRST = 4000;
const SHOWN_AT_A_TIME = 100_000;

function body(text) {
  const shown = element("pre", { dir: "auto", tabindex: "0" }, text.slice(0, SHOWN_AT_FIRST));
  if (text.length <= SHOWN_AT_FIRST) return [shown];
  const more = element("button", { type: "button", class: "quiet more" });
  let until = SHOWN_AT_FIRST;
  const label = () => {
    more.textContent = `Show more: ${several(text.length - until, "character")} left`;
  };
  more.addEventListener("click", () => {
    const next = Math.min(until + SHOWN_AT_A_TIME, text.length);
    shown.append(text.slice(until, next));
    until = next;
    if (until >= text.length) more.remove();
    else label();
  });
  label();
  return [shown, more];
}

function written(text) {
  const facts = (text.facts ?? []).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, value))),
  );
  return element(
    "article",
    { class: "written" },
    text.title ? element("h5", {}, element("bdi", {}, text.title)) : "",
    facts.length ? element("dl", { class: "facts" }, facts) : "",
    body(text.body),
    text.cut ? element("p", { class: "note" }, `${several(text.cut, "character")} left out.`) : "",
  );
}

export function sides(block) {
  const columns = block.sides.map((side) =>
    element(
      "section",
      { class: "side" },
      element("h4", {}, side.title),
      side.note ? element("p", { class: "note" }, side.note) : "",
      side.texts.length ? side.texts.map(written) : element("p", { class: "note" }, "None."),
    ),
  );
  return element("div", { class: "sides" }, columns);
}
