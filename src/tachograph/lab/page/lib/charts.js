// Charts come from the server as SVG, drawn by the code that draws reports. Here they get tips.

import { el } from "./dom.js";

export const WIDE = 640, NARROW = 340;

/** The width to ask the server for, so that a chart fits into a node. */
export function widthFor(node) {
  const room = node?.clientWidth || document.documentElement.clientWidth - 40;
  return Math.round(Math.max(280, Math.min(room, 900)) / 20) * 20;
}

/** A figure with a chart of the server; svg is text. Nothing in it can run: only shapes are kept. */
export function chart(svg, caption = "") {
  const figure = el("figure", {});
  if (!svg) return figure;
  const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (read.nodeName !== "svg") return figure;
  const picture = document.importNode(read, true);
  figure.append(picture);
  if (caption) figure.append(el("figcaption", {}, caption));
  withTips(picture);
  return figure;
}

/** Show the tips of a picture's marks under the pointer, or by the arrow keys when it has the focus. */
export function withTips(picture) {
  const marks = [];
  for (const title of [...picture.querySelectorAll("title")]) {
    const mark = title.parentNode; // the browser's own tip would be shown, too
    mark.dataset.tip = title.textContent;
    title.remove();
    marks.push(mark);
  }
  if (!marks.length) return;
  let at = -1;
  const go = (to) => {
    marks[at]?.classList.remove("on");
    at = to;
    if (marks[at]) {
      marks[at].classList.add("on");
      show(marks[at]);
    } else hide();
  };
  picture.setAttribute("tabindex", "0");
  picture.addEventListener("pointerover", (e) => e.target.dataset.tip && (go(-1), show(e.target)));
  picture.addEventListener("pointerout", hide);
  picture.addEventListener("pointerdown", (e) => e.target.dataset.tip && show(e.target));
  picture.addEventListener("blur", () => go(-1));
  picture.addEventListener("keydown", (e) => {
    if (e.key === "Escape") go(-1);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    go(Math.max(0, Math.min(to, marks.length - 1)));
  });
}

function show(mark) {
  const tip = document.getElementById("tip");
  if (!tip) return;
  const box = mark.getBoundingClientRect();
  tip.textContent = mark.dataset.tip;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 4;
  const x = Math.max(4, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, room));
  let y = box.top - tip.offsetHeight - 8;
  if (y < 4) y = box.bottom + 8;
  tip.style.left = `${x + window.scrollX}px`;
  tip.style.top = `${y + window.scrollY}px`;
}

export function hide() {
  const tip = document.getElementById("tip");
  if (tip) tip.textContent = "";
}
