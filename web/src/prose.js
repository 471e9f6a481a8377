// Paragraphs, and code to be copied.
import { copyButton } from "./copy.js";
import { element } from "./dom.js";
import { sentence } from "./words.js";

export function prose(block) {
  const code = block.code
    ? element(
        "div",
        { class: "listing" },
        element("pre", { tabindex: "0" }, block.code),
        copyButton(block.code, "the text"),
      )
    : "";
  return element(
    "div",
    { class: "prose" },
    (block.paragraphs ?? []).map((text) => element("p", {}, sentence(text))),
    code,
  );
}
