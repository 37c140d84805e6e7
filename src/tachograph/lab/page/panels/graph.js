// Graph: drop a file, pick a data set, or generate one; then its features, degrees and a picture.

import { get, latest, post, upload } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, check, choice, copies, empty, facts, field, guarded, head, link, notice, oneStop, progress, slider, table } from "../lib/controls.js";
import { announce, calm, el, fill, words } from "../lib/dom.js";
import { bytes, count, short } from "../lib/numbers.js";

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), shown = el("div", { class: "stack" });
  let described = null;
  fill(root,
    head("Graph", "Open a graph: everything else in the lab is about it.", copies(() => described)),
    el("div", { class: "two" }, side, shown));
  const start = await guarded(side, () => get("graph/start"));
  if (!start) return {};

  const open = (source) => lab.set({ graph: source, vertex: null }, true);
  const generator = generators(start.generators, open);
  fill(side, dropping(open, start.room), generator.node, dataSets(start.data_sets, open), opened(start.open, open));

  const width = () => (widthFor(shown) > 700 ? Math.round(widthFor(shown) / 2) - 30 : widthFor(shown) - 34);
  const describe = latest(async () => {
    const source = lab.params.graph;
    const told = await guarded(shown, () => post("graph/describe", { source, width: width() }));
    if (!told && source.startsWith("file:")) shown.append(readAs(source, open));
    return told;
  }, (told) => {
    if (told.source !== lab.params.graph) return;
    described = told;
    announce(`${told.name}: ${told.facts.map(([name, value]) => `${name} ${value}`).join(", ")}`);
    fill(shown, ...view(told, lab, width()), told.source.startsWith("file:") && readAs(told.source, open));
  });

  async function update(params) {
    const source = params.graph;
    if (!source) {
      fill(shown, empty("No graph is open yet. Drop a file, take a data set, or generate one.",
        button("Generate one", () => generator.make(), "main")));
      return;
    }
    generator.show(source);
    if (described?.source === source) return;
    fill(shown, el("p", { class: "waiting" }, "Reading the graph …"));
    await describe();
  }

  await update(lab.params);
  return { update };
}

/** Everything that is known of a graph. */
function view(told, lab, width) {
  const picture = el("div", {}, chart(told.picture));
  const around = field({ label: "Around vertex", placeholder: "an id or a name", value: lab.params.vertex ?? "", onchange: look });
  async function look(vertex) {
    lab.set({ vertex: vertex || null });
    if (!vertex) return;
    const found = await guarded(picture, () => post("graph/picture", { source: told.source, vertex, width }));
    if (found) fill(picture, chart(found.picture));
  }
  if (lab.params.vertex) look(lab.params.vertex);
  return [
    el("section", { class: "card lead" },
      el("h2", {}, told.name), facts(told.facts),
      el("div", { class: "row" }, link("Ask how to run it", "ask", { graph: told.source }, "button main"))),
    el("div", { class: "halves" },
      card("Picture", told.n > 120 ? around.node : [], told.n ? picture : empty("It has no vertices.")),
      el("section", { class: "card" }, chart(told.degrees))),
    card("Features", [], el("p", { class: "soft" }, "What decisions and predictions look at; measured once."),
      facts(told.features)),
  ];
}

/** How a file is read: a file may not say whether its edges lead one way. */
function readAs(source, open) {
  const [head, query = ""] = source.split(/\?(.*)/s), told = new URLSearchParams(query);
  const change = (name, value) => {
    if (value) told.set(name, value);
    else told.delete(name);
    open(told.size ? `${head}?${told}` : head);
  };
  return card("Read the file as", [], el("div", { class: "row wide" },
    choice({ label: "Edges", value: told.get("directed") ?? "", onchange: (v) => change("directed", v),
      options: [["", "as the file says"], ["true", "directed"], ["false", "undirected"]] }).node,
    field({ label: "Columns of a table", placeholder: "source,target,weight", value: told.get("columns") ?? "", onchange: (v) => change("columns", v) }).node,
    check({ label: "Ids are names: number the vertices anew", value: told.get("relabel") === "true",
      onchange: (v) => change("relabel", v ? "true" : "") }).node));
}

