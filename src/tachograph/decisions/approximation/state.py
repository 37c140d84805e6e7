"""What the choice of an approximation looks at: numbers about a graph and a configuration.

Degree thresholds mean little by themselves; what counts is how many vertices, and how many of the
arcs, are left out by them. So these shares are the features, beside the graph's own; and how far the
search gets from where it begins, since all may be lost if just the few ways out of there are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...graph.graph import Graph
from .rules import EXACT, Approximation, degree_thresholds

if TYPE_CHECKING:
    from ...kernels.sssp.delta_stepping import Choice

__all__ = ["ALGORITHMS", "FEATURES", "FLAT_HOPS", "LEAST_ARCS_LEFT", "Configuration", "State"]

ALGORITHMS = ("delta-stepping", "bellman-ford", "dijkstra", "hybrid")
NO_LIMIT = 1 << 20  # iterations
AWAY_ARCS = 1 << 12  # a search that has seen so many has got away from its sources
LEAST_ARCS_LEFT = 0.1  # share of the arcs that thresholds have to leave to be of use
FLAT_HOPS = 32  # in deeper graphs few rounds may lose almost everything, and nothing tells it
SHORT_HOPS = 16  # of longer diameters, rounds are a share
GRAPH = ("log_n", "log_arcs", "mean_degree", "log_max_degree", "gini", "hub_probability",
         "log_diameter", "weight_spread", "weight_low", "directed", "source_degree", "owned",
         "threads", "bucket_width", "source_reach", "source_hops")  # fmt: skip
CHOICE = ("log_iterations", "iterations_per_hop", "vertices_below", "arcs_below", "vertices_above",
          "arcs_above", "arcs_left", "reach", "fraction", "atomic", "covered", *ALGORITHMS)  # fmt: skip
#: Columns of :meth:`State.rows`.
FEATURES = (*GRAPH, *CHOICE)


class Configuration(NamedTuple):
    """An algorithm, and what it leaves out."""

    algorithm: str
    approximation: Approximation = EXACT

    def __str__(self) -> str:
        return f"{self.algorithm}, {self.approximation}"


class State:
    """Numbers about one graph and its sources. Nothing is measured before it is needed."""

    def __init__(self, graph: Graph, sources: np.ndarray, threads: int) -> None:
        self.graph = graph
        self.sources = sources
        self.threads = threads
        self._reached: dict[tuple[int, int], tuple[float, int]] = {}

    @cached_property
    def facts(self) -> dict[str, float]:
        """The graph's own features."""
        graph, f = self.graph, self.graph.features
        known = f.weights or {"min": 1.0, "mean": 1.0, "max": 1.0, "std": 0.0}
        mean = known["mean"] or 1.0
        # buckets of delta-stepping are as wide as the power of two below this
        spread = 2 * mean / max(f.mean_degree, 1e-9)
        width = 2.0 ** math.floor(math.log2(spread)) / spread if spread > 0 else 1.0
        values = (
            math.log2(max(graph.n, 1)), math.log2(max(graph.arcs, 1)), f.mean_degree,
            math.log2(max(f.max_degree, 1)), f.gini, f.hub_probability,
            math.log2(max(f.diameter, 1)), known["std"] / mean, known["min"] / mean,
            float(graph.directed),
            float(graph.degrees[self.sources].max(initial=0)) / max(f.max_degree, 1),
            float(self.owned), float(self.threads) if self._kernel.workers > 1 else 1.0, width,
            *self.reach(0, graph.arcs),
        )  # fmt: skip
        return dict(zip(GRAPH, values, strict=True))

    @cached_property
    def _kernel(self) -> Choice:
        from ...kernels.sssp.delta_stepping import choose

        return choose(self.graph.rows, self.graph.features.max_degree, self.threads)

    @property
    def owned(self) -> bool:
        """Whether delta-stepping takes the kernel for roads and one worker, which never pulls."""
        return self._kernel.owned

    @cached_property
    def _below(self) -> tuple[np.ndarray, np.ndarray]:
        """The shares of the vertices with arcs, and of the arcs, of degrees below 0, 1, 2, ..."""
        counts = self.graph.features.degree_counts.astype(np.float64)
        counts[0] = 0
        arcs = counts * np.arange(counts.size)
        return _shares(counts), _shares(arcs)

    def leaves(self, low: int, high: int | None) -> float:
        """The share of the arcs that are left by a least and a greatest degree."""
        _, below = self._below
        top = below.size - 1
        above = top if high is None else min(high + 1, top)
        return max(float(below[above] - below[min(low, top)]), 0.0)

    @cached_property
    def _room(self) -> tuple[np.ndarray, np.ndarray]:
        """What ``reach`` needs: a mark for each vertex, and a queue."""
        return np.zeros(self.graph.n, np.uint8), np.empty(AWAY_ARCS + self.sources.size, np.int64)

    def reach(self, low: int, high: int) -> tuple[float, int]:
        """log2 of the arcs, and hops, of a search that goes on from degrees ``low`` to ``high``."""
        from ...kernels.features import reach
        from ...kernels.runtime.launch import run

        if (low, high) not in self._reached:
            at = np.ascontiguousarray(self.sources, np.int64)
            rows = self.graph.indptr, self.graph.indices
            arguments = (*rows, at, low, high, AWAY_ARCS, *self._room)
            arcs, hops = run(reach, [arguments], brief=True)[0]
            self._reached[low, high] = math.log2(1 + arcs), hops
        return self._reached[low, high]

    def _left_out(self, low: int, high: int | None) -> tuple[float, ...]:
        """What thresholds leave out: shares of vertices and arcs below and above, arcs left, reach."""
        below_v, below_a = self._below
        top = below_v.size - 1
        least, above = min(low, top), top if high is None else min(high + 1, top)
        reached = self.facts["source_reach"]
        kept, _ = self.reach(low, self.graph.arcs if high is None else high)
        return (
            below_v[least], below_a[least], 1.0 - below_v[above], 1.0 - below_a[above],
            self.leaves(low, high), kept / reached if reached else 1.0,
        )  # fmt: skip

    def rows(self, configurations: Sequence[Configuration]) -> np.ndarray:
        """A row of ``FEATURES`` for each configuration."""
        hops, width = 2.0 ** self.facts["log_diameter"], self.facts["bucket_width"]
        thresholds = {(c.min_degree, c.max_degree) for _, c in configurations}
        left_out = {pair: self._left_out(*pair) for pair in thresholds}
        which = {name: [float(name == a) for a in ALGORITHMS] for name in ALGORITHMS}
        made = np.empty((len(configurations), len(FEATURES)))
        made[:, : len(GRAPH)] = list(self.facts.values())
        for k, (algorithm, choice) in enumerate(configurations):
            rounds = min(choice.iterations or NO_LIMIT, NO_LIMIT)
            made[k, len(GRAPH) :] = (
                math.log2(rounds), min(rounds / hops, 4.0),
                *left_out[choice.min_degree, choice.max_degree], choice.fraction, choice.atomic,
                min(rounds * width, 64.0), *which[algorithm],
            )  # fmt: skip
        return made

    def candidates(self, algorithms: Sequence[str]) -> list[Configuration]:
        """Configurations to choose from: iterations with thresholds of degrees.

        A random part of the queue is left to those who ask for it: it is never the fastest for its
        error, and where a search begins in a narrow place it may lose everything.
        """
        flat = 2.0 ** self.facts["log_diameter"] <= FLAT_HOPS or self.owned
        caps = self.iteration_caps if flat else []
        choices = [Approximation(i, *pair) for i in (None, *caps) for pair in self.pairs(6)]
        return [Configuration(a, c) for a in algorithms for c in choices if c != EXACT]

    def pairs(self, minima: int) -> list[tuple[int, int | None]]:
        """Pairs of so many least and three greatest degrees that leave enough arcs to be of use."""
        least, most = self.thresholds
        each = product((0, *spread(least, minima)), (None, *spread(most, 3)))
        return [pair for pair in each if self.leaves(*pair) >= LEAST_ARCS_LEFT]

    @cached_property
    def thresholds(self) -> tuple[list[int], list[int]]:
        """Candidates for the least and the greatest degree."""
        return degree_thresholds(self.graph.features.degree_counts)

    @property
    def iteration_caps(self) -> list[int]:
        """Candidates for the number of iterations: few, or on roads shares of the diameter."""
        hops = round(2.0 ** self.facts["log_diameter"])
        if hops <= SHORT_HOPS or not self.owned:
            return [1, 2, 3, 4, 5, 6, 8, 12]
        return sorted({max(1, round(s * hops)) for s in (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5)})


def _shares(part: np.ndarray) -> np.ndarray:
    """What lies before each entry, as a share of the sum."""
    return np.asarray(np.append(0.0, np.cumsum(part)) / max(part.sum(), 1.0))


def spread(values: Sequence[int], wanted: int) -> list[int]:
    """At most ``wanted`` of the values, spread evenly, the last included."""
    places = {round(k) for k in np.linspace(0, len(values) - 1, wanted)} if values else ()
    return [values[k] for k in sorted(places)]
