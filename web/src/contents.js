// Where on the page: its parts by name, in a row that stays in sight, with the one that is being read marked.
import { element, goTo, settle } from "./dom.js";
import { once } from "./kept.js";

const FEWEST = 3;

export function contents() {
  const list = element("ol");
  const node = element("nav", { class: "contents", "aria-label": "On this page" }, list);
  let parts = [];
  let asked = false;

  function entry(part) {
    const title = part.dataset.contents;
    const button = once(`contents/${title}`, title, () =>
      element("li", {}, element("button", { type: "button", "data-key": `contents/${title}` }, element("bdi", {}, title))),
    );
    button.firstChild.onclick = () => goTo(part, "start");
    return button;
  }

  function mark() {
    asked = false;
    const line = node.getBoundingClientRect().bottom + innerHeight / 5;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const here = atEnd ? parts.at(-1) : (parts.findLast((part) => part.getBoundingClientRect().top <= line) ?? parts[0]);
    [...list.children].forEach((item, place) => {
      const button = item.firstChild;
      if (parts[place] !== here) return button.removeAttribute("aria-current");
      if (button.hasAttribute("aria-current")) return;
      button.setAttribute("aria-current", "true");
      list.scrollTo({ left: item.offsetLeft - list.offsetLeft - list.clientWidth / 3 });
    });
  }

  addEventListener(
    "scroll",
    () => {
      if (!asked && parts.length) requestAnimationFrame(mark);
      asked = true;
    },
    { passive: true },
  );
  return {
    node,
    update(main) {
      parts = [...main.children].filter((part) => part.dataset.contents);
      node.hidden = parts.length < FEWEST;
      settle(list, parts.map(entry));
      mark();
    },
  };
}
