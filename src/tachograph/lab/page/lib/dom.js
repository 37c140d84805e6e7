// Elements without markup: text that others chose is only ever set as text.

/** Make an element: el("button", {class: "x", onclick: f, "aria-label": "…"}, "text", child, …). */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in PROPERTIES) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const PROPERTIES = { value: 1, checked: 1, hidden: 1, disabled: 1, textContent: 1, selected: 1 };

/** Replace what is inside a node. Who was there by keyboard stays: at what has the same name, or is alone there, or at the node. */
export function fill(node, ...children) {
  const held = node.contains(document.activeElement) && node !== document.activeElement ? named(document.activeElement) : null;
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  if (held !== null) {
    const able = [...node.querySelectorAll("a[href], button, input, select, summary, [tabindex]")];
    const same = able.find((n) => named(n) === held) ?? (able.length === 1 ? able[0] : null);
    if (!same) node.tabIndex = -1;
    (same ?? node).focus({ preventScroll: true });
  }
  return node;
}

/** What a control is called: by its kind, and its label or text. */
const named = (node) => `${node.tagName} ${node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent}`;

/** Let a screen reader say what has changed, in a few words: a whole panel would be read for minutes. */
export function announce(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}

/** A name as people write it. */
export const words = (name) => name.replaceAll("_", " ");

let counter = 0;
/** An id that no other element has, for labels. */
export const unique = (prefix = "e") => `${prefix}${++counter}`;

/** Call f at most once in so many milliseconds; the last call counts. */
export function calm(f, milliseconds = 60) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...given), milliseconds);
  };
}
