"""How good plans are on graphs that the times were not learned from: predictions and first choices.

    python benchmarks/planning.py            all that are here, about ten minutes
    python benchmarks/planning.py --budget 120 --json planning.json

Every way of every task runs several times on each graph (what the journal has is not run again);
predictions are made from the shape alone, with the model in use. Real graphs are used if
$TACHOGRAPH_DATA has them.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from pathlib import Path

import numpy as np

from tachograph.decisions.times import the_model
from tachograph.learning.direction.graphs import UNSEEN, present
from tachograph.learning.times.collect import collect
from tachograph.learning.times.train import judge, shares

LEAST, MOST = 1e5, 1e7  # edges


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds of measuring")
    parser.add_argument("--json", type=Path, help="write all rows here")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    records = collect(present(UNSEEN), options.budget)
    rows = [r for r in judge(the_model(), records) if LEAST <= r["arcs"] <= 2 * MOST]
    print(f"{len({r['graph'] for r in rows})} graphs, {len(rows)} ways measured")
    print("\nway                      rows  within 35 %  in the interval  median  90th percentile")
    groups = defaultdict(list)
    for row in rows:
        groups[row["name"]].append(row)
    first = [r for r in rows if r["name"].split("/")[1] in ("auto", "host")]
    for name, own in [*groups.items(), ("what plans run first", first), ("all", rows)]:
        off = [abs(math.exp(r["off"]) - 1) for r in own]
        held = np.mean([r["low"] <= r["seconds"] <= r["high"] for r in own])
        print(f"{name:24} {len(own):4} {shares(r['off'] for r in own):12.0%} {held:16.0%} "
              f"{np.median(off):7.0%} {np.quantile(off, 0.9):16.0%}")  # fmt: skip
    first_choices(rows)
    if options.json:
        with options.json.open("w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def first_choices(rows: list[dict]) -> None:
    """The actual time of what stands first, by that of the fastest candidate of the host."""
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
    print("\ntask          questions  first within 10 % of the best  median   worst")
    for task, own in ratios.items():
        near = np.mean(np.array(own) <= 1.1)
        print(f"{task:12} {len(own):10} {near:30.0%} {np.median(own):7.2f} {max(own):7.2f}")


if __name__ == "__main__":
    main()
