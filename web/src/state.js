// What was chosen, kept in the fragment of the address, so that a link shows what its sender saw. A fragment may be
// written by anybody: what does not fit is left out, and nothing of it is ever shown.
import { axisValues } from "./decode.js";
import { chosen, kept, onChoice } from "./kept.js";
import { onZoom, ranges, zoomTo } from "./zoom.js";

const LONGEST = 20_000;
const MOST = 200; // choices of one kind
const WAIT = 150; // milliseconds: browsers refuse addresses that change too often
export const STRONGEST = 0.95;

let timer = 0;
let written = "";

function entries() {
  const link = kept.links.get(kept.page);
  const sides = (map, yes, no) => [...map].map(([key, on]) => [on ? yes : no, key]);
  return [
    ...(kept.page ? [["page", kept.page]] : []),
    ...(link ? [["link", link]] : []),
    ...(kept.smoothing ? [["smooth", kept.smoothing]] : []),
    ...[...ranges].map(([axis, [low, high]]) => ["zoom", `${low},${high},${axis}`]),
    ...[...kept.hidden].map((key) => ["hide", key]),
    ...[...kept.full].map((key) => ["full", key]),
    ...sides(kept.logarithmic, "log", "linear"),
    ...sides(kept.open, "open", "shut"),
  ];
}

export function writeAddress() {
  clearTimeout(timer);
  const fragment = `#${new URLSearchParams(entries())}`;
  if (fragment === written || fragment.length > LONGEST || (fragment === "#" && !location.hash)) return;
  written = fragment;
  try {
    history.replaceState(null, "", fragment);
  } catch {
    // some browsers refuse it of files: the page works without
  }
}

// The part of an axis that a fragment asks for; nothing where the axis is none of the document's or lies elsewhere.
function zoomIn(text, axes) {
  const [, low, high, label] = /^([^,]+),([^,]+),(.+)$/s.exec(text) ?? [];
  const [from, to] = [Number(low), Number(high)];
  const own = axes.filter((axis) => axis.label === label).map((axis) => axisValues(axis.values));
  const seen = own.some((steps) => steps.length && from < steps.at(-1) && to > steps[0]);
  if (Number.isFinite(from) && Number.isFinite(to) && to > from && seen) zoomTo(label, [from, to]);
}

// Takes what the fragment says of this document.
export function readAddress(shown) {
  if (location.hash.length > LONGEST) return;
  const given = new URLSearchParams(location.hash.slice(1));
  const all = (name) => given.getAll(name).slice(0, MOST);
  const page = shown.pages.find((one) => one.id === given.get("page"));
  if (page) kept.page = page.id;
  const chooser = page ?? (shown.pages.length === 1 ? shown.pages[0] : null);
  if (chooser?.loop.some((link) => link.link === given.get("link"))) kept.links.set(chooser.id, given.get("link"));
  const smoothing = Number(given.get("smooth"));
  if (smoothing > 0 && smoothing <= STRONGEST) kept.smoothing = smoothing;
  const axes = [shown, ...shown.pages].flatMap((holder) => Object.values(holder.axes));
  for (const text of all("zoom")) zoomIn(text, axes);
  for (const key of all("hide")) kept.hidden.add(key);
  for (const key of all("full")) kept.full.add(key);
  for (const [name, into, on] of [
    ["log", kept.logarithmic, true],
    ["linear", kept.logarithmic, false],
    ["open", kept.open, true],
    ["shut", kept.open, false],
  ]) {
    for (const key of all(name)) into.set(key, on);
  }
}

export function startAddress() {
  onChoice(() => {
    clearTimeout(timer);
    timer = setTimeout(writeAddress, WAIT);
  });
  onZoom(chosen);
  addEventListener("hashchange", () => location.reload());
}
