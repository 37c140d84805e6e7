"""Every algorithm beside the peers that are installed, in one run.

The candidates for a row take turns, each round beginning with another one, so that a slow minute is
slow for all. A turn is three runs in a row, of which the median counts, after a short rest, in which
the threads of the one before fall asleep. A first round, which does not count, warms up, and the
outcome of each peer is compared with ours; a time is kept only of peers that agree.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.bfs import bfs
from ..algorithms.components import connected_components
from ..algorithms.flow import maximum_flow
from ..algorithms.independent_set import maximal_independent_set
from ..algorithms.pagerank import pagerank, spmv
from ..algorithms.result import Result
from ..algorithms.sssp import sssp
from ..algorithms.triangles import triangles
from ..graph.graph import Graph
from ..util.errors import InputError, VerificationError
from . import gapbs, graphblas
from . import libraries as peers
from .libraries import DAMPING, ITERATIONS, TOLERANCE, Case, Facts, Job, Peer

__all__ = ["NOTES", "OURS", "PEERS", "TASKS", "Row", "Task", "installed", "rows"]

OURS = "tachograph"
LONG = 10.0  # seconds beyond which a candidate runs once only
SHORT = 1.0  # seconds below which a turn is several runs
REST = 0.02  # seconds between turns: OpenMP's threads wait for more work with their cores busy
PEERS: tuple[type[Peer], ...] = (
    gapbs.Gapbs, peers.NetworKit, peers.Igraph, peers.SciPy, graphblas.GraphBlas,
)  # fmt: skip
NOTES = (
    "ratios: our time divided by theirs, below 1 we are faster",
    "pagerank: all stop when scores change by less than "
    f"{TOLERANCE:g} in sum, or after {ITERATIONS} iterations; GAPBS uses the newest scores (in float), "
    "so it needs fewer iterations; igraph has no tolerance to set and is left out",
    "bfs: NetworKit and GraphBLAS find levels only, we and the others parents, too",
    "sssp: distances, without predecessors; weights from 1 to 255 where the graph has none; NetworKit, "
    "igraph and SciPy run Dijkstra on one thread, GAPBS the width of buckets that suits it best",
    "mis: each library finds another set; NetworKit's is Luby's, by one thread",
    "maxflow: from the vertex of highest degree to the tenth; we find flow and cut, SciPy the flow, "
    "igraph the value only (its flow takes many times as long)",
    "GAPBS reports its own times; conversions to a library's own graph are not timed",
)


@dataclass(frozen=True)
class Task:
    """An algorithm: how we run it, and the facts about our result that peers must agree with."""

    run: Callable[[Job], Result]
    facts: Callable[[Result], Facts]
    close: float = 0.0  # how much of the sum of real numbers may differ
    undirected: bool = False  # whether it is for undirected graphs only


#: Each is a row of the table; a peer has a method of the same name if it has the algorithm.
TASKS = {
    "bfs": Task(lambda job: bfs(job.graph, job.source), lambda r: peers.levels_facts(r.levels)),
    "sssp": Task(
        lambda job: sssp(job.lengths, job.source),
        lambda r: peers.distances_facts(r.distances),
    ),
    "components": Task(
        lambda job: connected_components(job.graph),
        lambda r: {"count": r.count, "labels": r.labels.astype(np.int64)},
    ),
    # Both sides may be off by what later iterations would change: 0.85 / 0.15 times the tolerance.
    "pagerank": Task(
        lambda job: pagerank(job.graph, damping=DAMPING, tol=TOLERANCE, max_iter=ITERATIONS),
        lambda r: peers.scores_facts(r.scores),
        close=20 * TOLERANCE,
    ),
    "triangles": Task(
        lambda job: triangles(job.graph), lambda r: {"count": r.count}, undirected=True
    ),
    # Every library has another set: only that it is one is compared.
    "mis": Task(
        lambda job: maximal_independent_set(job.graph, rng=1),
        lambda r: {"sets": 1},
        undirected=True,
    ),
    "maxflow": Task(lambda job: maximum_flow(job.lengths, *job.ends), lambda r: {"value": r.value}),
    "spmv": Task(
        lambda job: spmv(job.weighted, np.ones(job.graph.n)),
        lambda r: {"values": r.values},
        close=1e-9,
    ),
}


@dataclass
class Row:
    """One algorithm on one graph: the seconds of each round by candidate."""

    graph: str
    algorithm: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    differs: dict[str, str] = field(default_factory=dict)  # peers left out, and in which fact

    def median(self, name: str) -> float:
        """The median time of a candidate."""
        return statistics.median(self.seconds[name])

    def ratio(self, peer: str) -> float:
        """Our time divided by the peer's."""
        return self.median(OURS) / self.median(peer)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        others = [name for name in self.seconds if name != OURS]
        return {
            "graph": self.graph,
            "algorithm": self.algorithm,
            "seconds": self.seconds,
            "ratios": {name: self.ratio(name) for name in others},
            "differs": self.differs,
        }


def installed() -> list[type[Peer]]:
    """The peers that can be used here."""
    return [peer for peer in PEERS if peer.installed()]


def rows(name: str, graph: Graph, threads: int, rounds: int, directory: Path) -> Iterator[Row]:
    """A row for each algorithm that can run on the graph, as soon as it is measured."""
    if not graph.n:
        raise InputError(f"{name} has no vertices to run on")
    bare = Graph(graph.indptr, graph.indices, directed=graph.directed)
    source = int(np.argmax(graph.degrees > 2))
    job = Job(bare, graph, source, threads, directory)
    others = [peer(job) for peer in installed()]
    for algorithm, task in TASKS.items():
        if task.undirected and graph.directed:
            continue
        cases = {OURS: _ours(task, job)}
        for other in others:
            case = getattr(other, algorithm, lambda: None)()
            if case is not None:
                cases[other.name] = case
        row = Row(name, algorithm)
        _measure(row, cases, task, rounds)
        yield row


def _ours(task: Task, job: Job) -> Case:
    def run() -> tuple[float, Result]:
        result = task.run(job)
        return result.seconds, result

    return Case(run, task.facts)


def _measure(row: Row, cases: dict[str, Case], task: Task, rounds: int) -> None:
    """Fill the row."""
    first: dict[str, float] = {}
    expected: Facts = {}
    for name, case in cases.items():
        first[name], outcome = case.run()
        facts = case.facts(outcome)
        if name == OURS:
            expected = facts
        elif (wrong := difference(expected, facts, task.close)) is not None:
            row.differs[name] = wrong
    names = [name for name in cases if name not in row.differs]
    row.seconds = {name: [first[name]] if first[name] > LONG else [] for name in names}
    again = [name for name in names if first[name] <= LONG]
    for turn in range(rounds):
        for at in range(len(again)):
            name = again[(at + turn) % len(again)]
            case, trials = cases[name], cases[name].trials if first[name] < SHORT else 1
            time.sleep(REST)
            row.seconds[name].append(statistics.median(case.run()[0] for _ in range(trials)))


def difference(ours: Facts, theirs: Facts, close: float) -> str | None:
    """The name of the first fact that does not agree, or None. A peer may state fewer than we do."""
    if not set(theirs) <= set(ours):
        raise VerificationError(f"{set(theirs) - set(ours)} is not known of our own result")
    for name, fact in theirs.items():
        a, b = np.asarray(ours[name]), np.asarray(fact)
        if a.shape != b.shape or float(abs(a - b).sum()) > close * float(abs(a).sum()):
            return name
    return None
