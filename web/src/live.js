// A live page: documents arrive by server-sent events, and new findings are said aloud once.
import { element } from "./dom.js";

const TOAST_SECONDS = 12;
const MOST_TOASTS = 3;
const narrow = matchMedia("(max-width: 40rem)");
const AGAIN_SECONDS = 10;
const SILENT_SECONDS = 15; // the server says something every five
const RETRY_SECONDS = 2;

export function liveStatus() {
  const word = element("span", { role: "status" }, "connecting");
  const time = element("time");
  const node = element("span", { class: "live" }, element("span", {}, word, time));
  let lostBefore = false;
  const say = (state, text) => {
    node.className = `live ${state}`;
    if (word.textContent !== text) word.textContent = text;
  };
  return {
    node,
    updated() {
      say("connected", lostBefore ? "connected again" : "connected");
      if (lostBefore)
        setTimeout(() => {
          lostBefore = false;
        }, AGAIN_SECONDS * 1000);
      time.textContent = `, updated ${new Date().toLocaleTimeString()}`;
    },
    lost(text = "connection lost, trying again") {
      lostBefore = true;
      say("lost", text);
    },
  };
}

export function toasts(onOpen) {
  const node = element("div", { class: "toasts", role: "log", "aria-live": "assertive", "aria-label": "Alerts" });
  return {
    node,
    say({ page, finding }) {
      const toast = element(
        "div",
        { class: "toast" },
        element("p", {}, element("b", {}, `${finding.code} ${finding.name}`), " ", element("bdi", {}, page.title)),
        element("p", {}, finding.message),
        element(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => {
              toast.remove();
              onOpen(page, finding);
            },
          },
          "Show",
        ),
        element("button", { type: "button", class: "quiet", onclick: () => toast.remove() }, "Close"),
      );
      node.append(toast);
      while (node.children.length > (narrow.matches ? 1 : MOST_TOASTS)) node.firstChild.remove();
      setTimeout(() => {
        if (!toast.matches(":hover, :focus-within")) toast.remove();
      }, TOAST_SECONDS * 1000);
    },
  };
}

// A document with what changed of it: pages drawn anew, the order of all, and what stands around them.
export function merged(before, { order, pages, ...head }) {
  const known = new Map([...before.pages, ...pages].map((page) => [page.id, page]));
  return { ...before, ...head, pages: order.map((id) => known.get(id)).filter(Boolean) };
}

// Why the server refuses is not told to an EventSource: ask for it.
async function refusal(address) {
  try {
    const answer = await fetch(address, { method: "HEAD" });
    return answer.status === 401
      ? "the token is not valid any more: open the address that weaklink watch printed"
      : undefined;
  } catch {
    return undefined;
  }
}

// EventSource connects again by itself, except where the server answered with an error; and it never notices a
// connection that died in silence. Both are seen here. Every connection begins with the whole document.
export function listen(address, { show, alert }, status) {
  const source = new EventSource(address);
  let held = null;
  let silence = 0;
  let ended = false;
  const again = async () => {
    clearTimeout(silence);
    source.close();
    status.lost(await refusal(address));
    setTimeout(() => listen(address, { show, alert }, status), RETRY_SECONDS * 1000);
  };
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(again, SILENT_SECONDS * 1000);
  };
  const on = (name, act) =>
    source.addEventListener(name, (event) => {
      heard();
      act(JSON.parse(event.data));
    });
  const take = (next) => {
    held = next;
    ended = false;
    show(next);
    status.updated();
  };
  on("document", take);
  on("pages", (changes) => take(merged(held, changes)));
  on("alert", alert);
  on("beat", () => {});
  on("end", () => {
    ended = true;
    clearTimeout(silence);
    status.lost("weaklink watch has ended; this was its last word");
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) again();
    else if (!ended) status.lost();
  });
  heard();
}
