"""How good plans are on graphs that nothing was learned from: ``tg.plan`` and ``plan.run``.

    python benchmarks/planning.py                 all graphs, some minutes on a quiet machine
    python benchmarks/planning.py --seconds 60    as many as fit

For every graph to test of the table, every task is planned and every candidate of the host is run,
with a journal that is off (*cold*). Then the first candidates are planned and run again and again with
a new journal; what is reported are runs with at least 50 earlier ones of their task (*after 50 runs*).
Last, plans with deadlines of half, one and two times the predicted time are run.
Real graphs are used if $TACHOGRAPH_DATA has them.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from harness import Table, main, rounded

import tachograph as tg
from tachograph.decisions.graphs import graph_named, names_of, present, weighted
from tachograph.decisions.times.train import LARGEST_ARCS
from tachograph.tasks.table import TASKS

TASKS_PLANNED = ("bfs", "sssp", "pagerank", "connected_components", "jaccard")
TASKS_PLANNED += ("maximal_independent_set", "maximum_flow")
LEAST_EDGES, MOST_EDGES = 1e5, 1e7
#: Of all candidates, in turns. Every other one finds the fastest candidate, and the others compare it
#: with the first: else it would be the luckiest.
ROUNDS = 6
LONGEST_SECONDS = 1.0  # a candidate that is predicted to take longer is not run
EARLIER_RUNS, LATER_ROUNDS = 50, 3
DEADLINES = (0.5, 1.0, 2.0)  # times the predicted seconds
COLUMNS = ["way", "runs", "in the interval, %", "width, median ±%", "within 25 %", "within 35 %"]


class Ran(NamedTuple):
    """A candidate that was run: what was predicted, what it took first, and medians of halves."""

    name: str
    graph: str
    question: str
    place: int
    predicted: float
    low: float
    high: float
    first: float
    chooses: float
    judges: float


def measure(seconds: float = math.inf) -> Iterator[Table]:
    end = time.monotonic() + seconds
    cold: list[Ran] = []
    later: list[Ran] = []
    due: list[tuple[str, float, float, float, bool]] = []
    costs: dict[str, list[float]] = defaultdict(list)
    os.environ["TACHOGRAPH_HOME"] = tempfile.mkdtemp(prefix="planning-")
    graphs = {}
    for name in present(names_of("times", "test")):
        graph = graph_named(name)
        if time.monotonic() > end or not LEAST_EDGES <= graph.m <= MOST_EDGES:
            continue
        graphs[name] = graph, graph if graph.weighted else weighted(graph)
        os.environ["TACHOGRAPH_JOURNAL"] = "off"
        hub = int(graph.degrees.argmax())
        for probe in (False, True):
            begin = time.perf_counter()
            tg.plan("bfs", graph, source=hub, probe=probe)
            costs["a plan, of a new graph" if not probe else "its probe"].append(
                time.perf_counter() - begin
            )
        for task, told in questions(*graphs[name]):
            cold += every_candidate(name, task, told, costs)
    os.environ["TACHOGRAPH_JOURNAL"] = "on"
    counts: dict[str, int] = defaultdict(int)
    for _ in range(LATER_ROUNDS):
        for name, pair in graphs.items():
            for task, (graph, told) in questions(*pair):
                plan = tg.plan(task, graph, **told)
                if time.monotonic() < end and (plan.chosen.seconds or 9e9) <= LONGEST_SECONDS:
                    ran = timed(name, plan, 0, [plan.run(0).seconds])
                    later += [ran] * (counts[task] >= EARLIER_RUNS)
                    counts[task] += 1
    for pair in graphs.values():
        for task, (graph, told) in questions(*pair):
            if task in ("bfs", "sssp", "pagerank"):
                due += [kept(task, graph, told, factor) for factor in DEADLINES]
    yield coverage(f"Cold: {len(graphs)} graphs that nothing was learned from", cold)
    if later:
        yield coverage(f"After {EARLIER_RUNS} runs of the task", later)
    yield regrets(cold)
    yield deadlines(due)
    yield overheads(costs)


def questions(plain: tg.Graph, heavy: tg.Graph) -> Iterator[tuple[str, tuple[tg.Graph, dict]]]:
    """Yield tasks, and what they are asked: searches from a hub and from another vertex."""
    hub = int(plain.degrees.argmax())
    some = np.flatnonzero(plain.degrees)
    other = int(some[np.random.default_rng(11).integers(some.size)])
    for task in TASKS_PLANNED:
        graph = heavy if task in ("sssp", "maximum_flow") else plain
        if task == "jaccard" and graph.directed:
            continue
        if task == "maximum_flow":
            if graph.arcs <= LARGEST_ARCS["maximum_flow/auto"] and hub != other:
                yield task, (graph, {"source": hub, "sink": other})
        elif "source" in TASKS[task].needs:
            yield task, (graph, {"source": hub})
            yield task, (graph, {"source": other})
        else:
            yield task, (graph, {})


def every_candidate(
    name: str, task: str, asked: tuple[tg.Graph, dict], costs: dict[str, list[float]]
) -> Iterator[Ran]:
    graph, told = asked
    tg.plan(task, graph, **told)  # measures the graph's features, once
    begin = time.perf_counter()
    plan = tg.plan(task, graph, **told)
    costs["a plan, features known"].append(time.perf_counter() - begin)
    chosen = []
    for place, candidate in enumerate(plan.candidates):
        slow = graph.arcs > LARGEST_ARCS.get(f"{task}/{candidate.name}", math.inf)
        if candidate.seconds and candidate.seconds <= LONGEST_SECONDS and not slow:
            chosen.append(place)
    rounds = [[plan.run(place).seconds for place in chosen] for _ in range(ROUNDS)]  # in turns
    for place, *taken in zip(chosen, *rounds, strict=True):
        yield timed(name, plan, place, taken)


def timed(name: str, plan: Any, place: int, taken: list[float]) -> Ran:
    candidate = plan.candidates[place]
    guess = candidate.estimate
    told = (f"{plan.task}/{candidate.name}", name, f"{plan.task} {name} {dict(plan.arguments)}")
    halves = (statistics.median(taken[k::2] or taken) for k in (0, 1))
    return Ran(*told, place, guess.seconds, guess.low, guess.high, taken[0], *halves)


def kept(task: str, graph: tg.Graph, told: dict, factor: float) -> tuple:
    """Plan with a deadline and run: what was promised, what it took in all, and if it was stopped."""
    allowed = factor * (tg.plan(task, graph, **told).chosen.seconds or 1.0) + 2e-3
    plan = tg.plan(task, graph, deadline=allowed, **told)
    begin = time.perf_counter()
    run = plan.run().run
    return task, allowed, run.seconds, time.perf_counter() - begin, bool(run.stopped)


def coverage(title: str, ran: Iterable[Ran]) -> Table:
    groups: dict[str, list[Ran]] = defaultdict(list)
    for one in ran:
        groups[one.name].append(one)
    first = [one for own in groups.values() for one in own if one.place == 0]
    every = [one for own in groups.values() for one in own]
    rows = []
    for name, own in [*sorted(groups.items()), ("first candidates", first), ("all", every)]:
        inside = np.mean([r.low <= r.first <= r.high for r in own])
        width = np.median([math.sqrt(r.high / r.low) - 1 for r in own])
        off = np.array([abs(r.predicted / r.first - 1) for r in own])
        found = (inside, width, np.mean(off <= 0.25), np.mean(off <= 0.35))
        rows.append([name, len(own), *rounded([100 * float(x) for x in found])])
    return Table(title, COLUMNS, rows)


def regrets(ran: Iterable[Ran]) -> Table:
    """Return the time of the first candidate by that of the fastest one of the same question.

    Which one is the fastest is told by other runs than those whose times are compared.
    """
    groups: dict[str, list[Ran]] = defaultdict(list)
    for one in ran:
        groups[one.question].append(one)
    ratios: dict[str, list[float]] = defaultdict(list)
    for own in groups.values():
        if len(own) > 1 and own[0].place == 0:
            best = min(own, key=lambda ran: ran.chooses)
            ratios[own[0].name.partition("/")[0]].append(own[0].judges / best.judges)
    ratios["all"] = [r for own in ratios.values() for r in own]
    rows = [
        [task, len(own), *rounded([100 * float(np.mean(np.array(own) <= 1.1)), max(own)])]
        for task, own in ratios.items()
    ]
    columns = ["task", "questions", "first within 10 % of the best, %", "worst ratio"]
    return Table("What stands first, by the fastest candidate", columns, rows)


def deadlines(due: list[tuple]) -> Table:
    rows = []
    for task in [*dict.fromkeys(d[0] for d in due), "all"]:
        own = [d for d in due if task in (d[0], "all")]
        shares = [np.mean([100.0 * (d[k] <= d[1]) for d in own]) for k in (2, 3)]
        rows.append([task, len(own), *rounded([*shares, 100 * np.mean([d[4] for d in own])])])
    columns = ["task", "plans", "in time, %", "with making the result, %", "stopped, %"]
    return Table("Deadlines of 0.5, 1 and 2 times the predicted time, and 2 ms", columns, rows)


def overheads(costs: dict[str, list[float]]) -> Table:
    from tachograph.algorithms.bfs import bfs

    small = tg.kronecker(8, rng=1)
    pairs = []
    for _ in range(2000):
        times = []
        for call in (tg.bfs, bfs):
            begin = time.perf_counter()
            call(small, 0)
            times.append(time.perf_counter() - begin)
        pairs.append(times[0] - times[1])
    costs["tg.bfs beyond the bare algorithm"] = pairs
    rows = [
        [what, *rounded([1e6 * float(np.percentile(own, share)) for share in (50, 95)])]
        for what, own in costs.items()
    ]
    return Table("What deciding costs", ["what", "µs, median", "95th percentile"], rows)


if __name__ == "__main__":
    main(measure)
