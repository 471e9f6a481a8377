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

export function copyButton(text, what) {
  const button = element("button", { type: "button", class: "copy quiet", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    await toClipboard(text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  return button;
}

export function command(text) {
  return element("div", { class: "command" }, element("code", {}, text), copyButton(text, "the command"));
}
