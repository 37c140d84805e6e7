// What panels are made of: cards, facts, tables, sliders, choices, notices, and buttons that copy.

import { el, fill, unique } from "./dom.js";
import { count } from "./numbers.js";

const MANY_COLUMNS = 5; // which a phone has no room for
const LONG_FACT = 40; // characters: a sentence, which needs the whole width

/** A titled part of a panel; tools stand at the right of the title. */
export function card(title, tools = [], ...children) {
  const id = unique("card");
  return el("section", { class: "card", "aria-labelledby": id },
    el("header", {}, el("h2", { id }, title), el("div", { class: "tools" }, tools)),
    ...children);
}

/** The head of a panel: its title, a sentence, and what can be copied. */
export function head(title, about, tools = []) {
  return el("div", { class: "head" },
    el("div", {}, el("h1", {}, title), el("p", { class: "soft" }, about)),
    el("div", { class: "tools" }, tools));
}

/** Names and values, as [["vertices", "1,024"], …]. */
export const facts = (pairs) =>
  el("dl", { class: "facts" }, pairs.map(([name, value]) =>
    el("div", { class: String(value).length > LONG_FACT ? "long" : undefined }, el("dt", {}, name), el("dd", {}, value))));

/**
 * A table: columns are names, or {name, number: true} or {name, wide: true}; rows hold text or nodes.
 * On a phone, a row of a table with many columns stands by itself, each value below the name of its column.
 */
export function table(columns, rows, { caption = "", first = false, whole = false, rowProps = () => ({}) } = {}) {
  const kinds = columns.map((c) => (typeof c === "string" ? { name: c } : c));
  const many = kinds.length >= MANY_COLUMNS && kinds.some((c) => c.wide); // numbers alone are better compared in columns
  const look = (c) => ({ class: [c.number && "n", c.wide && "w", c.place && "place"].filter(Boolean).join(" ") || undefined });
  const role = (name) => (many ? { role: name } : {}); // or it would be no table where its rows stand by themselves
  return el("div", { class: `table${whole ? " whole" : ""}${many ? " many" : ""}`, tabindex: "0", role: "region", "aria-label": caption || kinds[0].name },
    el("table", role("table"),
      caption && el("caption", {}, caption),
      el("thead", role("rowgroup"), el("tr", role("row"), kinds.map((c) => el("th", { scope: "col", ...role("columnheader"), ...look(c) }, c.name)))),
      el("tbody", role("rowgroup"), rows.map((row, i) => el("tr", { class: first && i === 0 ? "first" : undefined, ...role("row"), ...rowProps(i) },
        row.map((cell, k) => el("td", { ...look(kinds[k]), ...role("cell"), ...(many ? { "data-name": kinds[k].name } : {}) }, cell)))))));
}

/** What is wrong (kind "bad"), or worth knowing. */
export const notice = (text, kind = "bad") =>
  el("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, text);

/** What a panel shows when there is nothing yet. */
export const empty = (text, ...actions) =>
  el("div", { class: "empty" }, el("p", {}, text), el("div", { class: "row" }, actions));

/** A button; kind is "main" or nothing. */
export const button = (text, onclick, kind = "", more = {}) =>
  el("button", { type: "button", class: kind, onclick, ...more }, text);

/** Make a list of buttons one stop of the Tab key: arrows, Home and End move inside it. */
export function oneStop(node, buttons) {
  const stand = (at) => buttons.forEach((b, k) => { b.tabIndex = k === at ? 0 : -1; });
  node.addEventListener("keydown", (e) => {
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[e.key];
    if (at < 0 || to === undefined) return;
    e.preventDefault();
    buttons[to]?.focus();
  });
  node.addEventListener("focusin", (e) => buttons.includes(e.target) && stand(buttons.indexOf(e.target)));
  stand(0);
  return node;
}

/** A link to a panel: link("Ask", "ask", {graph}). */
export const link = (text, panel, params = {}, kind = "") =>
  el("a", { class: kind, href: address(panel, params) }, text);

export const address = (panel, params = {}) => {
  const told = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== undefined && v !== null && v !== ""));
  return `#/${panel}${told.size ? `?${told}` : ""}`;
};

