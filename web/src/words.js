// Numbers and sentences as people read them.
import { element } from "./dom.js";

export const STATES = {
  broken: "broken",
  consequence: "consequence",
  clean: "clean",
  unknown: "could not tell",
  done: "done",
  failed: "failed",
  open: "open",
};

export const VERDICT_STATE = { broken: "broken", healthy: "clean", unclear: "unknown" };

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const FOUR_DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const MOST_DECIMALS = 8;
const SUFFIXES = [
  [1e9, "G", 1e9],
  [1e6, "M", 1e6],
  [1e3, "k", 1e4],
];

export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2).replace(/\.?0*e\+?/, "e");
  return size >= 1000 ? GROUPED.format(value) : FOUR_DIGITS.format(value);
}

// Labels of ticks, with as many digits as tell neighbours apart.
export function ticks(values) {
  const known = values.filter((value) => value !== null);
  const largest = Math.max(...known.map(Math.abs), 0);
  const apart = known.length > 1 ? Math.min(...known.slice(1).map((value, place) => value - known[place])) : largest;
  if (largest !== 0 && (largest < 1e-3 || largest >= 1e12)) {
    return values.map((value) => (value === null ? "" : value === 0 ? "0" : value.toExponential(1).replace("e+", "e")));
  }
  const [divisor, suffix] = SUFFIXES.find(([size, , from]) => largest >= from || apart >= size) ?? [1, ""];
  const decimals = digits(known, divisor, apart);
  const told = (value) => (value === 0 ? "0" : `${(value / divisor).toFixed(decimals)}${suffix}`);
  return values.map((value) => (value === null ? "" : told(value)));
}

function digits(values, divisor, apart) {
  const blurred = (count) =>
    values.some((value) => Math.abs(Number((value / divisor).toFixed(count)) * divisor - value) > apart / 100);
  let count = 0;
  while (count < MOST_DECIMALS && blurred(count)) count += 1;
  return count;
}

// Ticks of a logarithmic scale lie far apart: each is written by itself.
export function lonelyTicks(values) {
  return values.map((value) => (value === null ? "" : number(value)));
}

export function several(count, noun) {
  return `${GROUPED.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// A sentence in which `code` stands in backticks.
export function sentence(text) {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith("`") && part.endsWith("`") ? element("code", {}, part.slice(1, -1)) : part,
    );
}
