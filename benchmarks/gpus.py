"""Simulated GPUs beside published runs, the fast path beside the simulator, and how long both take.

    python benchmarks/gpus.py validation     the bars, and the errors by kind of run
    python benchmarks/gpus.py fast-path      predicted beside simulated searches
    python benchmarks/gpus.py speed          seconds of a simulation and of a prediction

``$TACHOGRAPH_GPU_RUNS`` names the directory of the published runs, which only the first one reads.
Errors are max(r, 1/r), where r is the predicted over the measured (or simulated) time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from harness import Table, main, rounded

import tachograph as tg
from tachograph.cli.gpus import DIRECTIONS_WANTED, RANKING_WANTED, WANTED
from tachograph.simulation.gpus.analytic import demand_of, predict_search
from tachograph.simulation.gpus.validation.bars import summary
from tachograph.simulation.gpus.validation.fast import beside_simulator
from tachograph.simulation.gpus.validation.validate import validate

SCALE = 20  # of the Kronecker graph that is timed
PREDICTIONS = 100  # that are timed together
HEADS = ("median", "90 %", "max", "cells")


def digits(value: float) -> float:
    """Round to four digits."""
    return rounded([value])[0]


def seconds(call: Callable[[], object]) -> float:
    """Time one call, by the clock of this machine."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def errors(values: dict[str, float]) -> list[Any]:
    """Return the cells of a summary."""
    return [round(values[k], 3) for k in ("median", "most", "max")] + [values["cells"]]


def of_validation() -> Iterator[Table]:
    """The bars, directions and ranking, and errors by kind of run."""
    found = validate()
    rows = []
    for name, values in found["bars"].items():
        wanted = WANTED.get(name)
        text = "" if wanted is None else f"{wanted[0]:.2f} / {wanted[1]:.2f}"
        good = wanted and values["median"] <= wanted[0] and values["most"] <= wanted[1]
        met = "" if wanted is None else "met" if good else "missed"
        rows.append([name.strip(), *errors(values), text, met])
    heads = ("predicted over measured", *HEADS, "wanted", "bar")
    yield Table("Simulated times beside published runs", heads, rows)
    same, levels = found["directions"]["same"], found["directions"]["levels"]
    share, ranked = same / levels, found["ranking"]
    rows = [["recorded levels with the same direction", digits(share), DIRECTIONS_WANTED]]
    rows += [
        [f"rank correlation of settings, {name}", digits(value), RANKING_WANTED]
        for name, value in ranked.items()
    ]
    rows = [[*row, "met" if row[1] >= row[2] else "missed"] for row in rows]
    yield Table("Directions beside recorded ones", ("what", "found", "wanted", "bar"), rows)
    rows = [[kind, v["median"], v["most"]] for kind, v in found["errors"].items()]
    yield Table("Errors by kind of run", ("kind", "median", "90 %"), rows)


def of_fast_path() -> Iterator[Table]:
    """Predicted beside simulated searches, by direction and by what the time is spent on."""
    found = beside_simulator()
    rows = []
    for bound in (True, False):
        for direction in ("push", "auto"):
            own = [c for c in found if c.launch_bound == bound and c.direction == direction]
            word = "launch-bound" if bound else "work-bound"
            for start, ratios in (
                ("of this source", [c.ratio for c in own]),
                ("of any source", [c.without_source for c in own]),
            ):
                if ratios:
                    rows.append([word, direction, start, *errors(summary(ratios))])
    heads = ("searches are", "direction", "levels", *HEADS)
    yield Table("The fast path beside the simulator", heads, rows)


def of_speed() -> Iterator[Table]:
    """Seconds of one search of a Kronecker graph on this machine, simulated and predicted."""
    gpu, graph = tg.GPU("v100"), tg.kronecker(SCALE, rng=1)
    source = int(graph.degrees.argmax())
    small = tg.kronecker(8, rng=1)
    tg.simulate("bfs", small, gpu, source=1)  # compiles
    predict_search(small, gpu)
    looked = digits(seconds(lambda: demand_of(graph)))  # before anything else asks for it

    def predictions() -> None:
        for _ in range(PREDICTIONS):
            predict_search(graph, gpu)

    rows = [
        [f"simulated, {way}", digits(seconds(lambda w=way: tg.simulate(  # type: ignore[misc]
            "bfs", graph, gpu, source=source, direction=w)))]
        for way in ("push", "auto")
    ]  # fmt: skip
    rows.append(["the graph looked at, once", looked])
    rows.append(["predicted", digits(seconds(predictions) / PREDICTIONS)])
    yield Table(f"Seconds for a search of kronecker {SCALE} on v100", ("what", "s"), rows)


TABLES = {"validation": of_validation, "fast-path": of_fast_path, "speed": of_speed}


def measure(what: str) -> Iterator[Table]:
    """Return the tables of one of these."""
    return TABLES[what]()


if __name__ == "__main__":
    main(measure, TABLES)
