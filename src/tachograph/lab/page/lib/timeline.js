// A timeline that grows while a run goes on: a lane for each kind of work, a bar for each row.

import { el, fill } from "./dom.js";
import { count, seconds } from "./numbers.js";

const LANE = 30, GAP = 20, TICKS = 22, LEFT = 2;
const OWN = { push: "s1", pull: "s2", host: "s1", device: "s2" };
const OTHERS = ["s3", "s4", "s5", "s6", "s1", "s2"];

/** rows are [lane, begin, seconds, step, size, unvisited], as tasks/watch.py has them. */
export class Timeline {
  constructor(expected = 0) {
    this.rows = [];
    this.lanes = new Map(); // name -> {at, colour}
    this.expected = expected;
    this.end = Math.max(expected ?? 0, 1e-4);
    this.zero = null; // when the first row began
    this.canvas = el("canvas", { class: "timeline", role: "img", "aria-label": "The run over time" });
    this.legend = el("p", { class: "soft", "aria-live": "off" });
    this.node = el("div", {}, this.canvas, this.legend);
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.canvas);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => this.paint());
  }

  lane(name) {
    let found = this.lanes.get(name);
    if (!found) {
      const word = name.split(" on ").at(-1);
      const colour = OWN[word] ?? OTHERS[this.lanes.size % OTHERS.length];
      found = { at: this.lanes.size, colour };
      this.lanes.set(name, found);
    }
    return found;
  }

  add(rows) {
    if (!rows.length) return;
    let again = false;
    const first = this.rows.length;
    for (const row of rows) {
      this.zero ??= row[1];
      again = !this.lanes.has(row[0]) || again;
      this.lane(row[0]);
      this.rows.push(row);
    }
    const last = this.rows.at(-1), until = last[1] + last[2] - this.zero;
    if (until > this.end) {
      this.end = until * 1.5;
      again = true;
    }
    if (again) this.paint();
    else this.draw(first);
    const [lane, , took, step, size] = last;
    fill(this.legend, `${lane}${step === null ? "" : `, step ${count(step)}`}: ${seconds(took)}`,
      size ? `, ${count(size)} ${size === 1 ? "vertex" : "vertices"}` : "");
  }

  /** Show what has begun and not ended: its row comes when it has. */
  grow(name, begin, took) {
    this.zero ??= begin;
    const again = !this.lanes.has(name);
    this.lane(name);
    if (begin + took - this.zero > this.end) {
      this.end = (begin + took - this.zero) * 1.5;
      this.paint();
    } else if (again) this.paint();
    this.part([name, begin], took);
  }

  /** Everything anew, at the size that the canvas has now. */
  paint() {
    const height = Math.max(1, this.lanes.size) * (LANE + GAP) + TICKS;
    const wide = this.canvas.clientWidth, scale = window.devicePixelRatio || 1;
    if (!wide) return;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(wide * scale);
    this.canvas.height = Math.round(height * scale);
    this.pen = this.canvas.getContext("2d");
    this.pen.scale(scale, scale);
    const style = getComputedStyle(this.canvas);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
    this.wide = wide - 2 * LEFT;
    if (this.lanes.size || this.expected) this.ticks(height); // else nobody knows yet how long it is
    this.pen.font = `600 12px ${style.fontFamily}`;
    this.pen.fillStyle = this.colour("ink");
    for (const [name, { at }] of this.lanes) this.pen.fillText(name, LEFT, at * (LANE + GAP) + 13);
    this.draw(0);
  }

  ticks(height) {
    const rough = this.end / 6, size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * size).find((k) => k >= rough);
    this.pen.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
    for (let at = 0; at <= this.end; at += step) {
      const x = LEFT + (at / this.end) * this.wide;
      this.pen.fillStyle = this.colour("grid");
      this.pen.fillRect(x, 0, 1, height - TICKS + 4);
      this.pen.fillStyle = this.colour("soft");
      const text = seconds(Number(at.toPrecision(6)));
      if (x + this.pen.measureText(text).width < this.wide) this.pen.fillText(text, x + 2, height - 5);
    }
  }

  draw(first) {
    for (const row of this.rows.slice(first)) this.part(row, row[2]);
  }

  /** Draw the first seconds of a row. */
  part([name, begin], took) {
    if (!this.pen) return;
    const { at, colour } = this.lane(name);
    const x = LEFT + ((begin - this.zero) / this.end) * this.wide;
    this.pen.fillStyle = this.colour(colour);
    this.pen.fillRect(x, at * (LANE + GAP) + GAP - 2, Math.max(0.8, (took / this.end) * this.wide - 0.6), LANE);
  }

  /** The run is over: the axis ends where it ended. */
  close() {
    const ends = this.rows.map((row) => row[1] + row[2]);
    if (ends.length) this.end = Math.max(...ends.slice(-5000)) - this.zero || this.end;
    const spans = [...this.lanes.keys()].join(", ");
    this.canvas.setAttribute("aria-label", `The run over time: ${this.rows.length} rows; ${spans}`);
    this.paint();
  }
}

/** Show the rows of a run again, so slowly that one can see them; returns {node, stop}. */
export function replay(rows, lasting = 4) {
  const zero = Math.min(...rows.map((r) => r[1]));
  const end = Math.max(...rows.map((r) => r[1] + r[2])) - zero;
  const line = new Timeline(end);
  line.zero = zero;
  rows.forEach((row) => line.lane(row[0]));
  const slow = lasting / end, begun = performance.now();
  let at = 0, stopped = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  function step() {
    if (stopped) return;
    const now = still ? Infinity : (performance.now() - begun) / 1000 / slow;
    const from = at;
    while (at < rows.length && rows[at][1] + rows[at][2] - zero <= now) at += 1;
    line.add(rows.slice(from, at));
    const grows = rows[at];
    if (grows && grows[1] - zero < now) line.part(grows, now - (grows[1] - zero));
    if (at < rows.length) requestAnimationFrame(step);
    else line.close();
  }
  requestAnimationFrame(step);
  return { node: line.node, slow, stop() { stopped = true; } };
}
