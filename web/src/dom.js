// Elements made by hand. Whatever is shown is set as text: no string ever becomes markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "style") {
      for (const [property, setting] of Object.entries(value)) node.style.setProperty(property, setting);
    } else if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(2).filter((child) => child || child === 0));
  return node;
}

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// Puts exactly these children into a container; those that stand there already are not touched, so that they keep
// their focus and how far they were scrolled.
export function settle(container, children) {
  const wanted = children.flat(2).filter(Boolean);
  const staying = new Set(wanted);
  for (const child of [...container.childNodes]) if (!staying.has(child)) child.remove();
  wanted.forEach((child, place) => {
    if (container.childNodes[place] !== child) container.insertBefore(child, container.childNodes[place] ?? null);
  });
}

export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Brings a node into view, opens whatever is folded around it, and lights it up for a moment.
export function goTo(node, block = "center") {
  for (let around = node; around; around = around.parentElement) {
    if (around.tagName === "DETAILS") around.open = true;
  }
  node.scrollIntoView({ block, behavior: calm() ? "auto" : "smooth" });
  node.classList.remove("lit");
  requestAnimationFrame(() => node.classList.add("lit"));
  const inside = node.querySelector("summary, [tabindex]") ?? node.querySelector("button:not([hidden])");
  const target = node.tabIndex === -1 && node.hasAttribute("tabindex") ? node : inside;
  target?.focus({ preventScroll: true });
}
