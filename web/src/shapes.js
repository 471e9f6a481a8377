// Each state has a shape of its own, so that nobody has to tell it by its colour.
import { drawing } from "./dom.js";

const SHAPES = {
  broken: ["M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z", "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2"],
  consequence: ["M8 1.4 15 14.2H1z", "M8 6v3.6M8 11.6v.6"],
  clean: ["M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z", "M4.9 8.3l2.2 2.2 4.1-4.6"],
  unknown: ["M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z", "M6.1 6.2a2 2 0 1 1 2.6 2c-.5.2-.7.5-.7 1M8 11.3v.4"],
  info: [
    "M2.5 1h11A1.5 1.5 0 0 1 15 2.5v11a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 1 13.5v-11A1.5 1.5 0 0 1 2.5 1z",
    "M8 7.2v4.2M8 4.6v.5",
  ],
};
SHAPES.failed = SHAPES.broken;
SHAPES.done = SHAPES.clean;
SHAPES.open = ["M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z", ""];

export function shape(state) {
  const [outline, inside] = SHAPES[state] ?? SHAPES.unknown;
  return drawing(
    "svg",
    { class: `shape ${state}`, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    drawing("path", { class: "outline", d: outline }),
    drawing("path", { class: "inside", d: inside }),
  );
}
