// The page starts here: it draws the document that stands in the file, or waits for those that a server sends.
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { bar, TOGETHER } from "./bar.js";
import { labels, prune, ranges } from "./charts.js";
import { element, settle } from "./dom.js";
import { goToFinding } from "./finding.js";
import { kept } from "./kept.js";
import { listen, liveStatus, toasts } from "./live.js";
import { drawPage } from "./page.js";
import { chartsOf } from "./panel.js";
import { startPrinting } from "./print.js";
import { readAddress, startAddress } from "./state.js";
import { startTheme } from "./theme.js";
import { together } from "./together.js";

startTheme();

const status = liveStatus();
const main = element("main", { id: "main", tabindex: "-1" });
const foot = element("footer");
const head = bar(redraw);
const said = toasts((page, finding) => {
  kept.page = page.id;
  kept.links.delete(page.id);
  redraw();
  goToFinding(finding.code);
});
const root = document.getElementById("page");
let shown = null;

function choosePage() {
  const known = shown.pages.some((page) => page.id === kept.page) || (kept.page === TOGETHER && shown.pages.length > 1);
  if (!known) kept.page = shown.pages.length === 1 ? shown.pages[0].id : TOGETHER;
}

function redraw() {
  const focused = document.activeElement?.dataset?.key;
  const place = scrollY;
  choosePage();
  const page = shown.pages.find((one) => one.id === kept.page);
  const content = page ? drawPage(page, redraw) : together(shown, head.choose, redraw);
  settle(
    main,
    content.length || !kept.filter ? content : [element("p", { class: "nothing" }, "No chart has this name.")],
  );
  prune();
  const charts = chartsOf(page ? page.sections : shown.together);
  head.update(shown, main, charts.length, main.querySelectorAll(".section .chart").length);
  foot.textContent = `weaklink ${shown.weaklink} · made ${shown.made}`;
  if (scrollY !== place) scrollTo(scrollX, place);
  if (focused && document.activeElement?.dataset?.key !== focused) {
    [...document.querySelectorAll("[data-key]")]
      .find((node) => node.dataset.key === focused)
      ?.focus({ preventScroll: true });
  }
}

function show(next) {
  if (shown?.live && next.weaklink !== shown.weaklink) location.reload();
  if (!shown) readAddress(next);
  shown = next;
  document.title = `${next.title} · weaklink`;
  redraw();
}

function alert({ kind, page, run, ...finding }) {
  if (kind === "finding" && finding.level !== "info") said.say({ page: { id: page, title: run }, finding });
}

// the fragment holds what was chosen, and no place
function skip(event) {
  event.preventDefault();
  main.focus();
}

root.append(
  element("a", { class: "skip", href: "#main", onclick: skip }, "To the content"),
  head.node,
  main,
  foot,
  said.node,
);
startPrinting();
startAddress();
window.weaklink = { show, ranges, labels };

const stored = document.getElementById("document");
const { events } = document.documentElement.dataset;
if (stored) show(JSON.parse(stored.textContent));
if (events) {
  head.status.append(status.node);
  listen(events, { show, alert }, status);
}
