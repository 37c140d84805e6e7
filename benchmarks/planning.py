"""How good plans are on graphs that the times were not learned from: predictions and first choices.

    python benchmarks/planning.py            all that are here, about ten minutes
    python benchmarks/planning.py --budget 120

Every way of every task runs several times on each graph (what the journal has is not run again);
predictions are made from the shape alone, with the model in use. Real graphs are used if
$TACHOGRAPH_DATA has them.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Table, main, rounded

from tachograph.decisions.graphs import names_of, present
from tachograph.decisions.times.model import the_model
from tachograph.decisions.times.train import Trainer, judge, shares
from tachograph.tasks.measure import runner

LEAST_EDGES, MOST_EDGES = 1e5, 1e7
COLUMNS = ["way", "runs", "within 35 %", "in the interval, %", "off, median %", "90th percentile"]


def measure(budget: float = math.inf) -> Iterator[Table]:
    trainer = Trainer(budget=budget, runner=runner())
    judged = judge(the_model(), trainer.collect(present(names_of("times", "tune", "test"))))
    rows = [r for r in judged if LEAST_EDGES <= r["arcs"] <= 2 * MOST_EDGES]
    title = f"Predicted times, {len({r['graph'] for r in rows})} graphs that were not learned from"
    shown, groups = [], defaultdict(list)
    for row in rows:
        groups[row["name"]].append(row)
    first = [r for r in rows if r["name"].split("/")[1] in ("auto", "host")]
    for name, own in [*groups.items(), ("what plans run first", first), ("all", rows)]:
        off = [abs(math.exp(r["off"]) - 1) for r in own]
        held = np.mean([r["low"] <= r["seconds"] <= r["high"] for r in own])
        found = (shares(r["off"] for r in own), held, np.median(off), np.quantile(off, 0.9))
        shown.append([name, len(own), *rounded([100 * float(x) for x in found])])
    yield Table(title, COLUMNS, shown)
    yield first_choices(rows)


def first_choices(rows: list[dict[str, Any]]) -> Table:
    """Return the actual time of what stands first, by that of the fastest candidate of the host."""
    questions = defaultdict(dict)
    for row in rows:
        task, _, way = row["name"].partition("/")
        if way not in ("device", "both"):
            questions[row["graph"], task, json.dumps(row["shape"])][way] = row["seconds"]
    ratios = defaultdict(list)
    for (_, task, _), ways in questions.items():
        if len(ways) > 1:
            ratios[task].append(next(iter(ways.values())) / min(ways.values()))
    ratios["all"] = [r for own in ratios.values() for r in own]
    shown = []
    for task, own in ratios.items():
        near = 100 * float(np.mean(np.array(own) <= 1.1))
        shown.append([task, len(own), *rounded([near, float(np.median(own)), max(own)])])
    columns = ["task", "questions", "first within 10 % of the best, %", "median ratio", "worst"]
    return Table("What stands first, by the fastest candidate of the host", columns, shown)


if __name__ == "__main__":
    main(measure)
