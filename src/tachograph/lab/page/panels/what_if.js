// What if: machines and memories that are not here. Formulas answer at once; a click simulates.

import { events, get, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, check, choice, copies, empty, facts, field, guarded, head, link, notice, progress, provenance, slider } from "../lib/controls.js";
import { announce, calm, el, fill, words } from "../lib/dom.js";
import { count, seconds } from "../lib/numbers.js";

const ABOUT = "What would it take on accelerators and GPUs that are not here? Formulas answer at once; click a time to simulate it.";
const HOST = "host";
const BOUNDS = { // before and between the two ends
  "all runs": ["all runs between", "and"], "90 %": ["90 % between", "and"], "mean error": ["off by the mean error:", "or"],
  "error on 1 graph": ["off as one graph was:", "or"], "median error": ["off by the median error:", "or"],
};

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), matrix = el("div", { class: "stack" }), near = el("div", { class: "stack" });
  const cannot = el("p", { class: "soft" });
  const rows = new Map(); // machine: {cells: memory -> told}
  const places = new Map(); // machine: {row, cells: memory -> node}
  const jobs = new Map(); // number: a simulation that is not over
  let told = null, asked = 0, heard = null, closing = () => {}; // heard: the number of the one that is listened to
  fill(root, head("What if", ABOUT, copies(() => told ?? [...rows.values()].find((r) => r.python))));
  if (!lab.params.graph) {
    root.append(empty("Open a graph first: machines need something to do.", link("Open a graph", "graph", {}, "button main")));
    return { update: (params) => params.graph && mount(root, lab) };
  }
  root.append(el("div", { class: "two" }, side, el("div", { class: "stack" }, matrix, near)));
  const known = await guarded(side, () => get("what_if/start"));
  if (!known) return {};

  const params = () => ({ task: "bfs", ...lab.params });
  const memories = () => (lab.params.memories ?? known.usual.join(",")).split(",").filter(Boolean);
  const question = () => {
    const { graph, task, source, sink } = params();
    return { source: graph, task, told: Object.fromEntries(Object.entries({ source, sink }).filter(([, v]) => v)) };
  };
  const chosen = () => {
    const { memory = "", parameter, value } = lab.params;
    return { memory, ...(parameter ? { parameter } : {}), ...(value !== undefined ? { value: Number(value) } : {}) };
  };
  const again = (now) => { lab.set(now); fillMatrix(); look(); };

  const task = choice({ label: "Task", options: known.tasks.map((t) => [t, words(t)]), value: params().task, onchange: (v) => again({ task: v }) });
  const source = field({ label: "From vertex", placeholder: "that of highest degree", value: params().source ?? "", onchange: (v) => again({ source: v || null }) });
  const sink = field({ label: "To vertex", placeholder: "chosen for you", value: params().sink ?? "", onchange: (v) => again({ sink: v || null }) });
  const ticks = known.memories.map((name) => ({ name, box: check({ label: name, value: memories().includes(name), onchange: (on) =>
    again({ memories: [...memories().filter((m) => m !== name), ...(on ? [name] : [])].join(",") || "," }) }) }));
  fill(side, card("Question", [], task.node, source.node, sink.node),
    card("Memories", [], el("p", { class: "soft" }, "Accelerators can have any of them; GPUs have their own."), el("div", { class: "checks" }, ticks.map((t) => t.box.node))));

  const machines = [{ name: HOST, title: "This machine", own: "" }, ...known.accelerators, ...known.gpus];
  const isAccelerator = (name) => known.accelerators.some((a) => a.name === name);

  /** Ask for one row after the other; cells appear as they come. */
  async function fillMatrix() {
    const mine = ++asked;
    rows.clear();
    drawMatrix();
    for (const machine of machines) {
      const answer = await guarded(near, () => post("what_if/row", { ...question(), machine: machine.name, memories: columns(machine.name) }));
      if (mine !== asked) return;
      if (!answer) { fill(matrix); return; } // the question itself is refused
      drawRow(answer);
    }
  }
  const columns = (machine) => (isAccelerator(machine) ? ["", ...memories()] : [""]);

  /** The table without times. What comes later changes its own cells only: a press on another one still counts. */
  function drawMatrix() {
    places.clear();
    const body = machines.map(({ name, title }) => {
      const cells = new Map(columns(name).map((memory) => [memory, el("td", {}, el("span", { class: "soft" }, "…"))]));
      const none = isAccelerator(name) ? [] : memories().map(() => el("td", { class: "none" }));
      const row = el("tr", {}, el("th", { scope: "row" }, title), [...cells.values()], none);
      places.set(name, { row, cells });
      return row;
    });
    fill(matrix, card("Machines and memories", [],
      el("div", { class: "table whole matrix", tabindex: "0", role: "region", "aria-label": "Machines and memories", onkeydown: walk }, el("table", { "aria-label": "Machines and memories" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "machine"), ["its own memory", ...memories()].map((c) => el("th", { scope: "col" }, c)))),
        el("tbody", {}, body))),
      el("div", { class: "row" }, provenance("modelled"), provenance("simulated"), provenance("measured"),
        el("span", { class: "soft" }, "The stronger the colour, the faster. Click a time for a closer look; arrow keys lead to the others.")),
      cannot));
    mark();
  }

  function drawRow(answer) {
    const { row, cells } = places.get(answer.machine), before = rows.get(answer.machine)?.cells;
    rows.set(answer.machine, { ...answer, cells: new Map(answer.cells.map((c) => [c.memory, c])) });
    for (const cell of answer.cells) {
      if (JSON.stringify(before?.get(cell.memory)) !== JSON.stringify(cell)) fill(cells.get(cell.memory), oneCell(answer.machine, cell));
    }
    row.hidden = answer.cells.every((c) => c.why);
    mark();
  }

  /** From cell to cell by the arrow keys: all of them are one stop of the Tab key. */
  function walk(e) {
    const at = e.target.closest("td"), row = at?.parentNode;
    const able = (one) => [...one.cells].filter((c) => c.querySelector("button"));
    const every = row ? [...row.parentNode.rows].filter((r) => !r.hidden && able(r).length) : [];
    const beside = { ArrowLeft: -1, ArrowRight: 1 }[e.key], below = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (!at || !(beside || below)) return;
    e.preventDefault();
    const next = below ? every[every.indexOf(row) + below] : row;
    const to = next && (beside ? able(row)[able(row).indexOf(at) + beside] : able(next).filter((c) => c.cellIndex <= at.cellIndex).at(-1) ?? able(next)[0]);
    to?.querySelector("button").focus();
    oneTab();
  }
  function oneTab() {
    const every = [...matrix.querySelectorAll("button.cell")];
    const stop = every.find((b) => b === document.activeElement) ?? every.find((b) => b.getAttribute("aria-pressed") === "true") ?? every[0];
    for (const b of every) b.tabIndex = b === stop ? 0 : -1;
  }

  /** What depends on all rows: how strong the colours are, which time is chosen, and who cannot do it. */
  function mark() {
    const every = [...rows.values()].flatMap((r) => [...r.cells.values()]).map((c) => c.seconds).filter((s) => s);
    const fastest = Math.min(...every), slowest = Math.max(...every);
    const share = (s) => (slowest > fastest ? 1 - Math.log(s / fastest) / Math.log(slowest / fastest) : 1);
    for (const [name, { cells }] of places) {
      for (const [memory, place] of cells) {
        const pressed = place.querySelector("button"), took = rows.get(name)?.cells.get(memory)?.seconds;
        pressed?.setAttribute("aria-pressed", String(lab.params.machine === name && (lab.params.memory ?? "") === memory));
        if (took) pressed?.style.setProperty("--share", `${Math.round(8 + 34 * share(took))}%`);
      }
    }
    oneTab();
    const ends = [...rows.values()][0]?.ends ?? {};
    source.node.hidden = rows.size > 0 && !("source" in ends);
    sink.node.hidden = !("sink" in ends);
    const names = [...places].filter(([, p]) => p.row.hidden).map(([name]) => machines.find((m) => m.name === name).title);
    fill(cannot, names.length > 0 && `Cannot do it: ${names.join(", ")}.`);
  }

  function oneCell(name, cell) {
    if (cell.why) return el("span", { class: "soft", title: cell.why }, "–");
    const { title } = machines.find((m) => m.name === name);
    const text = cell.seconds ? seconds(cell.seconds) : name === HOST ? "run it" : "simulate";
    const word = cell.provenance ?? "not known yet";
    return button([text, el("small", {}, cell.provenance ?? "")], () => open(name, cell.memory), `cell ${cell.provenance ?? ""}`, {
      "aria-label": `${title}${cell.memory ? ` with ${cell.memory}` : ""}: ${text}, ${word}`, title: `${word}${cell.how ? `: ${cell.how}` : ""}` });
  }

  async function open(machine, memory) {
    lab.set({ machine, memory: memory || null, parameter: null, value: null });
    mark();
    await look();
    near.scrollIntoView({ block: "nearest", behavior: "smooth" });
    if (told && !told.simulated && told.job === null) simulate();
  }

  /** Show the chosen machine close up. */
  async function look() {
    const { machine } = lab.params;
    if (!machine) {
      told = null;
      fill(near);
      return;
    }
    const found = await guarded(near, () => post("what_if/cell", { ...question(), machine, chosen: chosen(), width: widthFor(near) - 36 }));
    if (!found || lab.params.machine !== machine) return;
    told = found;
    if (told.simulated) announce(`${machines.find((m) => m.name === machine)?.title ?? machine}: ${seconds(told.cell.seconds)}, ${told.cell.provenance}`);
    const job = told.job === null ? null : follow(told.job, machine);
    fill(near, ...machineView(told, { title: machines.find((m) => m.name === machine)?.title ?? machine, simulate, stop, job, turn }));
  }
  const soon = calm(look, 20);
  const turn = (now) => { lab.set(now); soon(); };

  async function simulate(every = false) {
    const { machine } = lab.params;
    const started = await guarded(near, () => post("what_if/simulate", { ...question(), machine, chosen: chosen(), every }));
    if (!started) return;
    follow(started.job, machine);
    await look();
  }

  /** What is shown of a simulation until it is over. They are done in their order, so one is listened to at a time. */
  function follow(number, machine) {
    if (!jobs.has(number)) {
      const bar = progress("how far the simulation has come"), said = el("p", { class: "soft" }, "Waiting for what runs before it …");
      bar.set(null);
      jobs.set(number, { number, machine, bar, said, node: el("div", { class: "stack", "aria-live": "off" }, bar.node, said) });
      listen();
    }
    return jobs.get(number);
  }
  function listen() {
    const [first] = [...jobs.values()].sort((a, b) => a.number - b.number);
    if (!first || heard === first.number) return;
    closing();
    heard = first.number;
    let done = 0;
    closing = events("what_if/watch", { job: first.number }, {
      state(now) {
        if (now.status === "waiting") return;
        first.bar.set(now.of > 1 ? now.done / now.of : null);
        first.said.textContent = `${first.machine === HOST ? "Running here" : "Simulating"}${now.of > 1 ? `, ${now.done} of ${now.of}` : ""}: ${seconds(now.seconds ?? 0)}, ${count(now.calls ?? 0)} calls of kernels`;
        if (now.done > done) { done = now.done; look(); }
      },
      end: (now) => over(first, now),
      error(refused) { if (refused) over(first); },
    });
  }
  async function over(job, now = {}) {
    if (!jobs.delete(job.number)) return;
    if (heard === job.number) { closing(); heard = null; }
    listen();
    if (now.status === "done") refresh(job.machine);
    if (told?.job !== job.number) return;
    await look();
    if (now.status === "failed") near.prepend(notice(now.error));
  }
  async function stop(job) {
    const now = await guarded(near, () => post("what_if/stop", { job: job.number }));
    if (now?.status === "stopped") over(job, now);
  }

  async function refresh(machine) {
    const mine = asked;
    const answer = await guarded(near, () => post("what_if/row", { ...question(), machine, memories: columns(machine) }));
    if (answer && mine === asked) drawRow(answer);
  }

  async function update(now) {
    task.value = now.task ?? "bfs";
    source.value = now.source ?? "";
    sink.value = now.sink ?? "";
    for (const t of ticks) t.box.value = memories().includes(t.name);
    await Promise.all([fillMatrix(), look()]);
  }
  update(lab.params);
  return { update, unmount: () => { asked += 1; closing(); } };
}

