// What stays at the top: which page, looking for a chart, the whole axis again, light or dark.
import { drawAgain } from "./charts.js";
import { contents } from "./contents.js";
import { copyButton } from "./copy.js";
import { element, settle } from "./dom.js";
import { chosen, kept, once } from "./kept.js";
import { shape } from "./shapes.js";
import { STRONGEST, writeAddress } from "./state.js";
import { themeButton } from "./theme.js";
import { several, VERDICT_STATE } from "./words.js";
import { onZoom, resetZoom, zoomed } from "./zoom.js";

const MOST_TABS = 6;
export const TOGETHER = "";

function search(redraw) {
  const field = element("input", {
    type: "search",
    placeholder: "Find a chart",
    "aria-label": "Find a chart by its name",
    "data-key": "search",
    autocomplete: "off",
    spellcheck: "false",
  });
  field.addEventListener("input", () => {
    kept.filter = field.value.trim();
    redraw();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest?.("input, textarea, select")) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape" && event.target === field) {
      field.value = kept.filter = "";
      redraw();
    }
  });
  return field;
}

function tab(id, state, label, choose) {
  return element(
    "button",
    {
      type: "button",
      class: "tab",
      "data-key": `tab/${id}`,
      "aria-current": kept.page === id ? "page" : null,
      onclick: () => choose(id),
    },
    state ? shape(state) : "",
    element("bdi", {}, label),
  );
}

function choice(pages, choose) {
  const list = element("select", { "aria-label": "Which page", "data-key": "pages" });
  list.append(element("option", { value: TOGETHER }, "All together"));
  for (const page of pages) list.append(element("option", { value: page.id }, `${page.verdict} · ${page.title}`));
  list.value = kept.page;
  list.addEventListener("change", () => choose(list.value));
  return list;
}

const STRENGTHS = [
  [0, "smooth: off"],
  [0.6, "smooth: little"],
  [0.85, "smooth: more"],
  [STRONGEST, "smooth: most"],
];

function smoothing() {
  const list = element("select", { "aria-label": "Smooth the curves", "data-key": "smooth", class: "smooth" });
  list.addEventListener("change", () => {
    kept.smoothing = Number(list.value);
    chosen();
    drawAgain();
  });
  // what the address asks for is offered too
  list.update = () => {
    const known = STRENGTHS.some(([weight]) => weight === kept.smoothing);
    const offered = known ? STRENGTHS : [...STRENGTHS, [kept.smoothing, `smooth: ${kept.smoothing}`]];
    settle(list, offered.map(([value, text]) => once(`smooth/${value}`, text, () => element("option", { value }, text))));
    list.value = String(kept.smoothing);
  };
  return list;
}

function linkButton() {
  return copyButton(
    () => {
      writeAddress();
      return location.href;
    },
    "a link to what you see",
    "Link",
  );
}

export function bar(redraw) {
  const pages = element("nav", { class: "pages", "aria-label": "Pages" });
  const found = element("span", { class: "found", role: "status" });
  const field = search(redraw);
  const whole = element("button", { type: "button", class: "quiet", onclick: resetZoom, hidden: true }, "Reset zoom");
  onZoom(() => {
    whole.hidden = !zoomed();
  });
  const status = element("div", { class: "status" });
  const parts = contents();
  const smooth = smoothing();
  const node = element(
    "div",
    { class: "bar" },
    element("span", { class: "brand" }, "weaklink"),
    pages,
    status,
    element("div", { class: "tools" }, found, field, smooth, whole, linkButton(), themeButton()),
    parts.node,
  );
  new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${node.offsetHeight}px`)).observe(node);
  const choose = (id) => {
    kept.page = id;
    chosen();
    redraw();
    scrollTo(0, 0);
  };
  return {
    node,
    status,
    choose,
    update(shown, main, chartCount, foundCount) {
      parts.update(main);
      field.hidden = chartCount < 2;
      smooth.hidden = chartCount < 1;
      smooth.update();
      found.textContent = kept.filter ? `${foundCount} of ${several(chartCount, "chart")}` : "";
      if (shown.pages.length < 2) return settle(pages, []);
      if (shown.pages.length > MOST_TABS) return settle(pages, [choice(shown.pages, choose)]);
      const tabs = shown.pages.map((page) =>
        tab(page.id, VERDICT_STATE[page.verdict] ?? "unknown", page.title, choose),
      );
      return settle(pages, [tab(TOGETHER, "", "All together", choose), ...tabs]);
    },
  };
}
