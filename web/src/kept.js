// What survives a new document: the chosen page and link, what is open, scales, hidden curves, and every element whose
// data is the same as before. Charts are known by their ids, so that one choice holds wherever a chart is drawn.

export const kept = {
  page: null,
  links: new Map(),
  open: new Map(), // only what is not as it comes
  logarithmic: new Map(),
  hidden: new Set(),
  full: new Set(),
  smoothing: 0,
  filter: "",
};

const drawn = new Map();
const listeners = new Set();

export function onChoice(listener) {
  listeners.add(listener);
}

// Somebody chose something: the address follows.
export function chosen() {
  for (const listener of listeners) listener();
}

// The element that was made for this key, as long as its data has not changed.
export function once(key, data, make) {
  const signature = JSON.stringify(data);
  const before = drawn.get(key);
  if (before && before.signature === signature) return before.node;
  const node = make();
  drawn.set(key, { signature, node });
  return node;
}

// Has a <details> open or closed as it was left, and otherwise as it comes.
export function keepOpen(details, key, opened) {
  details.open = kept.open.get(key) ?? opened;
  details.addEventListener("toggle", () => {
    if (document.documentElement.hasAttribute("data-printing")) return;
    if (details.open === opened) kept.open.delete(key);
    else kept.open.set(key, details.open);
    chosen();
  });
  return details;
}
