"""Every task beside the peers that are installed, in one run.

The candidates for a row take turns, each round beginning with another one, so that a slow minute is
slow for all. A turn is several runs in a row, of which the median counts, after a short rest, in which
the threads of the one before fall asleep. A first round, which does not count, warms up, and the
outcome of each peer is compared with ours; a time is kept only of peers that agree.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tachograph as tg

from ..algorithms.result import Result
from ..graph.graph import Graph
from ..util.errors import DeviceError, InputError, VerificationError
from . import facts
from .facts import Facts
from .gapbs import Gapbs
from .libraries import GraphBlas, Igraph, NetworKit, SciPy
from .peer import DAMPING, MAX_ITER, SEVERAL_SECONDS, TOL, Case, Job, Peer

__all__ = ["NOTES", "OURS", "PEERS", "TASKS", "Row", "Task", "installed", "rows"]

OURS = "tachograph"
ONCE_SECONDS = 10.0  # a candidate that takes longer runs once only
REST_SECONDS = 0.02  # between turns: OpenMP's threads wait for more work with their cores busy
PEERS: tuple[type[Peer], ...] = (Gapbs, NetworKit, Igraph, SciPy, GraphBlas)
NOTES = (
    "ratios: our time divided by theirs; below 1 we are faster",
    f"pagerank: all stop when scores change by less than {TOL:g} in sum, or after {MAX_ITER} "
    "iterations; GAPBS uses the newest scores (in float), so it needs fewer iterations; igraph has no "
    "tolerance to set and is left out",
    "bfs: NetworKit and GraphBLAS find levels only; we and the others find parents, too",
    "sssp: distances, without predecessors; weights from 1 to 255 where the graph has none; NetworKit, "
    "igraph and SciPy run Dijkstra on one thread, GAPBS the width of buckets that suits it best",
    "maximal_independent_set: each library finds another set; NetworKit runs Luby's algorithm on one "
    "thread",
    "maximum_flow: from the vertex of highest degree to the tenth; we find flow and cut, SciPy the "
    "flow, igraph the value only (its flow takes many times as long)",
    "ours are whole calls; GAPBS reports its own times, of its kernels only; conversions to a "
    "library's own graph are not timed",
)


class Task(NamedTuple):
    """How we run a task, and the facts about our result that peers must agree with."""

    run: Callable[..., Result]
    facts: Callable[[Any], Facts]
    close: float = 0.0  # the part of the sum of real numbers that may differ
    undirected: bool = False  # whether it is for undirected graphs only
    there: dict[str, str] | None = None  # what it is told on a device; None if it runs on none


#: Each is a row of the table; a peer that has the task has a method of the same name.
TASKS = {
    "bfs": Task(
        lambda job, **where: tg.bfs(job.graph, job.source, **where),
        lambda r: facts.levels(r.levels),
        there={},
    ),
    "sssp": Task(
        lambda job, **where: tg.sssp(job.lengths, job.source, **where),
        lambda r: facts.distances(r.distances),
        there={},
    ),
    "connected_components": Task(
        lambda job, **where: tg.connected_components(job.graph, **where),
        lambda r: facts.components(r.labels),
        there={},
    ),
    # Both sides may be off by what later iterations would change: 0.85 / 0.15 times the tolerance.
    "pagerank": Task(
        lambda job, **where: tg.pagerank(
            job.graph, damping=DAMPING, tol=TOL, max_iter=MAX_ITER, **where
        ),
        lambda r: facts.scores(r.scores),
        close=20 * TOL,
        there={},
    ),
    "triangles": Task(
        lambda job: tg.triangles(job.graph), lambda r: {"count": r.count}, undirected=True
    ),
    # Every library has another set: only that it is one is compared.
    "maximal_independent_set": Task(
        lambda job, **where: tg.maximal_independent_set(job.graph, rng=1, **where),
        lambda r: {"sets": 1},
        undirected=True,
        there={"placement": "device"},
    ),
    "maximum_flow": Task(
        lambda job, **where: tg.maximum_flow(job.lengths, *job.ends, **where),
        lambda r: {"value": r.value},
        there={"placement": "device"},
    ),
    "spmv": Task(
        lambda j: tg.spmv(j.weighted, np.ones(j.graph.n)), lambda r: {"values": r.values}, 1e-9
    ),
}


@dataclass
class Row:
    """One task on one graph: the seconds of each round by candidate."""

    graph: str
    task: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    differs: dict[str, str] = field(default_factory=dict)  # peers left out, and in which fact

    def median(self, name: str) -> float:
        """Return the median time of a candidate."""
        return statistics.median(self.seconds[name])

    def ratio(self, peer: str) -> float:
        """Return our time divided by the peer's."""
        return self.median(OURS) / self.median(peer)

    def least_ratio(self, peer: str) -> float:
        """Return the ratio of the shortest times, which other programs disturb the least."""
        return min(self.seconds[OURS]) / min(self.seconds[peer])

    @property
    def ratios(self) -> dict[str, float]:
        """Our time divided by that of each peer that agrees."""
        return {name: self.ratio(name) for name in self.seconds if name != OURS}

    def to_dict(self) -> dict[str, object]:
        """Return everything as JSON can hold it."""
        return {**vars(self), "ratios": self.ratios}


