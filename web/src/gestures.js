// A chart by finger and by key; uPlot itself knows the mouse.
import { zoomOf, zoomTo } from "./zoom.js";

const SMALLEST_DRAG = 8;
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const FACTORS = { "+": 0.5, "=": 0.5, "-": 2 };

// A finger that moves sideways picks a part; one that moves up and down scrolls the page (touch-action in the style).
export function byFinger(plot, axis) {
  let start = null;
  const place = (event) => event.clientX - plot.over.getBoundingClientRect().left;
  const forget = () => {
    start = null;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  };
  plot.over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && event.isPrimary) start = place(event);
  });
  plot.over.addEventListener("pointermove", (event) => {
    if (start === null || event.pointerType !== "touch") return;
    const [left, right] = [start, place(event)].sort((one, other) => one - other);
    plot.setSelect({ left, width: right - left, top: 0, height: plot.over.clientHeight }, false);
    plot.setCursor({ left: place(event), top: 0 });
  });
  plot.over.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [left, right] = [start, place(event)].sort((one, other) => one - other);
    forget();
    if (right - left > SMALLEST_DRAG) zoomTo(axis, [plot.posToVal(left, "x"), plot.posToVal(right, "x")]);
  });
  plot.over.addEventListener("pointercancel", forget);
}

function zoomAround(plot, axis, factor) {
  const { min, max } = plot.scales.x;
  const steps = plot.data[0];
  const middle = plot.cursor.left >= 0 ? plot.posToVal(plot.cursor.left, "x") : (min + max) / 2;
  const low = Math.max(middle - (middle - min) * factor, steps[0]);
  const high = Math.min(middle + (max - middle) * factor, steps.at(-1));
  zoomTo(axis, low <= steps[0] && high >= steps.at(-1) ? null : [low, high]);
}

export function byKey(plot, axis, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in STEPS) {
    const steps = plot.data[0];
    const here = plot.cursor.idx ?? (event.key === "ArrowLeft" ? steps.length : -1);
    const next = Math.min(Math.max(here + STEPS[event.key], 0), steps.length - 1);
    plot.setCursor({ left: plot.valToPos(steps[next], "x"), top: 0 });
  } else if (event.key in FACTORS) {
    zoomAround(plot, axis, FACTORS[event.key]);
  } else if ((event.key === "Escape" || event.key === "0") && zoomOf(axis)) {
    zoomTo(axis, null);
  } else {
    return;
  }
  event.preventDefault();
}
