// What survives a new document: the chosen page and link, what is open, scales, and every element whose data is the
// same as before.

export const kept = { page: null, links: new Map(), open: new Map(), logarithmic: new Map(), filter: "" };

const drawn = new Map();

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
    if (!document.documentElement.hasAttribute("data-printing")) kept.open.set(key, details.open);
  });
  return details;
}
