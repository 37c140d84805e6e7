// Learn: watch a policy choose at every level of a recorded search; change its numbers and replay it.

import { events, latest, post } from "../lib/api.js";
import { chart, widthFor } from "../lib/charts.js";
import { button, card, choice, copies, empty, facts, field, guarded, head, link, notice, slider, table } from "../lib/controls.js";
import { announce, el, fill } from "../lib/dom.js";
import { count, factor, seconds } from "../lib/numbers.js";

const ABOUT = "Watch SURF's network choose push or pull at every level of a search. Change a weight, and replay the search.";
const POLICIES = [["surf", "surf: our network"], ["surf-paper", "surf-paper: the network as published"], ["cost", "cost: predicts both times (auto)"]];

/** "threshold:1.5,r_f:0" of the address as {threshold: 1.5, r_f: 0}. */
const changesOf = (text) => Object.fromEntries((text ?? "").split(",").filter(Boolean)
  .map((part) => [part.slice(0, part.lastIndexOf(":")), Number(part.slice(part.lastIndexOf(":") + 1))]));

export async function mount(root, lab) {
  const side = el("div", { class: "side" }), shown = el("div", { class: "stack" });
  const turned = el("div", { class: "controls" });
  let told = null, again = false, drawn = null; // drawn: which sliders there are, and what they stand on
  let following = null, closing = () => {}; // the number of the recording that is followed
  fill(root, head("Learn", ABOUT, copies(() => told)), el("div", { class: "two" }, side, shown));

  const set = (params) => { lab.set(params); replay(); };
  const policy = choice({ label: "Who chooses", options: POLICIES, value: lab.params.policy ?? "surf",
    onchange: (v) => set({ policy: v, set: null, unit: null }) });
  const source = field({ label: "From vertex", placeholder: "that of highest degree", value: lab.params.source ?? "",
    onchange: (v) => set({ source: v || null, level: null }) });
  fill(side,
    card("Search", [], policy.node, source.node,
      el("div", { class: "row" }, button("Record it again", () => { again = true; replay(); }))),
    card("Change", button("Reset", () => set({ set: null }), "plain"), turned));

  const turn = (name, value, usual) => {
    const changes = changesOf(lab.params.set);
    if (value === usual) delete changes[name];
    else changes[name] = value;
    set({ set: Object.entries(changes).map(([k, v]) => `${k}:${v}`).join(",") || null });
    drawn = key();
  };
  const key = () => [told.policy, lab.params.unit ?? "", told.start, told.graph, lab.params.set ?? ""].join(" ");

  function knobs() { // made anew only if something else than a slider has changed them
    if (drawn === key()) return;
    drawn = key();
    const changes = changesOf(lab.params.set);
    const units = told.units ? choice({ label: "Weights of a single hidden unit", value: lab.params.unit ?? "",
      options: [["", "none"], ...Array.from({ length: told.units }, (_, k) => [String(k), `unit ${k}`])],
      onchange: (v) => set({ unit: v || null }) }).node : null;
    fill(turned, told.knobs.map((knob) => knobSlider(knob, changes[knob.name], told, turn)), units);
  }

  const replay = latest(() => {
    const now = lab.params;
    if (!now.graph) {
      fill(shown, empty("Open a graph first: a search needs one.", link("Open a graph", "graph", {}, "button main")));
      return null;
    }
    if (!told && following === null) fill(shown, el("p", { class: "waiting" }, "Looking at the graph …"));
    const number = (v) => (v === undefined ? undefined : Number(v));
    const given = { policy: now.policy, start: now.source, changes: changesOf(now.set), unit: number(now.unit), level: number(now.level) };
    const asked = { source: now.graph, told: JSON.parse(JSON.stringify(given)), width: widthFor(shown) - 36, again };
    again = false;
    return guarded(shown, () => post("learn/replay", asked));
  }, (found) => {
    if (found.recording) {
      follow(found.recording);
      return;
    }
    leave();
    told = found;
    knobs();
    fill(shown, ...replayView(told, (level) => set({ level })));
    announce(shown.querySelector("h2").textContent);
  });
  const leave = () => { closing(); following = null; };

  /** Follow a recording until it is over; then replay it. */
  function follow(number) {
    if (following === number) return;
    leave();
    following = number;
    const said = el("p", {}, "Waiting …");
    const stop = button("Stop", async () => {
      stop.disabled = true;
      await guarded(said, () => post("learn/stop", { recording: number }));
    }, "stop");
    const shows = card("Recording", [stop], said, el("p", { class: "soft" }, "Every level of the search is timed in both directions, several times."));
    shows.classList.add("live");
    fill(shown, shows);
    closing = events("learn/watch", { recording: number }, {
      state(now) {
        said.textContent = now.status === "waiting" ? "Waiting for what runs before it …" : `${seconds(now.seconds ?? 0)} so far, ${count(now.calls ?? 0)} calls of kernels`;
      },
      end(now) {
        leave();
        const begin = button(told ? "Show what was recorded before" : "Record it", replay, "main");
        if (now.status === "done") replay();
        else fill(shown, now.status === "stopped" ? notice("The recording was stopped. Nothing of it is kept.", "note") : notice(now.error), el("div", { class: "row" }, begin));
      },
      error(refused) { if (refused) said.textContent = "This recording cannot be followed."; },
    });
  }

  function update(now) {
    policy.value = now.policy ?? "surf";
    source.value = now.source ?? "";
    return replay();
  }
  await update(lab.params);
  return { update, unmount: leave };
}

