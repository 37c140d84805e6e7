"""Measures speedup and inaccuracy of approximate searches, into the journal.

Times are those of the paper: of the search alone, the mean of several runs without the shortest and the
longest. A run counts the processor time of the process divided by its workers, or its wall time if that
is less: on a quiet machine the two agree, on a busy one the first is what it would have taken. Exact
searches take turns with approximate ones. A record is written for each configuration as soon as it is
measured; what the journal has is not measured again.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.inaccuracy import Inaccuracy, inaccuracy
from ...algorithms.sssp import search, weights_of
from ...decisions.approximation import Approximation
from ...decisions.approximation_state import (
    ALGORITHMS,
    FEATURES,
    Configuration,
    State,
    spread,
)
from ...graph.graph import Graph
from ...journal import content_key, journal
from ...kernels.runtime import threads_available
from ...progress import bar
from .graphs import Subject, available

__all__ = ["KIND", "collect", "configurations", "measure", "records"]

KIND = "approximation-2"  # of records; a new one when what is measured changes
BLOCK = 12  # configurations that take turns with the exact searches
RUNS, FEWER, LONG = 10, 5, 0.005  # runs; runs of searches that take longer than so many seconds
SEEDS = 3  # runs whose errors are averaged
FRACTIONS = (0.75, 0.5, 0.25, 0.9, 0.1)
STEEP_FRACTIONS = (0.99, 0.97, 0.9, 0.75)  # on roads, what is left out is lost for all behind it
PAPER = ("kronecker", "roads")  # families that the paper has: more of them, by all its algorithms
#: Configurations of each graph of those families, and of the others, by algorithm.
SIZES = {
    "delta-stepping": (90, 60), "bellman-ford": (240, 24), "dijkstra": (24, 0), "hybrid": (24, 0),
}  # fmt: skip
LARGE = 1 << 20  # arcs from which on only the two fastest algorithms are measured
ROAD = 1 << 19  # arcs of a road network from which on Bellman-Ford is measured less often


@dataclass(frozen=True)
class Job:
    """The configurations of one graph, source and algorithm."""

    subject: Subject
    hub: bool
    algorithm: str

    def key(self, approximation: Approximation, threads: int) -> str:
        return content_key(
            self.subject.name, self.hub, self.algorithm, approximation.to_dict(), threads
        )


def configurations(state: State, algorithm: str, size: int, seed: int) -> list[Configuration]:
    """Each method alone with all its parameters, then combinations of some: at most ``size``."""
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
        if high is None or high >= low
    ]
    random = np.random.default_rng(seed)
    random.shuffle(alone)
    random.shuffle(combined)
    found = alone[: size // 2]
    found += [c for c in combined if len(c.methods) > 1][: size - len(found)]
    return [Configuration(algorithm, choice) for choice in found]


def _sources(subject: Subject, graph: Graph, hub: bool) -> np.ndarray:
    """The vertex of highest degree, as in the paper; or a random one that has arcs."""
    if hub:
        return np.array([graph.degrees.argmax()])
    some = np.flatnonzero(graph.degrees)
    return some[[zlib.crc32(subject.name.encode()) % some.size]]


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
            seeded = replace(configuration.approximation, seed=run)
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


def _jobs(subjects: Sequence[Subject]) -> Iterator[Job]:
    """What is most useful first: delta-stepping on all graphs, then the other algorithms."""
    for subject in subjects:
        yield Job(subject, True, ALGORITHMS[0])
        yield Job(subject, False, ALGORITHMS[0])
    for algorithm in ALGORITHMS[1:]:
        for subject in subjects:
            yield Job(subject, True, algorithm)


def collect(names: Sequence[str] | None = None, *, size: float = 1.0) -> int:
    """Measure what the journal does not have yet; how many configurations that were.

    Parameters
    ----------
    names
        Of the graphs, from ``GRAPHS``; all that are on this machine by default.
    size
        Share of the usual number of configurations.
    """
    subjects = available()
    chosen = [subjects[n] for n in (names if names is not None else subjects)]
    jobs = list(_jobs(chosen))
    measured = 0
    with bar("measuring approximations", len(jobs)) as shown:
        loaded: tuple[str, Graph] | None = None
        for job in jobs:
            shown.note(f"{job.subject.name}, {job.algorithm}")
            if loaded is None or loaded[0] != job.subject.name:
                loaded = (job.subject.name, job.subject.make())
            measured += _measure_job(job, loaded[1], size)
            shown.advance(1)
    return measured


def _measure_job(job: Job, graph: Graph, size: float) -> int:
    threads = threads_available()
    sources = _sources(job.subject, graph, job.hub)
    state = State(graph, sources, threads)
    count = round(SIZES[job.algorithm][job.subject.family not in PAPER] * size)
    if not job.hub:
        count //= 2
    if job.algorithm in ALGORITHMS[2:] and graph.arcs >= LARGE:
        count = 0
    if job.algorithm == "bellman-ford" and job.subject.family == "roads" and graph.arcs >= ROAD:
        count //= 6
    seed = zlib.crc32(f"{job.subject.name} {job.algorithm} {job.hub}".encode())
    kept = journal()
    todo = [
        c
        for c in configurations(state, job.algorithm, count, seed)
        if kept.get(KIND, job.key(c.approximation, threads)) is None
    ]
    for begin in range(0, len(todo), BLOCK):
        block = todo[begin : begin + BLOCK]
        rows = state.rows(block)
        for row, (configuration, found) in zip(rows, _block(graph, sources, block), strict=True):
            kept.put(
                KIND,
                job.key(configuration.approximation, threads),
                {
                    "graph": job.subject.name,
                    "family": job.subject.family,
                    "real": job.subject.data is not None,
                    "held_out": job.subject.held_out,
                    "hub": job.hub,
                    "n": graph.n,
                    "m": graph.m,
                    "largest_degree": graph.features.max_degree,
                    "algorithm": configuration.algorithm,
                    "approximation": configuration.approximation.to_dict(),
                    "features": dict(zip(FEATURES, row.tolist(), strict=True)),
                    **found,
                },
            )
    return len(todo)


def shortest(times: Sequence[float], runs: int) -> float:
    """The shortest of ``runs`` times; of more, the mean of the shortest of each so many."""
    groups = max(1, len(times) // runs)
    return float(np.mean([min(times[k::groups]) for k in range(groups)]))


def records() -> list[dict[str, Any]]:
    """All that was measured: a dictionary for each configuration.

    ``seconds`` and the like are the paper's times. ``speedup`` (against the same algorithm, exact) and
    ``gain`` (against the fastest exact one) compare the shortest runs, since others that use the
    machine can only make a run longer; medians where a random choice makes runs differ.
    """
    found = []
    for record in journal().records(KIND).values():
        runs = len(record["times"])
        whole = record["approximation"]["fraction"] == 1
        typical = partial(shortest, runs=runs) if whole else np.median
        best = typical(record["times"])
        for name in ("", "exact_", "fastest_"):
            record[f"{name}seconds"] = trimmed(record[f"{name}times"])
        record["speedup"] = float(typical(record["exact_times"]) / best)
        record["gain"] = float(typical(record["fastest_times"]) / best)
        record["error"] = record["inaccuracy"]["mean"]
        found.append(record)
    return found
