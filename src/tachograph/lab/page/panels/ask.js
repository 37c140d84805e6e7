// Ask: choose a task and turn the sliders; the plan is ranked again while they move.

import { get, latest, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { card, check, choice, copies, empty, field, guarded, head, link, notice, predictions, provenance, slider, table } from "../lib/controls.js";
import { announce, el, fill, words } from "../lib/dom.js";
import { bytes, percent, seconds } from "../lib/numbers.js";

const MOST_ERROR = 0.3; // of the slider
const SHORTEST = 0.001, LONGEST = 100; // seconds: of the slider of deadlines, whose end means none
const SLIDERS = ["source", "sink", "max_error", "confidence", "deadline", "threads", "device"]; // as tg.plan calls them

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), shown = el("div", { class: "stack" });
  let told = null;
  fill(root,
    head("Ask", "How should this be run, and what will it take? Turn the sliders: the ways are ranked again.", copies(() => told)),
    el("div", { class: "two" }, side, shown));
  const known = await guarded(side, () => get("ask/start"));
  if (!known) return {};

  const params = () => ({ task: "bfs", ...lab.params });
  const change = (k, v) => { lab.set({ [k]: v === "" ? null : v }); rank(); };
  const task = choice({ label: "Task", options: known.tasks.map((t) => [t, words(t)]), value: params().task,
    onchange: (v) => { lab.set({ task: v, way: null }); update(lab.params); } });
  const source = field({ label: "From vertex", placeholder: "that of highest degree", value: params().source ?? "", onchange: (v) => change("source", v) });
  const sink = field({ label: "To vertex", placeholder: "chosen for you", value: params().sink ?? "", onchange: (v) => change("sink", v) });
  const error = slider({ label: "Error that is allowed", low: 0, high: MOST_ERROR, step: 0.005, value: Number(params().max_error ?? 0),
    shown: (v) => (v ? percent(v) : "none: exact"), oninput: (v) => { confidence.node.hidden = !v; change("max_error", v || ""); } });
  const confidence = slider({ label: "Confidence that it is kept", low: 0.5, high: 0.99, step: 0.01, value: Number(params().confidence ?? 0.9),
    shown: percent, oninput: (v) => change("confidence", v) });
  const deadline = slider({ label: "Answer within", low: SHORTEST, high: LONGEST, log: true, whole: false, value: Number(params().deadline ?? LONGEST),
    shown: (v) => (v < LONGEST ? seconds(v) : "no deadline"), oninput: (v) => change("deadline", v < LONGEST ? v : "") });
  const threads = slider({ label: "Threads", low: 1, high: known.threads, value: Number(params().threads ?? known.threads),
    oninput: (v) => change("threads", v === known.threads ? "" : v) });
  const chosen = () => (lab.params.device ?? "").split(",").filter(Boolean);
  const gpus = known.gpus.map((gpu) => ({ gpu, box: check({ label: gpu.title, value: chosen().includes(gpu.name),
    onchange: (on) => change("device", [...chosen().filter((n) => n !== gpu.name), ...(on ? [gpu.name] : [])].join(",")) }) }));
  const budget = el("div", { class: "controls" }, error.node, confidence.node);
  const devices = card("GPUs that are not here", [],
    el("p", { class: "soft" }, "Their kernels are simulated on this graph. Tick some to see them beside this machine."),
    el("div", { class: "checks" }, gpus.map((g) => g.box.node)));
  fill(side, card("Question", [], task.node, source.node, sink.node, budget, deadline.node, threads.node), devices);

  const rank = latest(() => {
    const now = params();
    if (!now.graph) {
      fill(shown, empty("Open a graph first: plans are about one.", link("Open a graph", "graph", {}, "button main")));
      return null;
    }
    const given = Object.fromEntries(SLIDERS.filter((k) => now[k]).map((k) => [k, now[k]]));
    return guarded(shown, () => post("ask/plan", { source: now.graph, task: now.task, told: given, width: widthFor(shown) - 36 }));
  }, (found) => {
    told = found;
    const takes = (name) => told.takes.includes(name);
    source.node.hidden = !("source" in told.ends);
    sink.node.hidden = !("sink" in told.ends);
    budget.hidden = !takes("max_error");
    threads.node.hidden = !takes("threads") || known.threads < 2;
    devices.hidden = !takes("device");
    const now = params();
    const asked = Object.fromEntries(["graph", "task", ...told.takes].map((k) => [k, now[k]]));
    const [first] = told.candidates;
    announce(`First: ${first.name}, ${seconds(first.seconds)}, of ${told.candidates.length} ways`);
    fill(shown, ...planView(told, asked, lab));
  });

  function update(now) { // the controls follow the address
    task.value = now.task ?? "bfs";
    source.value = now.source ?? "";
    sink.value = now.sink ?? "";
    error.value = Number(now.max_error ?? 0);
    confidence.value = Number(now.confidence ?? 0.9);
    confidence.node.hidden = !Number(now.max_error);
    deadline.value = Number(now.deadline ?? LONGEST);
    threads.value = Number(now.threads ?? known.threads);
    for (const g of gpus) g.box.value = chosen().includes(g.gpu.name);
    return rank();
  }
  if (!told) fill(shown, el("p", { class: "waiting" }, "Looking at the graph …"));
  await update(lab.params);
  return { update };
}