/** A slider for a number: of factors from 0 to 3 (a network) or from 1/8 to 8 (a cost). */
function knobSlider(knob, value, told, turn) {
  if (knob.factor && told.policy === "cost") {
    return slider({ label: knob.about, low: -3, high: 3, step: 0.1, value: Math.log2(value ?? 1), shown: (v) => factor(2 ** v),
      oninput: (v) => turn(knob.name, v === 0 ? 1 : Number((2 ** v).toPrecision(4)), 1) }).node;
  }
  if (knob.factor) {
    return slider({ label: knob.about, low: 0, high: 3, step: 0.05, value: value ?? 1, shown: factor,
      oninput: (v) => turn(knob.name, v, 1) }).node;
  }
  const reach = knob.name === "threshold" ? Math.max(1, Math.ceil(told.reach * 1.2)) : Math.max(1, Math.ceil(Math.abs(knob.value) * 3));
  const usual = Number(knob.value.toPrecision(4));
  return slider({ label: knob.about, low: -reach, high: reach, step: reach / 100, value: value ?? usual,
    shown: (v) => (v > 0 ? "+" : "") + count(Number(v.toPrecision(3))), oninput: (v) => turn(knob.name, Number(v.toPrecision(4)), usual) }).node;
}

/** A replay: what flips, what each policy chose, a level close up, and the times. */
export function replayView(told, go = () => {}) {
  const before = told.scores.find((s) => s.name === told.policy), now = told.scores[0];
  const changed = now.name === "changed";
  const flips = told.flips.length;
  const best = told.scores.at(-1);
  const columns = ["who", { name: "time", number: true }, { name: "over the best", number: true }, { name: "faster direction taken", number: true }, { name: "pulls", number: true }];
  const rows = told.scores.map((s) => [s.name, seconds(s.seconds), factor(s.over), `${s.right} of ${told.levels}`, String(s.pulls)]);
  return [
    el("section", { class: "card lead" },
      el("h2", {}, changed && !flips ? `No level flips: still ${seconds(now.seconds)}` : changed ? `${flips} of ${told.levels} levels flip: ${seconds(before.seconds)} becomes ${seconds(now.seconds)}`
        : `${told.policy} takes ${seconds(now.seconds)}, ${now.over < 1.005 ? "the best that was possible" : `${factor(now.over)} the best that was possible`}`),
      el("p", {}, changed && flips === 0 ? "Your changes do not change a single direction of this search." : changed
        ? `That is ${factor(now.seconds / before.seconds)} the time of the policy as it was learned, and ${factor(now.over)} that of the best directions.`
        : `The best directions would take ${seconds(best.seconds)}.`),
      el("p", { class: "soft" }, `A replay: the search from ${told.start} was recorded once on this machine (${told.threads} thread${told.threads > 1 ? "s" : ""}), and both directions of its levels were timed. `
        + "Times are sums of these, measured; a level's state is the same whatever was chosen before.")),
    card("Push or pull", [], chart(told.choices),
      told.levels > told.rows.length && notice(`${told.rows.length} of ${told.levels} levels are shown: those where most is at stake.`, "note")),
    levelView(told, go),
    card("Levels", [], chart(told.times, "A ring is what the other direction would have taken.")),
    card("Times", [], table(columns, rows, { caption: "Time of the whole search, by who chooses", first: true, whole: true })),
  ];
}

/** One level: what was seen, what was said, and the network with what flows through it. */
function levelView(told, go) {
  const order = told.rows.map((r) => r.level), at = order.indexOf(told.level);
  const row = told.rows[at];
  const step = (text, by, label) => button(text, () => go(order[at + by]), "plain", { disabled: order[at + by] === undefined, "aria-label": label });
  const pick = choice({ label: "Level", value: String(told.level), onchange: (v) => go(Number(v)),
    options: told.rows.map((r) => [String(r.level), `${r.level}: ${r.now}${r.now === r.before ? "" : ", flip"}`]) });
  const state = told.state;
  const said = state.output ? [["network gives", state.output]]
    : [["push predicted", state.predicted[0]], ["pull predicted", state.predicted[1]]];
  return card(`Level ${told.level} close up`, [step("‹ Before", -1, "The level before"), pick.node, step("Next ›", 1, "The next level")],
    el("p", {}, state.why),
    !state.asked && notice("The frontier is so small that it was pushed without asking.", "note"),
    facts([...said, ["push measured", state.measured[0]], [row && !row.timed ? "pull measured nearby" : "pull measured", state.measured[1]],
      ["in the frontier", row ? count(row.frontier) : "?"]]),
    el("h3", {}, "The six features"),
    told.policy !== "surf-paper" && el("p", { class: "soft" }, "Behind the arrow: as the network has it, in logarithms where the size of the graph would matter."),
    facts(state.features.map(([name, about, value]) => [`${name}: ${about}`, value])),
    told.network && chart(told.network, "A line is what a feature adds by way of a hidden unit; the thicker, the more."));
}
