// All charts of the page. Curves are drawn when they come near the screen and taken away when they leave it, so that
// hundreds of charts cost little.
import { ChartView } from "./chart.js";
import { onTheme } from "./theme.js";

const NEAR = "500px 0px";

const views = new Map();
const byNode = new Map();
let printing = false;

const passing = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const view = byNode.get(target);
      if (isIntersecting) view?.wake();
      else if (!printing) view?.sleep();
    }
  },
  { rootMargin: NEAR },
);

const resizing = new ResizeObserver((entries) => {
  if (printing) return;
  for (const { target, contentRect } of entries) byNode.get(target)?.resize(contentRect.width, contentRect.height);
});

onTheme(() => {
  for (const view of views.values()) view.redraw();
});

// The chart that stands at this place of the page.
export function chartAt(key, chart, axes, actions) {
  if (!views.has(key)) {
    const view = new ChartView(actions);
    views.set(key, view);
    byNode.set(view.node, view);
    byNode.set(view.box, view);
    passing.observe(view.node);
    resizing.observe(view.box);
  }
  const view = views.get(key);
  view.update(chart, axes);
  return view.node;
}

// Lets go of charts that are on no page any more.
export function prune() {
  for (const [key, view] of views) {
    if (view.node.isConnected) continue;
    view.sleep();
    byNode.delete(view.node);
    byNode.delete(view.box);
    passing.unobserve(view.node);
    resizing.unobserve(view.box);
    views.delete(key);
  }
}

// On paper every chart is drawn, in the size that it has there; afterwards those that are seen are drawn again.
export function drawAllForPrint(on) {
  printing = on;
  for (const view of views.values()) {
    if (on || view.plot) view.measure();
  }
}

// Draws what is near once more, after a choice that holds for all charts.
export function drawAgain() {
  for (const view of views.values()) if (view.plot) view.draw();
}

// Where the drawn charts have their labels, in pixels of each chart: for tests.
export function labels() {
  return [...views.values()]
    .filter((view) => view.plot)
    .flatMap(({ chart, plot }) => plot.labels.map((label) => ({ chart: chart.id, ...label })));
}

// The parts of their axes that the drawn charts show: for tests, and for whoever wants to script the page.
export function ranges() {
  return [...views.values()]
    .filter((view) => view.plot)
    .map(({ chart, axis, range }) => ({ chart: chart.id, axis, range }));
}