/** A plan as a chart and a table; params are those of the address, for links to Run. */
export function planView(told, params = {}, lab = null) {
  const errors = told.candidates.some((c) => c.error_bound !== null && c.error_bound !== undefined);
  const ends = Object.entries(told.ends ?? {}).map(([k, v]) => ` ${k === "source" ? "from" : "to"} ${v}`).join("");
  const timed = told.candidates.some((c) => c.in_time !== null && c.in_time !== undefined);
  const columns = [{ name: "", number: true, place: true }, { name: "way, and why", wide: true }, "times are", { name: "time", number: true }, { name: "90 % between", number: true },
    ...(timed ? [{ name: "in time", number: true }] : []),
    ...(errors ? [{ name: "error", number: true }] : []), { name: "memory", number: true }, ...(lab ? [{ name: "", number: true }] : [])];
  const rows = told.candidates.map((c, k) => [
    String(k), [c.name, el("small", { class: "soft" }, c.reason)], c.seconds === null ? "" : provenance(c.provenance), seconds(c.seconds),
    c.low === null || c.low === undefined ? "not known" : `${seconds(c.low)} to ${seconds(c.high)}`,
    ...(timed ? [c.in_time === null ? "?" : `${Math.round(100 * c.in_time)} %`] : []),
    ...(errors ? [c.error_bound ? `${percent(c.error)} (< ${percent(c.error_bound)})` : "exact"] : []),
    c.memory === null || c.memory === undefined ? "?" : bytes(c.memory),
    ...(lab ? [link("Run", "run", { ...params, way: c.name }, "")] : []),
  ]);
  const first = told.candidates[0];
  return [
    el("section", { class: "card lead" },
      el("h2", {}, `${words(told.task)}${ends}: ${first.name}`),
      el("p", {}, `${capital(told.reason)}. `, first.seconds === null ? "There is no prediction of its time."
        : ["It should take ", el("b", {}, seconds(first.seconds)), first.low === null ? "." : ` (90 % between ${seconds(first.low)} and ${seconds(first.high)}).`]),
      el("p", { class: "soft" }, told.about),
      lab && el("div", { class: "row" }, link("Run it", "run", params, "button main"), told.elsewhere && link("What would it take elsewhere?", "what_if", { graph: params.graph, task: params.task, source: params.source, sink: params.sink }, "button"))),
    card("Candidates", [], chart(told.chart),
      table(columns, rows, { caption: "Ways to run it; the first is what would be run", first: true, whole: true }),
      told.chart && predictions(told.notes),
      ...told.refused.map((text) => notice(`Refused: ${text}.`, "note"))),
    told.pareto && card("Time against error", [], chart(told.pareto)),
  ].filter(Boolean);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