/** A slider with its value beside it. oninput(value) is called while it moves. */
export function slider({ label, low, high, step = 1, log = false, whole = true, value, shown = count, oninput, onchange }) {
  const id = unique("s"), parts = 200;
  const at = (v) => (log ? (Math.log(v / low) / Math.log(high / low)) * parts : v);
  const grown = (p) => low * (high / low) ** (p / parts);
  const of = (p) => (!log ? p : whole ? Math.round(grown(p)) : Number(grown(p).toPrecision(2)));
  const out = el("output", { for: id, "aria-live": "off" }); // the slider itself says it
  const range = el("input", {
    id, type: "range", min: log ? 0 : low, max: log ? parts : high, step: log ? 1 : step, value: at(value),
  });
  let exact = value; // a logarithmic slider cannot stand on every number
  const show = () => {
    out.textContent = shown(exact);
    range.setAttribute("aria-valuetext", shown(exact));
  };
  range.addEventListener("input", () => {
    exact = of(Number(range.value));
    show();
    oninput?.(exact);
  });
  range.addEventListener("change", () => onchange?.(exact));
  show();
  const node = el("div", { class: "slider" }, el("label", { for: id }, label), out, range);
  return { node, get value() { return exact; }, set value(v) { exact = v; range.value = at(v); show(); } };
}

/** A choice of one: options are [value, text] or plain values. */
export function choice({ label, options, value, onchange }) {
  const id = unique("c");
  const box = el("select", { id, onchange: () => onchange?.(box.value) },
    options.map((o) => {
      const [key, text] = Array.isArray(o) ? o : [o, o];
      return el("option", { value: key, selected: key === value }, text);
    }));
  const node = el("div", { class: "field" }, el("label", { for: id }, label), box);
  return { node, get value() { return box.value; }, set value(v) { box.value = v; } };
}

/** A box to tick. */
export function check({ label, value, onchange }) {
  const id = unique("k");
  const box = el("input", { id, type: "checkbox", checked: value, onchange: () => onchange?.(box.checked) });
  const node = el("div", { class: "check" }, box, el("label", { for: id }, label));
  return { node, get value() { return box.checked; }, set value(v) { box.checked = v; } };
}

/** A line of text; onchange(text) when it is finished. */
export function field({ label, value = "", placeholder = "", onchange }) {
  const id = unique("f");
  const box = el("input", { id, type: "text", value, placeholder, autocomplete: "off", spellcheck: "false",
    onchange: () => onchange?.(box.value.trim()) });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), box);
  return { node, get value() { return box.value.trim(); }, set value(v) { box.value = v; } };
}

/** A word with a colour for where a number comes from: measured, modelled, simulated, published. */
export const provenance = (word) => el("span", { class: `word ${word}` }, word);

/** Where predicted times come from, and what they rest on. */
export const predictions = (notes) => el("p", { class: "soft" }, `Times are predictions${notes.length ? `: ${notes.join("; ")}` : ""}.`);

/** A bar that shows a share from 0 to 1; null if it is not known. */
export function progress(label) {
  const bar = el("progress", { "aria-label": label, max: "1" });
  return { node: bar, set(share) { if (share === null) bar.removeAttribute("value"); else bar.value = share; } };
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // an old browser, or no permission
    const area = el("textarea", { value: text, "aria-hidden": "true", class: "away" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** The buttons "Copy as Python" and "Copy as command"; told is {python, command} or a function of it. */
export function copies(told) {
  const one = (text, key) => {
    const made = button(text, async () => {
      const now = typeof told === "function" ? told() : told;
      if (!now?.[key]) return;
      await toClipboard(now[key]);
      made.textContent = "Copied";
      setTimeout(() => { made.textContent = text; }, 3000);
    }, "plain", { "data-copy": key, "aria-live": "polite", title: `Copy what does the same ${key === "python" ? "in Python" : "in a shell"}` });
    return made;
  };
  return el("div", { class: "copies" }, one("Copy as Python", "python"), one("Copy as command", "command"));
}

/** Run f; show what is refused inside node. */
export async function guarded(node, f) {
  try {
    return await f();
  } catch (error) {
    if (error.name !== "AbortError") {
      fill(node, notice(error.message));
      if (!error.kind) console.error(error);
    }
    return undefined;
  }
}
