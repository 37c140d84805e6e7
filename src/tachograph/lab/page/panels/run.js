// Run: watch levels, rounds and placements appear, stop it, and compare what was predicted with what happened.

import { events, get, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, choice, copies, empty, facts, field, guarded, head, link, notice, predictions, progress, provenance, table } from "../lib/controls.js";
import { announce, el, fill, words } from "../lib/dom.js";
import { bytes, count, factor, percent, seconds } from "../lib/numbers.js";
import { Timeline, replay } from "../lib/timeline.js";

const NOT_TOLD = new Set(["graph", "task", "way", "run"]);
const REPLAYED_BELOW_SECONDS = 2; // a longer run was seen when it happened

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), live = el("div", { class: "stack" }), compared = el("div", { class: "stack" });
  let planned = null, going = false, closing = () => {}; // going: a run that is watched
  fill(root, head("Run", "Watch it run: what it does is shown as it happens.", copies(() => planned)));
  if (!lab.params.graph) {
    root.append(empty("Open a graph first, then run something on it.", link("Open a graph", "graph", {}, "button main")));
    return { update: (params) => params.graph && mount(root, lab) };
  }
  root.append(el("div", { class: "two" }, side, el("div", { class: "stack" }, live, compared)));
  const menu = await guarded(side, () => get("run/menu"));
  if (!menu) return {};

  const question = () => {
    const { graph, task = "bfs", ...rest } = lab.params;
    return { source: graph, task, told: Object.fromEntries(Object.entries(rest).filter(([k]) => !NOT_TOLD.has(k))) };
  };

  async function compare() {
    const width = widthFor(compared) - 40;
    const asked = question();
    const told = await guarded(compared, () => post("run/plan", { ...asked, way: lab.params.way ?? "", width }));
    if (!told || JSON.stringify(asked) !== JSON.stringify(question())) return;
    planned = told;
    drawCompared();
  }

  function drawCompared() {
    const its = going && (planned.candidates.find((c) => c.way === lab.params.way) ?? planned.candidates[0]);
    if (its) Object.assign(its, { status: "running", actual: null }); // without another plan, which would take time from the run
    const open = (c) => { lab.set({ way: c.way, run: c.run }); follow(c.run); };
    fill(compared, comparisonView(planned, { runOne, runOthers, open }));
  }

  async function runOne(way = lab.params.way, watched = true) {
    const told = await guarded(live, () => post("run/start", { ...question(), way: way ?? "", watched }));
    if (!told) return null;
    if (watched) {
      lab.set({ way: way ?? null, run: told.run });
      watch(told.run);
      live.scrollIntoView({ block: "nearest" });
    }
    return told.run;
  }

  async function runOthers() {
    const left = planned.candidates.filter((c) => c.actual === null && c.status !== "running" && c.status !== "waiting");
    const numbers = [];
    for (const c of left) numbers.push(await runOne(c.way, false));
    await compare();
    for (const number of numbers.filter(Boolean)) {
      await new Promise((done) => events("run/watch", { run: number }, { end: done, error: done }));
      await compare();
    }
  }

  /** Follow a run until it is over. */
  function watch(number) {
    closing();
    going = true;
    if (planned) drawCompared();
    const guess = (planned?.candidates.find((c) => c.way === lab.params.way) ?? planned?.candidates[0])?.predicted ?? null;
    const line = new Timeline(guess), bar = progress("how far the run has come"), said = el("p", {}); // not announced: it changes all the time
    const stop = button("Stop", async () => {
      stop.disabled = true;
      await guarded(said, () => post("run/stop", { run: number }));
    }, "stop");
    bar.node.hidden = true; // until it is known how far it has come: a bar that only moves would cost time
    const shown = card("Running", [stop], said, bar.node, line.node);
    shown.classList.add("live");
    fill(live, shown);
    closing = events("run/watch", { run: number }, {
      state(now) {
        if (now.status === "waiting") said.textContent = now.ahead ? `Waiting for ${count(now.ahead)} before it.` : "Waiting.";
        if (now.status !== "running") return;
        const about = guess ? ` of about ${seconds(guess)}` : "";
        const doing = now.label ? `: ${now.label}${now.step ? `, step ${count(now.step)}` : ""}` : "";
        said.textContent = `${seconds(now.seconds)}${about}${doing}`;
        const share = now.share ?? (guess ? Math.min(0.97, now.seconds / guess) : null);
        bar.node.hidden = share === null;
        if (share !== null) bar.set(share);
        if (now.now) line.grow(...now.now);
      },
      rows: (rows) => line.add(rows),
      end(told) {
        closing();
        line.close();
        finish(told, line);
      },
      error(refused) { if (refused) said.textContent = "This run cannot be followed."; },
    });
  }

  async function finish(told, line) {
    going = false;
    if (told.status === "stopped") {
      const seen = line?.rows.length ? card("What it had done", [], line.node) : null;
      fill(live, notice("The run was stopped. Nothing of it is kept.", "note"), seen);
    } else if (told.status === "failed") {
      fill(live, notice(told.error));
    } else {
      const found = await guarded(live, () => get("run/result", { run: told.run, width: widthFor(live) - 40 }));
      if (found) {
        fill(live, outcomeView(found));
        announce(`${words(found.task)} took ${seconds(found.seconds)}`);
      }
    }
    await compare();
    const now = await guarded(before, () => get("run/menu"));
    if (now) list(now.runs);
  }

  const form = asking(menu, lab, () => { update(lab.params); }, () => runOne());
  const before = el("div", { class: "stack" });
  const list = (runs) => fill(before, earlier(runs, lab));
  list(menu.runs);
  fill(side, form.node, before);

  let shown = "";
  async function update(params) {
    form.show(params);
    const key = JSON.stringify(question());
    if (key !== shown) {
      shown = key;
      closing();
      going = false;
      fill(live, empty("It has not been run yet.", button("Run it", () => runOne(), "main")));
      fill(compared, el("p", { class: "waiting" }, "Planning …"));
    }
    await compare();
    if (params.run) await follow(Number(params.run));
  }

  async function follow(number) {
    const told = await guarded(live, () => get("run/result", { run: number, width: widthFor(live) - 40 }));
    if (!told) {
      lab.set({ run: null });
      return;
    }
    if (told.status === "done") fill(live, outcomeView(told));
    else if (told.status === "running" || told.status === "waiting") watch(number);
    else finish(told, null);
  }

  await update(lab.params);
  return { update, unmount: () => closing() };
}

