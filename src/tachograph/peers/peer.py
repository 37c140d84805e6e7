"""What every peer of ``tacho bench`` has: a job, and cases that can be timed and compared.

A peer is made from a :class:`Job` and converts the graph, which is not timed. For each task it has, a
method with the task's name returns a :class:`Case`. Where a library does less than we do (levels but no
parents), the lesser work is what is timed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import ClassVar, Generic, TypeVar

import numpy as np

from ..graph.graph import Graph
from .facts import Facts

__all__ = ["DAMPING", "MAX_ITER", "SEVERAL_SECONDS", "TOL", "TRIALS", "Case", "Job", "Peer"]

DAMPING, TOL, MAX_ITER = 0.85, 1e-4, 100  # of PageRank, for all
#: Runs in a row that make a turn, if one takes less than ``SEVERAL_SECONDS``: the first finds the
#: caches full of what the candidate before has used.
TRIALS = 9
SEVERAL_SECONDS = 0.2
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Job:
    """What all candidates are given."""

    graph: Graph  # without weights
    weighted: Graph  # with the weights it has, if any
    source: int
    threads: int
    directory: Path  # for files

    @cached_property
    def lengths(self) -> Graph:
        """The graph for shortest paths and flows.

        It has its own weights if they are whole and positive, as all peers need them. Otherwise they
        are from 1 to 255, the same in both directions, as in the GAP benchmark.
        """
        own = self.weighted.weights
        if own is not None and own.dtype.kind == "i" and own.min(initial=1) > 0:
            return self.weighted
        g = self.graph
        ends = np.repeat(np.arange(g.n), g.degrees), g.indices.astype(np.int64)
        mixed = np.minimum(*ends) * 2_654_435_761 + np.maximum(*ends) * 40_503
        weights = ((mixed >> 8) % 255 + 1).astype(np.int32)
        return Graph(g.indptr, g.indices, weights, directed=g.directed)

    @property
    def ends(self) -> tuple[int, int]:
        """Source and sink of a flow: the vertex of highest degree and, if there is one, the tenth."""
        order = np.argsort(-self.graph.degrees, kind="stable")
        return int(order[0]), int(order[min(9, order.size - 1)])


@dataclass(frozen=True)
class Case(Generic[Outcome]):
    """One run of a task, and the facts about its outcome that must agree with ours.

    It is timed from outside unless ``own_seconds`` reads the time from the outcome. A turn is
    ``trials`` runs, of which the median counts.
    """

    call: Callable[[], Outcome]
    facts: Callable[[Outcome], Facts]
    own_seconds: Callable[[Outcome], float] | None = None
    trials: int = TRIALS

    def run(self) -> tuple[float, Outcome]:
        """Return seconds and outcome of one run."""
        begin = perf_counter()
        outcome = self.call()
        seconds = perf_counter() - begin
        return self.own_seconds(outcome) if self.own_seconds else seconds, outcome


class Peer:
    """A library that may be installed. Its methods are named as the tasks that it has."""

    name: ClassVar[str]
    package: ClassVar[str]  # what pip calls it
    module: ClassVar[str]

    @classmethod
    def installed(cls) -> bool:
        """Tell whether it can be used here."""
        return importlib.util.find_spec(cls.module) is not None

    @classmethod
    def version(cls) -> str:
        """Return its version."""
        return importlib.metadata.version(cls.package)

    def __init__(self, job: Job) -> None:
        self.job = job