/** Where files are dropped; room is how many bytes one may have. */
function dropping(open, room) {
  const bar = progress("sending"), said = el("div", {});
  bar.node.hidden = true;
  const input = el("input", { type: "file", id: "file", class: "away", onchange: () => input.files[0] && send(input.files[0]) });
  async function send(file) {
    fill(said);
    if (room !== null && file.size > room) {
      fill(said, notice(`${file.name} has ${bytes(file.size)}, but only ${bytes(room)} may be used: take a smaller file, or allow more memory.`));
      return;
    }
    bar.node.hidden = false;
    try {
      const { source } = await upload("graph/upload", file, (share) => bar.set(share));
      open(source);
    } catch (error) {
      fill(said, notice(error.message));
    } finally {
      bar.node.hidden = true;
      input.value = "";
    }
  }
  const zone = el("label", { class: "drop", for: "file" },
    el("b", {}, "Drop a graph file here"), el("span", {}, "or choose one: edge lists, Matrix Market, METIS, DIMACS, CSV, GraphML …, compressed or not"));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    zone.addEventListener(kind, (e) => {
      e.preventDefault();
      zone.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && e.dataTransfer.files[0]) send(e.dataTransfer.files[0]);
    });
  }
  return el("section", { class: "card" }, input, zone, bar.node, said);
}

/** A generator with a slider for each parameter. */
function generators(kinds, open) {
  const controls = el("div", { class: "controls" }), about = el("p", { class: "soft" });
  let current = kinds[0], made = {};
  const kind = choice({ label: "Kind", options: kinds.map((k) => k.name), value: current.name, onchange: (name) => { pick(name); make(); } });

  function pick(name, told = {}) {
    current = kinds.find((k) => k.name === name);
    made = {};
    about.textContent = current.about;
    fill(controls, current.sliders.map((s) => {
      const given = told[s.name];
      const label = words(s.name).replace("rng", "seed");
      made[s.name] = s.kind === "check"
        ? check({ label, value: given === undefined ? s.start : given === "true", onchange: soon })
        : slider({ ...s, label, value: given === undefined ? s.start : Number(given), shown: (v) => (v >= 1e5 ? short(v) : count(Math.round(v * 100) / 100)), onchange: soon });
      return made[s.name].node;
    }));
  }
  function make() {
    const told = new URLSearchParams();
    for (const s of current.sliders) {
      const value = made[s.name].value;
      if (s.kind === "range" || value !== s.start) told.set(s.name, value);
    }
    open(`${current.name}?${told}`);
  }
  const soon = calm(make, 150);
  pick(current.name);
  return {
    node: card("Generate", [], kind.node, about, controls, el("div", { class: "row" }, button("Generate", make, "main"))),
    make,
    show(source) { // the sliders follow the address
      const [name, query = ""] = source.split(/\?(.*)/s);
      const told = Object.fromEntries(new URLSearchParams(query));
      if (!kinds.some((k) => k.name === name)) return;
      kind.value = name;
      if (name !== current.name) pick(name, told);
      for (const s of current.sliders) { // not made anew: one of them may have the focus
        const given = told[s.name];
        made[s.name].value = given === undefined ? s.start : s.kind === "check" ? given === "true" : Number(given);
      }
    },
  };
}

function dataSets(known, open) {
  if (!known.length) {
    return card("Data sets", [], el("p", { class: "soft" }, "None is on this machine: ", el("code", {}, "TACHOGRAPH_DATA"), " names directories that have some."));
  }
  const names = known.map((d) => button(d.name, () => open(d.source), "link"));
  const rows = known.map((d, k) => [names[k], short(d.vertices ?? 0), short(d.edges ?? 0)]);
  const listed = table(["name", { name: "vertices", number: true }, { name: "edges", number: true }], rows, { caption: "On this machine" });
  return card("Data sets", [], oneStop(listed, names));
}

function opened(known, open) {
  if (!known.length) return null;
  return card("Opened before", [], el("ul", { class: "list" }, known.map((k) => el("li", {}, button(k.name, () => open(k.source), "link")))));
}
