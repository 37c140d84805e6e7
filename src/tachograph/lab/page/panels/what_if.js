// What if: machines and memories that are not here. Formulas answer at once; a click simulates.

import { events, get, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, check, choice, copies, empty, facts, field, guarded, head, link, notice, progress, provenance, slider } from "../lib/controls.js";
import { calm, el, fill } from "../lib/dom.js";
import { count, seconds } from "../lib/numbers.js";

const ABOUT = "What would it take on accelerators and GPUs that are not here? Formulas answer at once; click a time to simulate it.";
const HOST = "host";
const BOUNDS = { "all runs": "all runs between", "90 %": "90 % between", "mean error": "off by the mean error:", "median error": "off by the median error:" };

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), matrix = el("div", { class: "stack" }), near = el("div", { class: "stack", "aria-live": "polite" });
  const rows = new Map(); // machine: {cells: memory -> told}
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

  const task = choice({ label: "Task", options: known.tasks.map((t) => [t, t.replaceAll("_", " ")]), value: params().task, onchange: (v) => again({ task: v }) });
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
      const wanted = isAccelerator(machine.name) ? ["", ...memories()] : [""];
      const answer = await guarded(near, () => post("what_if/row", { ...question(), machine: machine.name, memories: wanted }));
      if (mine !== asked) return;
      if (!answer) { fill(matrix); return; } // the question itself is refused
      rows.set(machine.name, { ...answer, cells: new Map(answer.cells.map((c) => [c.memory, c])) });
      drawMatrix();
    }
  }

  function drawMatrix() {
    const every = [...rows.values()].flatMap((r) => [...r.cells.values()]).map((c) => c.seconds).filter((s) => s);
    const fastest = Math.min(...every), slowest = Math.max(...every);
    const share = (s) => (slowest > fastest ? 1 - Math.log(s / fastest) / Math.log(slowest / fastest) : 1);
    const ends = [...rows.values()][0]?.ends ?? {};
    source.node.hidden = rows.size > 0 && !("source" in ends);
    sink.node.hidden = !("sink" in ends);
    const columns = ["", ...memories()];
    const body = machines.filter((m) => !rows.has(m.name) || [...rows.get(m.name).cells.values()].some((c) => !c.why)).map((m) =>
      el("tr", {}, el("th", { scope: "row" }, m.title),
        columns.map((memory, k) => (k && !isAccelerator(m.name) ? el("td", { class: "none" }) : el("td", {}, oneCell(m, memory, share))))));
    const cannot = [...rows.values()].filter((r) => [...r.cells.values()].every((c) => c.why)).map((r) => r.machine);
    fill(matrix, card("Machines and memories", [],
      el("div", { class: "table whole matrix", tabindex: "0", role: "region", "aria-label": "Machines and memories" }, el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "machine"), columns.map((c) => el("th", { scope: "col" }, c || "its own memory")))),
        el("tbody", {}, body))),
      el("div", { class: "row" }, provenance("modelled"), provenance("simulated"), provenance("measured"),
        el("span", { class: "soft" }, "The stronger the colour, the faster. Click a time to see it from near.")),
      cannot.length > 0 && el("p", { class: "soft" }, `Cannot do it: ${cannot.join(", ")}.`)));
  }

  function oneCell(machine, memory, share) {
    const cell = rows.get(machine.name)?.cells.get(memory);
    if (!cell) return el("span", { class: "soft" }, "…");
    if (cell.why) return el("span", { class: "soft", title: cell.why }, "–");
    const here = lab.params.machine === machine.name && (lab.params.memory ?? "") === memory;
    const text = cell.seconds ? seconds(cell.seconds) : "simulate";
    const word = cell.provenance ?? "not known yet";
    const made = button([text, el("small", {}, cell.provenance ?? "")], () => open(machine.name, memory), `cell ${cell.provenance ?? ""}`, {
      "aria-label": `${machine.title}${memory ? ` with ${memory}` : ""}: ${text}, ${word}`, "aria-pressed": String(here), title: `${word}${cell.how ? `: ${cell.how}` : ""}` });
    if (cell.seconds) made.style.setProperty("--share", `${Math.round(8 + 34 * share(cell.seconds))}%`);
    return made;
  }

  async function open(machine, memory) {
    lab.set({ machine, memory: memory || null, parameter: null, value: null });
    drawMatrix();
    await look();
    near.scrollIntoView({ block: "nearest", behavior: "smooth" });
    if (told && !told.simulated && told.job === null) simulate();
  }

  /** Show the chosen machine from near. */
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
    const wanted = isAccelerator(machine) ? ["", ...memories()] : [""];
    const answer = await guarded(near, () => post("what_if/row", { ...question(), machine, memories: wanted }));
    if (!answer) return;
    rows.set(machine, { ...answer, cells: new Map(answer.cells.map((c) => [c.memory, c])) });
    drawMatrix();
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
  const between = cell.low ? ` (${BOUNDS[cell.bounds]} ${seconds(cell.low)} ${cell.bounds.endsWith("error") ? "or" : "and"} ${seconds(cell.high)})` : "";
  const at = told.sweep?.values ? ` at ${told.sweep.parameter.replaceAll("_", " ")} ${told.sweep.values[told.sweep.value]}` : "";
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
  const pick = choice({ label: "Parameter", value: sweep.parameter ?? "", options: [["", "choose one"], ...told.parameters.map((p) => [p.name, p.name.replaceAll("_", " ")])],
    onchange: (v) => turn({ parameter: v || null, value: null }) });
  const about = told.parameters.find((p) => p.name === sweep.parameter)?.about;
  const made = sweep.values && slider({ label: sweep.parameter.replaceAll("_", " "), low: 0, high: sweep.values.length - 1, value: sweep.value,
    shown: (k) => sweep.values[k], onchange: (k) => turn({ value: k }) });
  return card("Sweep a parameter", [], pick.node, about && el("p", { class: "soft" }, about), made?.node,
    sweep.values && chart(sweep.chart),
    sweep.why && notice(`Some values are not possible: ${sweep.why}`, "note"),
    sweep.values && !job && sweep.simulated < sweep.values.length && el("div", { class: "row" }, button("Simulate all values", () => simulate(true))));
}
