// A command or a text to take away.
import { element } from "./dom.js";

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element("textarea", { class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

// Copies a text, or what a function gives when it is asked.
export function copyButton(text, what, label = "Copy") {
  const button = element("button", { type: "button", class: "copy quiet", "aria-label": `Copy ${what}` }, label);
  button.addEventListener("click", async () => {
    await toClipboard(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

export function command(text) {
  return element("div", { class: "command" }, element("code", {}, text), copyButton(text, "the command"));
}