/** The task and its most common arguments. */
function asking(menu, lab, changed, run) {
  const say = (name) => (value) => { lab.set({ [name]: value || null, run: null, way: null }); changed(); };
  const about = el("p", { class: "soft" });
  const task = choice({ label: "Task", options: menu.tasks.map((t) => [t.name, words(t.name)]), value: lab.params.task ?? "bfs", onchange: (v) => {
    lab.set({ task: v, run: null, way: null, source: null, sink: null, target: null, max_error: null });
    changed();
  } });
  const fields = {};
  const box = el("div", { class: "controls" });
  const known = { source: ["From vertex", "the one of highest degree"], sink: ["To vertex", "the next one"],
    max_error: ["Error budget", "exact; 0.05 is 5 %"], threads: ["Threads", "all cores"], deadline: ["Answer within seconds", "no deadline"] };
  function show(params) {
    const now = menu.tasks.find((t) => t.name === (params.task ?? "bfs")) ?? menu.tasks[0];
    task.value = now.name;
    about.textContent = now.about;
    fill(box, Object.entries(known).filter(([name]) => now.options.includes(name)).map(([name, [label, placeholder]]) => {
      fields[name] = field({ label, placeholder, value: params[name] ?? "", onchange: say(name) });
      return fields[name].node;
    }));
  }
  show(lab.params);
  return { show, node: card("What to run", [], task.node, about, box, el("div", { class: "row" }, button("Run", run, "main"))) };
}

function earlier(runs, lab) {
  const over = runs.filter((r) => r.status === "done").slice(0, 8);
  if (!over.length) return null;
  return card("Runs of this lab", [], el("ul", { class: "list" }, over.map((r) => el("li", {},
    link(`${r.run}: ${words(r.task)}`, "run", { graph: r.source, task: r.task, way: r.way || null, run: r.run }),
    el("span", { class: "soft" }, ` ${seconds(r.seconds)} · ${r.graph}`)))));
}