def installed() -> list[type[Peer]]:
    """Return the peers that can be used here."""
    return [peer for peer in PEERS if peer.installed()]


def rows(
    name: str,
    graph: Graph,
    threads: int,
    rounds: int,
    directory: Path,
    device: str | None = None,
    peers: Iterable[type[Peer]] | None = None,
) -> Iterator[Row]:
    """Yield a row for each task that can run on the graph, as soon as it is measured.

    With a ``device``, ours runs there, too. ``peers`` are by default all that are installed; if they
    are given, tasks that none of them has are left out.
    """
    if not graph.n:
        raise InputError(f"{name} has no vertices to run on")
    bare = Graph(graph.indptr, graph.indices, directed=graph.directed)
    job = Job(bare, graph, int(np.argmax(graph.degrees > 2)), threads, directory)
    others = [peer(job) for peer in (installed() if peers is None else peers)]
    for task, how in TASKS.items():
        if how.undirected and graph.directed:
            continue
        if peers is not None and not any(hasattr(other, task) for other in others):
            continue
        cases = {OURS: Case(partial(how.run, job), how.facts)}
        if device is not None and how.there is not None:
            there = partial(how.run, job, device=device, **how.there)
            cases[device] = Case(there, how.facts)
        for other in others:
            case = getattr(other, task, lambda: None)()
            if case is not None:
                cases[other.name] = case
        yield _measured(Row(name, task), cases, how.close, rounds)


def _measured(row: Row, cases: dict[str, Case], close: float, rounds: int) -> Row:
    """Fill the row."""
    first: dict[str, float] = {}
    expected: Facts = {}
    for name, case in cases.items():
        try:
            first[name], outcome = case.run()
        except (DeviceError, InputError):
            if name == OURS:
                raise
            row.differs[name] = "what the device can do"
            continue
        if isinstance(outcome, Result):
            first[name] = outcome.seconds  # without compiling
        found = case.facts(outcome)
        expected = expected or found  # ours comes first
        if (wrong := difference(expected, found, close)) is not None:
            row.differs[name] = wrong
    names = [name for name in cases if name not in row.differs]
    row.seconds = {name: [first[name]] if first[name] > ONCE_SECONDS else [] for name in names}
    again = [name for name, kept in row.seconds.items() if not kept]
    for turn in range(rounds):
        for at in range(len(again)):
            name = again[(at + turn) % len(again)]
            trials = cases[name].trials if first[name] < SEVERAL_SECONDS else 1
            time.sleep(REST_SECONDS)
            row.seconds[name].append(statistics.median(cases[name].run()[0] for _ in range(trials)))
    return row


def difference(ours: Facts, theirs: Facts, close: float) -> str | None:
    """Return the name of the first fact that does not agree, or None; a peer may state fewer facts."""
    if not set(theirs) <= set(ours):
        raise VerificationError(f"{set(theirs) - set(ours)} is not known of our own result")
    for name, fact in theirs.items():
        a, b = np.asarray(ours[name]), np.asarray(fact)
        if a.shape != b.shape or float(abs(a - b).sum()) > close * float(abs(a).sum()):
            return name
    return None
