// Plans and results in a notebook: the views of the panel Run, without the server.

import { hide } from "./lib/charts.js";
import { notice } from "./lib/controls.js";
import { el, fill } from "./lib/dom.js";
import { comparisonView, outcomeView } from "./panels/run.js";

/** model has "told": {plan: …} or {outcome: …}, and perhaps {error}; a run is asked for by a message. */
function render({ model, el: root }) {
  const top = el("div", { class: "stack" }), below = el("div", { class: "stack" });
  const box = el("div", { class: "tacho-widget" }, el("div", { class: "stack" }, top, below));
  if (!document.getElementById("tip")) box.append(el("div", { id: "tip", role: "status" }));
  root.append(box);
  const ask = (ways) => model.send({ run: ways });
  function draw() {
    const { plan, outcome, error } = model.get("told");
    hide();
    fill(top, error && notice(error), outcome && outcomeView(outcome));
    fill(below, plan && comparisonView(plan, {
      runOne: (way) => ask([way]),
      runOthers: () => ask(plan.candidates.filter((c) => c.actual === null).map((c) => c.way)),
      open: (c) => model.send({ show: c.way }),
    }));
  }
  model.on("change:told", draw);
  draw();
}

export default { render };
