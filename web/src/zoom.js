// Charts over the same axis show the same part of it.

export const ranges = new Map();
const views = new Set();
const listeners = new Set();

export const zoomOf = (axis) => ranges.get(axis) ?? null;
export const zoomed = () => ranges.size > 0;

export function join(view) {
  views.add(view);
  return () => views.delete(view);
}

export function onZoom(listener) {
  listeners.add(listener);
}

export function zoomTo(axis, range) {
  if (range && !(range[1] > range[0])) return;
  if (range) ranges.set(axis, range);
  else ranges.delete(axis);
  for (const view of views) if (view.axis === axis) view.zoom();
  for (const listener of listeners) listener();
}

export function resetZoom() {
  for (const axis of [...ranges.keys()]) zoomTo(axis, null);
}
