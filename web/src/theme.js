// Light or dark: as the system has it until somebody chooses otherwise.
import { element } from "./dom.js";

const NAME = "weaklink-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();
const colours = new Map();

function stored() {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

function store(theme) {
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // a page from the file system may have no storage: the choice then lasts as long as the page
  }
}

const chosen = () => root.dataset.theme ?? (system.matches ? "dark" : "light");

export function themeChanged() {
  colours.clear();
  for (const listener of listeners) listener();
}

export function onTheme(listener) {
  listeners.add(listener);
}

// A colour of the style sheet, for what is drawn on a canvas.
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(root).getPropertyValue(`--${name}`).trim());
  return colours.get(name);
}

export function themeButton() {
  const button = element("button", { type: "button", class: "quiet theme" });
  const label = () => {
    const other = chosen() === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to the ${other} look`);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = chosen() === "dark" ? "light" : "dark";
    store(root.dataset.theme);
    themeChanged();
  });
  system.addEventListener("change", themeChanged);
  onTheme(label);
  label();
  return button;
}

export function startTheme() {
  const theme = stored();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
}