/** What a run came to: predicted against actual, facts, the charts of its trace. Widgets show it, too. */
export function outcomeView(told) {
  const rows = told.rows ?? [];
  const played = el("div", {});
  const slowly = rows.length > 1 && told.seconds < REPLAYED_BELOW_SECONDS && button("Watch it in slow motion", () => {
    const again = replay(rows);
    fill(played, el("p", { class: "soft" }, `${factor(again.slow)} slower than it was`), again.node);
  }, "plain");
  return [
    card(`${words(told.task)}: ${seconds(told.seconds)}`, [provenance(told.provenance)],
      told.stopped ? notice(`${told.stopped}.`, "note") : predictedView(told),
      facts([["way", told.way], ["device", told.device], ...told.facts]),
      told.why && el("p", { class: "soft" }, `${told.provenance === "simulated" ? "How far it may be off" : "Why this way"}: ${told.why}.`)),
    told.charts.length > 0 && card("What it did", slowly ? [slowly] : [], played, ...told.charts.map((svg) => chart(svg))),
    told.table.length > 0 && el("details", { class: "card" },
      el("summary", {}, `Trace: ${count(told.iterations)} ${told.iterations === 1 ? "row" : "rows"}`),
      table(told.columns.map((name) => ({ name: words(name), number: true })), told.table,
        { caption: told.iterations > told.table.length ? `The first ${told.table.length} of ${count(told.iterations)} rows` : "" })),
  ];
}

/** How the prediction turned out, in a sentence. */
function predictedView(told) {
  if (told.predicted === null || told.predicted === undefined) return notice("Nothing was predicted for this way.", "note");
  const off = (told.seconds - told.predicted) / told.predicted;
  const inside = told.low === null || (told.low <= told.seconds && told.seconds <= told.high);
  const took = told.provenance === "measured" ? "It took" : `It would take, ${told.provenance},`;
  const bounds = told.low === null ? "" : `, between ${seconds(told.low)} and ${seconds(told.high)}`;
  return notice(`Predicted ${seconds(told.predicted)}${bounds}. ${took} ${seconds(told.seconds)}: ${off > 1 ? `${factor(1 + off)} as long` : `${percent(Math.abs(off))} ${off > 0 ? "longer" : "less"}`}${told.low === null ? "" : `, ${inside ? "inside" : "outside"} the interval`}.`,
    inside ? "good" : "note");
}

/** All candidates: predicted, and measured where they were run. Widgets show it, too. */
export function comparisonView(told, act) {
  const busy = told.candidates.some((c) => c.status === "running" || c.status === "waiting");
  const left = told.candidates.length > 1 && told.candidates.some((c) => c.actual === null), ran = told.candidates.some((c) => c.provenance);
  const rows = told.candidates.map((c) => [
    [c.name, el("small", { class: "soft" }, c.why)], seconds(c.predicted), c.low === null ? "–" : `${seconds(c.low)} to ${seconds(c.high)}`,
    c.memory === null ? "–" : bytes(c.memory),
    c.actual !== null ? button(seconds(c.actual), () => act.open(c), "link", { "aria-label": `Show the run of ${c.name}` })
      : c.status === "failed" || c.status === "stopped" ? c.status
      : c.status ? `${c.status} …` : button("run", () => act.runOne(c.way), "link", { "aria-label": `Run ${c.name}` }),
    ...(ran ? [c.provenance ? provenance(c.provenance) : ""] : [])]);
  return card("Candidates", left ? [button("Run the others too", act.runOthers, "", { disabled: busy })] : [],
    el("p", { class: "soft" }, `First because: ${told.reason}.`),
    told.candidates.some((c) => c.predicted !== null || c.actual !== null) && chart(told.chart),
    table([{ name: "way, and why", wide: true }, { name: "predicted", number: true }, { name: "between", number: true }, { name: "memory", number: true }, { name: "took", number: true }, ...(ran ? ["times are"] : [])],
      rows, { caption: "Candidates; the first is what would be run", first: true, whole: true }),
    told.candidates.some((c) => c.predicted !== null) && predictions(told.notes), ...told.refused.map((text) => notice(`Refused: ${text}.`, "note")));
}
