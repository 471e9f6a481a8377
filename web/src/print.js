// On paper everything is open, light and drawn.
import { drawAllForPrint } from "./charts.js";
import { themeChanged } from "./theme.js";

const root = document.documentElement;
let closed = [];

function layOut(onPaper) {
  themeChanged();
  for (const loop of document.querySelectorAll(".loop")) loop.place();
  drawAllForPrint(onPaper);
}

function prepare() {
  if (root.hasAttribute("data-printing")) return;
  root.setAttribute("data-printing", "");
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
  layOut(true);
}

function restore() {
  if (!root.hasAttribute("data-printing")) return;
  for (const details of closed) details.open = false;
  closed = [];
  // the toggles of the <details> above are heard a moment later, and are nobody's choice
  setTimeout(() => {
    root.removeAttribute("data-printing");
    layOut(false);
  });
}

export function startPrinting() {
  addEventListener("beforeprint", prepare);
  addEventListener("afterprint", restore);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? prepare() : restore()));
}
