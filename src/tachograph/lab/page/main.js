// The shell of the page: tabs, address, theme, and a word when the server is gone.

import { onLost } from "./lib/api.js";
import { hide } from "./lib/charts.js";
import { address, button, notice } from "./lib/controls.js";
import { el, fill } from "./lib/dom.js";
import { PANELS } from "./panels/table.js";

const root = document.getElementById("panel");
const tabs = document.getElementById("tabs");
const theme = document.getElementById("theme");
let now = null; // {name, view}: the panel that is shown
let coming = null; // what the address will be
let left = 12, written = Date.now(); // browsers allow some 100 changes of an address in 30 seconds
const WRITE_AGAIN_MS = 400;

/** Change the address in place: at once, or a moment later if a slider has moved for long. */
function write(next) {
  const scheduled = coming !== null;
  coming = next;
  left = Math.min(12, left + (Date.now() - written) / WRITE_AGAIN_MS);
  written = Date.now();
  if (left >= 1) settle();
  else if (!scheduled) setTimeout(settle, WRITE_AGAIN_MS);
}
function settle() {
  if (coming === null) return;
  history.replaceState(null, "", coming);
  coming = null;
  left -= 1;
}

/** The address holds the panel and its state: #/ask?graph=…&task=bfs
 *
 * Where it names no graph, the one on the command line is meant. */
function read() {
  const [path, query = ""] = (coming ?? location.hash).replace(/^#\/?/, "").split(/\?(.*)/s);
  const panel = PANELS.find((p) => p.name === path) ?? PANELS[0];
  const { first } = document.documentElement.dataset;
  return { panel, params: { ...(first && { graph: first }), ...Object.fromEntries(new URLSearchParams(query)) } };
}

/** What a panel is given beside its root. */
function labFor(name) {
  return {
    get params() { return read().params; },
    /** Change the state in the address; null removes. With push the back button comes back to here. */
    set(params, push = false) {
      if (read().panel.name !== name) return;
      const next = address(name, { ...read().params, ...params });
      if (next === (coming ?? location.hash)) return;
      if (push) {
        settle();
        location.hash = next;
      } else {
        write(next);
        drawTabs();
      }
    },
    go(panel, params = {}) {
      settle();
      location.hash = address(panel, { graph: read().params.graph, ...params });
    },
  };
}

/** A source in a few words: kronecker scale 12, seed 1, weights. */
function words(source) {
  const [head, query = ""] = source.split(/\?(.*)/s);
  const said = (k, v) => (v === "true" ? k : v === "false" ? `not ${k}` : `${k} ${v}`);
  const told = [...new URLSearchParams(query)].map(([k, v]) => said(k.replace("rng", "seed"), v)).join(", ");
  let name = head.replace(/^(file|data):/, "");
  try {
    name = decodeURIComponent(name);
  } catch { /* somebody typed it */ }
  return `${name} ${told}`.trim().replace(/[\p{Cc}\p{Cf}]/gu, "?"); // nothing that turns or hides text
}

function drawTabs() {
  const { panel, params } = read();
  const chip = document.getElementById("graph");
  chip.hidden = !params.graph;
  chip.href = address("graph", { graph: params.graph });
  chip.textContent = params.graph ? words(params.graph) : "";
  chip.setAttribute("aria-label", `The graph that is open: ${chip.textContent}`);
  fill(tabs, PANELS.map((p) => el("a", {
    href: address(p.name, { graph: params.graph }), "aria-current": p === panel ? "page" : undefined,
  }, p.title)));
}

async function route() {
  const { panel, params } = read();
  hide();
  drawTabs();
  document.title = `${panel.title} · Tachograph lab`;
  if (now?.name === panel.name) {
    now.view?.update?.(params);
    return;
  }
  now?.view?.unmount?.();
  const mine = { name: panel.name, view: null };
  now = mine;
  try {
    const module = await panel.load();
    if (now !== mine) return;
    fill(root);
    root.dataset.panel = panel.name;
    root.setAttribute("aria-label", panel.title);
    mine.view = await module.mount(root, labFor(panel.name));
  } catch (error) {
    if (now !== mine) return;
    console.error(error);
    now = null;
    fill(root, notice(`This panel could not be loaded: ${error.message}`));
  }
}

onLost((lost) => {
  const box = document.getElementById("lost");
  if (lost === !box.hidden) return;
  box.hidden = !lost;
  fill(box, lost && ["The lab's server does not answer. If it was ended, start ", el("code", {}, "tacho lab"),
    " again and open the address that it prints. What had finished is in the journal. ",
    button("Try again", () => location.reload(), "plain")]);
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
function label() {
  theme.textContent = isDark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", `Change to ${theme.textContent.toLowerCase()} colours`);
}
const kept = localStorage.getItem("tachograph-theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("tachograph-theme", document.documentElement.dataset.theme);
  label();
});
dark.addEventListener("change", label);
label();
addEventListener("hashchange", () => {
  coming = null;
  route();
});
document.querySelector(".skip").addEventListener("click", (e) => { // the address is that of a panel
  e.preventDefault();
  root.focus();
});
document.addEventListener("keydown", (e) => { // Alt and a number: that tab
  if (e.altKey && PANELS[Number(e.key) - 1]) {
    e.preventDefault();
    location.hash = address(PANELS[Number(e.key) - 1].name, { graph: read().params.graph });
  }
});
route();
