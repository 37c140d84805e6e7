"""Measures speedup and inaccuracy of approximate searches, into the journal.

Times are those of the paper: of the search alone, the mean of several runs without the shortest and the
longest. A run counts the processor time of the process divided by its workers, or its wall time if that
is less: on a quiet machine the two agree, on a busy one the first is what it would have taken. Exact
searches take turns with approximate ones, a block of them at a time: a task of the campaign. What the
journal has is not measured again.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from ...algorithms.inaccuracy import Inaccuracy, inaccuracy
from ...algorithms.sssp import search, weights_of
from ...graph.graph import Graph
from ...journal import journal
from ...journal.campaign import Campaign, Executor
from ...kernels.runtime.launch import threads_available
from .graphs import Subject, available
from .methods import Approximation
from .state import (
    ALGORITHMS,
    FEATURES,
    LEAST,
    Configuration,
    State,
    spread,
)

__all__ = ["KIND", "collect", "configurations", "measure", "records"]

KIND = "approximation-4"  # of records; a new one when what is measured changes
BLOCK = 12  # configurations that take turns with the exact searches
RUNS, FEWER, LONG = 15, 6, 0.005  # runs; runs of searches that take longer than so many seconds
SEEDS = 3  # random choices that errors and times are averaged over; both RUNS are multiples
SOURCES = 3  # of each graph: the vertex of highest degree, as in the paper, and random ones
FRACTIONS = (0.75, 0.5, 0.25, 0.9, 0.1)
STEEP_FRACTIONS = (0.99, 0.97, 0.9, 0.75)  # on roads, what is left out is lost for all behind it
#: Configurations of each graph of a kind that the paper has, and of the others, by algorithm.
SIZES = {
    "delta-stepping": (90, 60), "bellman-ford": (240, 24), "dijkstra": (24, 0), "hybrid": (24, 0),
}  # fmt: skip
LARGE = 1 << 20  # arcs from which on only the two fastest algorithms are measured
ROAD = 1 << 19  # arcs of a road network from which on Bellman-Ford is measured less often


def configurations(state: State, algorithm: str, size: int, seed: int) -> list[Configuration]:
    """Methods alone with all their parameters in turns with combinations: at most ``size``."""
    least, most = state.thresholds
    roads = state.owned and state.facts["log_diameter"] > 4
    fractions = STEEP_FRACTIONS if roads else FRACTIONS
    alone = [Approximation(iterations=i) for i in state.iteration_caps]
    alone += [Approximation(min_degree=d) for d in least]
    alone += [Approximation(max_degree=d) for d in most]
    alone += [Approximation(fraction=f) for f in fractions]
    if algorithm != "delta-stepping":
        alone.append(Approximation(atomic=False))
    # the advisor chooses among searches by delta-stepping that take the whole queue
    shares = (1.0,) if algorithm == ALGORITHMS[0] else (1.0, *fractions[:3])
    combined = [
        Approximation(cap, low, high, share)
        for cap in (None, *state.iteration_caps)
        for low in (0, *spread(least, 6))
        for high in (None, *spread(most, 3))
        for share in shares
        if state.leaves(low, high) >= LEAST
    ]
    random = np.random.default_rng(seed)
    random.shuffle(alone)
    random.shuffle(combined)
    alone = alone[: size // 2]
    several = [c for c in combined if len(c.methods) > 1][: size - len(alone)]
    turns = chain.from_iterable(zip_longest(alone, several))
    return [Configuration(algorithm, choice) for choice in turns if choice is not None]


def _sources(subject: Subject, graph: Graph, source: int) -> np.ndarray:
    """Source 0: the vertex of highest degree, as in the paper. Others: random ones that have arcs."""
    if source == 0:
        return np.array([graph.degrees.argmax()])
    some = np.flatnonzero(graph.degrees)
    return some[[zlib.crc32(f"{subject.name} {source}".encode()) % some.size]]


def measure(
    graph: Graph, sources: np.ndarray, configuration: Configuration
) -> tuple[np.ndarray, float, int]:
    """Distances, seconds and iterations of one search."""
    begin = time.process_time()
    distances, rows, workers, seconds = search(
        graph, weights_of(graph), sources, configuration.algorithm, None,
        configuration.approximation, True,
    )  # fmt: skip
    busy = (time.process_time() - begin) / workers
    return distances, min(seconds, busy), len(rows)


def trimmed(times: Sequence[float]) -> float:
    """The mean without the shortest and the longest."""
    return float(np.mean(sorted(times)[1:-1] if len(times) > 2 else times))


def _mean(found: list[Inaccuracy]) -> dict[str, float]:
    columns = [asdict(f) for f in found]
    return {name: float(np.mean([c[name] for c in columns])) for name in columns[0]}


def _block(
    graph: Graph, sources: np.ndarray, block: Sequence[Configuration]
) -> Iterator[tuple[Configuration, dict[str, Any]]]:
    """Measure some configurations of one algorithm in turns with the exact searches."""
    own, fastest = Configuration(block[0].algorithm), Configuration(ALGORITHMS[0])
    exact, _, iterations = measure(graph, sources, own)
    first = measure(graph, sources, own)[1]
    runs = RUNS if first < LONG else FEWER
    times: dict[Configuration, list[float]] = {c: [] for c in (own, fastest, *block)}
    errors: dict[Configuration, list[Inaccuracy]] = {c: [] for c in block}
    rounds: dict[Configuration, int] = {}
    for run in range(runs):
        for place, configuration in enumerate(block):
            if place % (BLOCK // 3) == 0:
                for reference in {own, fastest}:
                    times[reference].append(measure(graph, sources, reference)[1])
            seeded = replace(configuration.approximation, seed=run % SEEDS)
            distances, seconds, rounds[configuration] = measure(
                graph, sources, Configuration(own.algorithm, seeded)
            )
            times[configuration].append(seconds)
            if run < SEEDS:
                errors[configuration].append(inaccuracy(exact, distances, sources))
    for configuration in block:
        yield (
            configuration,
            {
                "inaccuracy": _mean(errors[configuration]),
                "times": times[configuration],
                "exact_times": times[own],
                "fastest_times": times[fastest],
                "iterations": rounds[configuration],
                "exact_iterations": iterations,
            },
        )


@lru_cache(1)
def _loaded(name: str, source: int, threads: int) -> tuple[Subject, Graph, np.ndarray, State]:
    """A graph with the source of its searches; tasks of one graph come after each other."""
    subject = available()[name]
    graph = subject.make()
    sources = _sources(subject, graph, source)
    return subject, graph, sources, State(graph, sources, threads)


def _count(subject: Subject, source: int, algorithm: str) -> int:
    """How many configurations are measured, if the graph is not too large."""
    count = SIZES[algorithm][not subject.paper]
    return count if source == 0 else 2 * count // 5


def measure_block(graph: str, source: int, algorithm: str, block: int) -> dict[str, Any]:
    """The records of so many configurations: a task of the campaign."""
    subject, made, sources, state = _loaded(graph, source, threads_available())
    count = _count(subject, source, algorithm)
    if algorithm in ALGORITHMS[2:] and made.arcs >= LARGE:
        count = 0
    if algorithm == "bellman-ford" and subject.family == "roads" and made.arcs >= ROAD:
        count //= 6
    seed = zlib.crc32(f"{graph} {algorithm} {source}".encode())
    begin = block * BLOCK
    chosen = configurations(state, algorithm, count, seed)[begin : begin + BLOCK]
    if not chosen:
        return {"records": []}
    about = {
        "graph": graph, "family": subject.family, "real": subject.data is not None,
        "held_out": subject.held_out, "hub": source == 0, "source": source, "n": made.n, "m": made.m,
        "largest_degree": made.features.max_degree, "algorithm": algorithm,
    }  # fmt: skip
    records = []
    rows = state.rows(chosen)
    for row, (configuration, found) in zip(rows, _block(made, sources, chosen), strict=True):
        features = dict(zip(FEATURES, row.tolist(), strict=True))
        choice = configuration.approximation.to_dict()
        records.append({**about, "approximation": choice, "features": features, **found})
    return {"records": records}


def _tasks(subjects: Sequence[Subject], size: float) -> Iterator[dict[str, Any]]:
    """What is most useful first: delta-stepping on all graphs, then the other algorithms."""
    jobs = [(subject, source, ALGORITHMS[0]) for subject in subjects for source in range(SOURCES)]
    jobs += [(subject, 0, other) for other in ALGORITHMS[1:] for subject in subjects]
    for subject, source, algorithm in jobs:
        blocks = math.ceil(_count(subject, source, algorithm) * size / BLOCK)
        for block in range(blocks):
            yield {"graph": subject.name, "source": source, "algorithm": algorithm, "block": block}


def collect(
    names: Sequence[str] | None = None, *, size: float = 1.0, executor: Executor | None = None
) -> int:
    """Measure what the journal does not have yet; how many configurations it has then.

    Parameters
    ----------
    names
        Of the graphs, from ``GRAPHS``; all that are on this machine by default.
    size
        Share of the usual number of configurations.
    executor
        Who measures.
    """
    subjects = available()
    chosen = [subjects[n] for n in (names if names is not None else subjects)]
    campaign = Campaign(
        KIND, f"{__name__}:measure_block", list(_tasks(chosen, size)), measured=True,
        label="measuring approximations",
    )  # fmt: skip
    return sum(len(block["records"]) for block in campaign.records(executor) if block is not None)


def typical(record: dict[str, Any], name: str) -> float:
    """How long a search takes when nothing else uses the machine: the shortest of some runs.

    If it leaves out a random part, each random choice has its own, and the mean counts.
    """
    times: list[float] = record[name]
    if name != "times":
        return shortest(times, len(record["times"]))
    if record["approximation"]["fraction"] == 1:
        return min(times)
    return float(np.mean([min(times[seed::SEEDS]) for seed in range(SEEDS)]))


def shortest(times: Sequence[float], runs: int) -> float:
    """The shortest of ``runs`` times; of more, the mean of the shortest of each so many."""
    groups = max(1, len(times) // runs)
    return float(np.mean([min(times[k::groups]) for k in range(groups)]))


def records() -> list[dict[str, Any]]:
    """All that was measured: a dictionary for each configuration.

    ``seconds`` and the like are the paper's times. ``speedup`` (against the same algorithm, exact) and
    ``gain`` (against the fastest exact one) compare the shortest runs, since others that use the
    machine can only make a run longer.
    """
    found = []
    blocks = journal().records(KIND).values()
    for record in chain.from_iterable(block["records"] for block in blocks):
        best = typical(record, "times")
        for name in ("", "exact_", "fastest_"):
            record[f"{name}seconds"] = trimmed(record[f"{name}times"])
        record["speedup"] = typical(record, "exact_times") / best
        record["gain"] = typical(record, "fastest_times") / best
        record["error"] = record["inaccuracy"]["mean"]
        found.append(record)
    return found
