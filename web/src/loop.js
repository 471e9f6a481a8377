// The loop, drawn as a loop: thirteen links, what feeds what, where it broke first and what followed from that.
import { bow, circuit, PILL } from "./circuit.js";
import { drawing, element, settle } from "./dom.js";
import { shape } from "./shapes.js";
import { capital, several, STATES } from "./words.js";

const ARROW = "M-4.5 -5L4.5 0L-4.5 5";
const turned = ({ x, y, angle }) => `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`;

function word(link) {
  return link.first ? "broke first" : (STATES[link.state] ?? link.state);
}

function spoken(link) {
  const findings = link.codes.length ? `, ${several(link.codes.length, "finding")}: ${link.codes.join(", ")}` : "";
  return `${link.link}: ${word(link)}${findings}`;
}

function pill(link, onLink) {
  return element(
    "button",
    {
      type: "button",
      class: `pill ${link.state}${link.first ? " first" : ""}`,
      "data-link": link.link,
      "data-key": `link/${link.link}`,
      "aria-label": spoken(link),
      "aria-pressed": "false",
      title: link.says,
      onclick: () => onLink(link.link),
    },
    shape(link.state),
    element("span", { class: "name" }, link.link),
    element("span", { class: "word" }, word(link)),
  );
}

// Pairs of links, cause and consequence, as the findings have them.
function followed(page) {
  const linkOf = new Map(page.findings.map((finding) => [finding.code, finding.link]));
  const pairs = page.findings
    .filter((finding) => finding.consequence_of && linkOf.has(finding.consequence_of))
    .map((finding) => [linkOf.get(finding.consequence_of), finding.link])
    .filter(([cause, consequence]) => cause !== consequence);
  return [...new Map(pairs.map((pair) => [pair.join(" "), pair])).values()];
}

function middle(page) {
  const first = page.loop.find((link) => link.first);
  if (first) {
    const finding =
      page.findings.find((one) => one.role === "first") ?? page.findings.find((one) => one.link === first.link);
    return element(
      "div",
      { class: "middle broken" },
      element("span", {}, "broke first"),
      element("b", {}, capital(first.link)),
      finding ? element("span", {}, [`${finding.code} ${finding.name}`, finding.since].filter(Boolean).join(", ")) : "",
    );
  }
  const judged = page.loop.filter((link) => link.state === "clean").length;
  const broken = page.loop.some((link) => link.state === "broken");
  return element(
    "div",
    { class: "middle" },
    element("b", {}, broken ? "Broken" : "No break seen"),
    element("span", {}, `${judged} of ${several(page.loop.length, "link")} judged and clean`),
  );
}

function lines(page, plan, width) {
  const at = new Map(page.loop.map((link, place) => [link.link, plan.places[place]]));
  const bows = followed(page).map(([cause, consequence]) => bow(at.get(cause), at.get(consequence), plan.centre));
  return drawing(
    "svg",
    { class: "wires", width, height: plan.height, viewBox: `0 0 ${width} ${plan.height}`, "aria-hidden": "true" },
    drawing("path", { class: "ring", d: plan.track }),
    plan.arrows.map((arrow) => drawing("path", { class: "arrow", d: ARROW, transform: turned(arrow) })),
    bows.map((one) => [
      drawing("path", { class: "bow", d: one.path }),
      drawing("path", { class: "bow head", d: ARROW, transform: turned(one) }),
    ]),
  );
}

function key(page) {
  const present = ["broken", "consequence", "clean", "unknown"].filter((state) =>
    page.loop.some((link) => link.state === state),
  );
  return element(
    "ul",
    { class: "key", "aria-hidden": "true" },
    present.map((state) => element("li", {}, shape(state), STATES[state])),
  );
}

export function loop(page, onLink) {
  const buttons = page.loop.map((link) => pill(link, onLink));
  const caption = middle(page);
  const stage = element("div", { class: "stage" });
  let drawnFor = 0;

  function place() {
    const room = Math.floor(stage.parentElement?.clientWidth ?? 0);
    if (!room || room === drawnFor) return;
    drawnFor = room;
    const plan = circuit(page.loop.length, room);
    const width = plan.roomy ? room : Math.min(room, 560);
    stage.style.setProperty("width", `${width}px`);
    stage.style.setProperty("height", `${plan.height}px`);
    stage.style.setProperty("--pill-width", `${PILL.width}px`);
    stage.style.setProperty("--pill-height", `${PILL.height}px`);
    buttons.forEach((button, index) => {
      button.style.setProperty("left", `${plan.places[index].x}px`);
      button.style.setProperty("top", `${plan.places[index].y}px`);
    });
    caption.hidden = !plan.roomy;
    settle(stage, [lines(page, plan, width), caption, ...buttons]);
  }

  const node = element(
    "section",
    { class: "loop", "data-contents": "The loop", "aria-label": "The loop: thirteen links, from outside in" },
    stage,
    key(page),
  );
  new ResizeObserver(place).observe(node);
  node.place = place;
  node.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const here = buttons.indexOf(document.activeElement);
    if (!step || here < 0) return;
    event.preventDefault();
    buttons[(here + step + buttons.length) % buttons.length].focus();
  });
  return node;
}
