// Journal: what was run, how predictions and budgets were kept, two runs side by side, and export.

import { get, latest, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, choice, copies, empty, facts, field, guarded, head, notice, provenance, table } from "../lib/controls.js";
import { announce, calm, el, fill, words } from "../lib/dom.js";
import { count, factor, percent, seconds } from "../lib/numbers.js";

const FILTERS = ["task", "way", "provenance", "named"]; // in the address; "graph" there is the open graph
const when = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

export async function mount(root, lab) {
  const filters = el("div", { class: "filters" }), shown = el("div", { class: "stack" }), opened = el("div", { class: "stack" });
  let listed = null, one = null;
  fill(root, head("Journal", "Every run that was kept: what was promised, and what was kept.", copies(() => one ?? listed)),
    el("div", { class: "stack" }, el("section", { class: "card", "aria-label": "Filters" }, filters), opened, shown));

  const told = () => {
    const { named, ...rest } = Object.fromEntries(FILTERS.filter((k) => lab.params[k]).map((k) => [k, lab.params[k]]));
    return named ? { ...rest, graph: named } : rest;
  };
  const set = (params) => { lab.set(params); soon(); };
  const chosen = () => (lab.params.run ?? "").split(",").filter(Boolean);

  const list = latest(() => {
    if (!listed) fill(shown, el("p", { class: "waiting" }, "Reading the journal …"));
    return guarded(shown, () => post("journal/runs", { told: told(), width: chartWidth(shown) }));
  }, (found) => {
    listed = found;
    drawFilters();
    fill(shown, ...journalView(found, act));
    announce(`${count(found.count)} runs`);
  });
  const act = { chosen, open, compare, filtered: () => FILTERS.some((k) => lab.params[k]) };
  const soon = calm(list, 60);

  function drawFilters() {
    if (filters.contains(document.activeElement) && filters.childElementCount) return drawExport();
    const pick = (name, label) => choice({ label, value: lab.params[name] ?? "", options: [["", "all"], ...listed.choices[name].map((v) => [v, words(v)])],
      onchange: (v) => set({ [name]: v || null }) }).node;
    fill(filters, pick("task", "Task"), pick("way", "Way"), pick("provenance", "Times are"),
      field({ label: "Graph's name has", value: lab.params.named ?? "", placeholder: "anything", onchange: (v) => set({ named: v || null }) }).node,
      el("div", { class: "field" }, el("span", { class: "soft" }, "Export"), el("div", { class: "row export" })));
    return drawExport();
  }
  function drawExport() {
    const query = (format) => new URLSearchParams({ ...told(), format });
    fill(filters.querySelector(".export"), ["csv", "parquet"].map((format) =>
      el("a", { class: "button", href: `api/journal/export?${query(format)}`, download: `runs.${format}`, "aria-label": `Export as ${format}` }, format === "csv" ? "CSV" : "Parquet")));
  }

  async function open(number) {
    lab.set({ run: String(number) });
    await details();
    opened.scrollIntoView({ block: "start", behavior: "smooth" });
  }
  function compare(number, on) {
    const now = on ? [...chosen(), String(number)].slice(-2) : chosen().filter((n) => n !== String(number));
    lab.set({ run: now.join(",") || null });
    fill(shown, ...journalView(listed, act));
    shown.querySelector(`[data-run="${number}"]`)?.focus();
    return details().then(() => {
      if (!one || chosen().length < 2) return;
      opened.scrollIntoView({ block: "start", behavior: "smooth" });
      announce(inWords(one));
    });
  }
  async function details() {
    opened.hidden = !lab.params.run;
    if (!lab.params.run) {
      one = null;
      fill(opened);
      return;
    }
    const wide = chosen().length > 1 && root.clientWidth > 1080 ? (root.clientWidth - 20) / 2 - 40 : root.clientWidth - 40;
    const found = await guarded(opened, () => get("journal/run", { run: lab.params.run, width: Math.round(Math.max(280, Math.min(wide, 900))) }));
    if (!found) return;
    one = found;
    fill(opened, ...runView(found), el("div", { class: "row" }, button("Close", () => { lab.set({ run: null }); details(); if (listed) fill(shown, ...journalView(listed, act)); })));
  }
  const update = async () => { await Promise.all([list(), details()]); };
  await update();
  return { update };
}