/** One machine: its time, what a simulation has to show, and a parameter to sweep. */
export function machineView(told, { title, simulate, stop, job, turn }) {
  const cell = told.cell;
  const name = told.memory ? `${title} with ${told.memory}` : title;
  const here = told.machine === HOST;
  const [before, or] = BOUNDS[cell.bounds] ?? [];
  const between = cell.low ? ` (${before} ${seconds(cell.low)} ${or} ${seconds(cell.high)})` : "";
  const at = told.sweep?.values ? ` at ${words(told.sweep.parameter)} ${told.sweep.values[told.sweep.value]}` : "";
  const actions = job ? [job.node, button("Stop", () => stop(job), "stop")]
    : !told.simulated && !cell.why ? [el("div", { class: "row" }, button(here ? "Run it here" : "Simulate it", () => simulate(), "main"))] : [];
  const detail = told.detail.charts ?? [];
  return [
    card(`${name}${at}`, cell.provenance ? provenance(cell.provenance) : [],
      cell.why ? notice(cell.why, "note") : el("p", {}, cell.seconds ? [el("b", {}, seconds(cell.seconds)), `${between}, ${cell.how}.`] : "No formulas know this: it has to be simulated."),
      ...actions,
      told.detail.facts ? facts(told.detail.facts) : null,
      ...detail.map((svg) => chart(svg))),
    told.parameters.length > 0 && sweepView(told, { simulate, job, turn }),
  ].filter(Boolean);
}

function sweepView(told, { simulate, job, turn }) {
  const sweep = told.sweep ?? {};
  const pick = choice({ label: "Parameter", value: sweep.parameter ?? "", options: [["", "choose one"], ...told.parameters.map((p) => [p.name, words(p.name)])],
    onchange: (v) => turn({ parameter: v || null, value: null }) });
  const about = told.parameters.find((p) => p.name === sweep.parameter)?.about;
  const made = sweep.values && slider({ label: words(sweep.parameter), low: 0, high: sweep.values.length - 1, value: sweep.value,
    shown: (k) => sweep.values[k], onchange: (k) => turn({ value: k }) });
  return card("Sweep a parameter", [], pick.node, about && el("p", { class: "soft" }, about), made?.node,
    sweep.values && chart(sweep.chart),
    sweep.why && notice(`Some values are not possible: ${sweep.why}`, "note"),
    sweep.values && !job && sweep.simulated < sweep.values.length && el("div", { class: "row" }, button("Simulate all values", () => simulate(true))));
}
