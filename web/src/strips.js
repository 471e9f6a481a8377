// Many small curves below each other.
import { drawing, element } from "./dom.js";
import { number } from "./words.js";

const finite = (values) => values.filter((value) => Number.isFinite(value));

export function curvePath(values, x, y) {
  let pen = "M";
  return values
    .map((value, place) => {
      if (!Number.isFinite(value)) {
        pen = "M";
        return "";
      }
      const step = `${pen}${x(place).toFixed(2)} ${y(value).toFixed(2)}${pen === "M" ? "h0" : ""}`;
      pen = "L";
      return step;
    })
    .join("");
}

function area(lows, highs, x, y) {
  if (!lows.length || lows.length !== highs.length || finite([...lows, ...highs]).length !== 2 * lows.length)
    return null;
  const back = [...lows.keys()].reverse().map((place) => `L${x(place).toFixed(2)} ${y(lows[place]).toFixed(2)}`);
  return drawing("path", { class: "spread", d: `${curvePath(highs, x, y)}${back.join("")}Z` });
}

function strip(row) {
  const [lows, highs] = [row.lows ?? [], row.highs ?? []];
  const all = finite([...row.values, ...lows, ...highs]);
  const [low, high] = all.length ? [Math.min(...all), Math.max(...all)] : [0, 0];
  const x = (place) => (100 * place) / Math.max(row.values.length - 1, 1);
  const y = (value) => (high > low ? 94 - (88 * (value - low)) / (high - low) : 50);
  const picture = drawing(
    "svg",
    {
      viewBox: "0 0 100 100",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${row.label}: ${number(low)} to ${number(high)}`,
    },
    area(lows, highs, x, y) ?? "",
    drawing("path", { class: "curve", d: curvePath(row.values, x, y) }),
  );
  const span = !all.length ? "no number" : high > low ? `${number(low)} to ${number(high)}` : `always ${number(low)}`;
  return element(
    "div",
    { class: "row" },
    element("div", { class: "label" }, element("bdi", {}, row.label)),
    picture,
    element("div", { class: "figures" }, row.note || span),
  );
}

export function strips(block) {
  return element("div", { class: "strips" }, block.rows.map(strip));
}