const chartWidth = (node) => { // two beside each other where there is room
  const room = widthFor(node) >= 900 ? node.clientWidth / 2 - 48 : widthFor(node) - 36;
  return Math.round(Math.max(260, Math.min(room, 620)));
};

/** The list of runs, with what became of predictions. */
export function journalView(told, { chosen, open, compare, filtered }) {
  if (!told.count) {
    return [empty(`${filtered() ? "No run passes these filters." : "No runs are kept yet."} Runs that take long enough are kept by themselves; those of the panel Run always are.`)];
  }
  const rows = told.runs.map((r) => [
    el("input", { type: "checkbox", checked: chosen().includes(String(r.run)), "aria-label": `Compare run ${r.run}`, "data-run": r.run,
      onchange: (e) => compare(r.run, e.target.checked) }),
    button(String(r.run), () => open(r.run), "link", { "aria-label": `Open run ${r.run}` }),
    when.format(new Date(r.when * 1000)), words(r.task), r.way, r.graph, provenance(r.provenance),
    r.predicted === null ? "" : seconds(r.predicted), seconds(r.seconds), r.lost === null ? "" : percent(r.lost),
  ]);
  const columns = [{ name: "", number: true }, { name: "run", number: true }, "when", "task", "way", { name: "graph", wide: true }, "times are",
    { name: "predicted", number: true }, { name: "actual", number: true }, { name: "lost", number: true }];
  const numbers = (names) => names.map((name) => ({ name, number: true }));
  return [
    el("section", { class: "card lead" }, facts(told.facts)),
    (told.calibration || told.regret) && el("div", { class: "halves" },
      told.calibration ? card("Promised and kept", [], chart(told.calibration)) : null,
      card("Regret", [], told.regret ? chart(told.regret) : el("p", { class: "soft" }, "Not known yet: it needs two ways of the same question."),
        table(["task", ...numbers(["runs", "off", "within 35 %", "lost", "worst"])], told.summaries, { caption: "off: median distance of predictions; lost: above the best known run" }))),
    card("Runs", [], table(columns, rows, { caption: `${count(told.count)} runs, the last ones first. Tick two to compare them.` })),
    told.budgets.length > 0 && card("Error budgets", [],
      table([{ name: "run", number: true }, "task", ...numbers(["allowed", "proved", "audited"]), ""], told.budgets, { caption: "The error that was allowed, the bound that was proved, and what an audit found" })),
  ].filter(Boolean);
}

/** How the times of two runs compare. */
function inWords(told) {
  const [slow, fast] = told.sections.map((s, k) => [s.title.split(":")[0], told.seconds[k]]).sort((a, b) => b[1] - a[1]);
  return `R${fast[0].slice(1)} took ${factor(fast[1] / slow[1])} the time of ${slow[0]}.`;
}

/** One run, or two side by side. */
export function runView(told) {
  const compared = told.compared.length > 0 && card("Compared", [],
    el("p", {}, inWords(told)),
    chart(told.together),
    table(["", ...told.sections.map((s) => s.title.split(":")[0])], told.compared.map(([name, a, b]) => [name, a, b]),
      { caption: "Facts; those that differ are bold", whole: true, rowProps: (i) => (told.compared[i][3] ? { class: "first" } : {}) }));
  const sections = told.sections.map((s) => card(s.title, [],
    ...s.text.map((line) => el("p", {}, line)), facts(s.facts),
    ...s.figures.map((f) => [chart(f.svg), f.rows.length > 0 && el("details", {}, el("summary", {}, f.title || "Numbers"), table(f.columns, f.rows, { caption: f.title }))])));
  return [compared, sections.length > 1 ? el("div", { class: "halves" }, sections) : sections[0]].filter(Boolean);
}
