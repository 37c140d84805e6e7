"""Measured properties of a graph, on which plans and learned decisions are based.

Each group is computed when it is first used, and kept: counts are free, degrees take a pass over the
vertices, loops, reciprocity and weights one over the arcs, the diameter two breadth-first sweeps.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .graph import Graph

SEARCHES = 16  # small ones, whose mean is Features.opening
MARGIN = 0.05  # of the sampled hub probability, at 95 % confidence
OPENING = ("early", "levels", "closing", "bits", "small")
NAMES = (
    *("n", "m", "mean_degree", "min_degree", "max_degree", "degree_variance", "gini"),
    *("hub_probability", "hub_probability_sampled", "isolated_share", "self_loops"),
    *("reciprocity", "diameter", "weights"),
)


class Features:
    """Properties of one graph, as attributes; :meth:`to_dict` computes and lists them all.

    Examples
    --------
    >>> import tachograph as tg
    >>> f = tg.star(5).features
    >>> f.max_degree, f.hub_probability, f.diameter
    (4, 0.2, 2)
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    # -- counts and degrees -------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Vertices."""
        return self._graph.n

    @property
    def m(self) -> int:
        """Edges, an undirected one counted once."""
        return self._graph.m

    @property
    def mean_degree(self) -> float:
        """Arcs per vertex."""
        return self._graph.arcs / self.n if self.n else 0.0

    @property
    def min_degree(self) -> int:
        """Fewest arcs out of a vertex."""
        return int(self._graph.degrees.min(initial=2**62)) if self.n else 0

    @cached_property
    def max_degree(self) -> int:
        """Most arcs out of a vertex."""
        return int(self._graph.degrees.max(initial=0))

    @cached_property
    def degree_counts(self) -> np.ndarray:
        """How many vertices have degree 0, 1, 2, ..."""
        counts = np.bincount(self._graph.degrees, minlength=1)
        counts.flags.writeable = False
        return counts

    @cached_property
    def degree_variance(self) -> float:
        """Mean squared distance of a degree from the mean."""
        d = np.arange(self.degree_counts.size)
        return float(self.degree_counts @ (d - self.mean_degree) ** 2 / max(self.n, 1))

    @cached_property
    def gini(self) -> float:
        """Inequality of the degrees: 0 if all are equal, towards 1 if few vertices have all arcs."""
        if not self._graph.arcs:
            return 0.0
        counts = self.degree_counts.astype(float)
        d = np.arange(counts.size)
        rank_before = np.cumsum(counts) - counts
        # sum over vertices in order of degree of (2 * rank - n - 1) * degree, a degree at a time
        weighted = d * counts * (2 * rank_before + counts - self.n)
        return float(weighted.sum() / (self.n * self._graph.arcs))

    @cached_property
    def hub_probability(self) -> float:
        """Share of the vertices whose degree is above the mean (p_h of SURF)."""
        above = self.degree_counts[math.floor(self.mean_degree) + 1 :]
        return float(above.sum() / max(self.n, 1))

    @cached_property
    def hub_probability_sampled(self) -> float:
        """The same estimated from a sample: 95 % confidence, margin 5 % (Yamane's formula,
        n / (1 + n e**2) vertices), so at most 400 degrees are looked at.
        """
        if not self.n:
            return 0.0
        from ..kernels.runtime import random

        size = math.ceil(self.n / (1 + self.n * MARGIN**2))
        if self.n < 2**31:
            chosen = random.integers(0, "hubs", size, 0, self.n).astype(np.int64)
        else:
            chosen = (random.reals(0, "hubs", size) * self.n).astype(np.int64)
        indptr = self._graph.indptr
        return float(np.mean(indptr[chosen + 1] - indptr[chosen] > self.mean_degree))

    @cached_property
    def isolated_share(self) -> float:
        """Share of the vertices without any edge, in or out."""
        alone = self._graph.degrees == 0
        if self._graph.directed:
            alone[self._graph.indices] = False
        return float(np.count_nonzero(alone) / max(self.n, 1))

    # -- passes over the arcs -----------------------------------------------------------------

    @property
    def self_loops(self) -> int:
        """Edges from a vertex to itself."""
        return self._graph.self_loops

    @cached_property
    def reciprocity(self) -> float:
        """Share of the arcs (loops left out) whose reverse exists, too; 1 if undirected."""
        graph = self._graph
        arcs = graph.arcs - self.self_loops
        if not graph.directed or not arcs:
            return 1.0 if arcs else 0.0
        from ..kernels.rows.passes import count_mutual, over_rows

        return float(sum(over_rows(count_mutual, *graph.sorted.rows, *graph.transpose.rows)) / arcs)

    @cached_property
    def diameter(self) -> int:
        """A lower bound of the diameter, usually close: a double sweep (farthest from the vertex of
        highest degree, then farthest from there), arcs taken in both directions.
        """
        if not self.n:
            return 0
        from ..kernels.paths.ordered import breadth_first

        graph = self._graph
        back = graph.transpose.rows if graph.directed else None
        ends, start = np.empty(0), graph.degrees.argmax()
        for _ in range(2):
            source = np.array([start], graph.indices.dtype)
            order, _, ends = breadth_first(graph.rows, source, self.n, back)
            start = order[ends[-2]] if ends.size > 1 else start
        return ends.size - 1

    @cached_property
    def opening(self) -> dict[str, float]:
        """How fast searches grow around a few random vertices that have arcs; takes a millisecond.

        ``early`` and ``levels`` are the steps to reach 128 and 1,024 vertices, ``closing`` the share
        of the arcs that lead to what was reached before, ``bits`` the mean number of bits of the
        difference between the ids of neighbours, ``small`` the share of the searches that end before.
        """
        return summary_of_balls(*self._graph.rows)

    @cached_property
    def probe(self) -> dict[str, float]:
        """What an arc takes here: measured on blocks of rows, once, in less than a millisecond.

        ``nanoseconds`` is the time to look up the degree of its target, with the locality of this graph
        and the load of this machine; ``further`` is that degree, and ``common`` the lower one of its
        two ends, both in the mean.
        """
        from ..kernels.features import probe

        return probe(*self._graph.rows)

    # -- weights ------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> dict[str, float] | None:
        """Least, mean, greatest weight, their standard deviation; None without weights."""
        w = self._graph.weights
        if w is None or not w.size:
            return None
        from ..kernels.rows.passes import value_range, value_spread
        from ..kernels.runtime.launch import over_parts

        least, sums, most = zip(*over_parts(value_range, w.size, w), strict=True)
        mean = sum(sums) / w.size
        spread = math.sqrt(sum(over_parts(value_spread, w.size, w, mean)) / w.size)
        low, high = float(min(least)), float(max(most))
        return {"min": low, "mean": float(mean), "max": high, "std": spread}

    def to_dict(self) -> dict[str, Any]:
        """Return all features by name."""
        return {name: getattr(self, name) for name in NAMES}

    def _repr_html_(self) -> str:
        from html import escape

        def text(value: object) -> str:
            if isinstance(value, dict):
                return ", ".join(f"{k} {v:,.6g}" for k, v in value.items())
            return "none" if value is None else f"{value:,.6g}"

        rows = (
            f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{text(value)}</td></tr>"
            for name, value in self.to_dict().items()
        )
        return f"<table>{''.join(rows)}</table>"

    def __repr__(self) -> str:
        def text(value: object) -> str:
            if isinstance(value, dict):
                return f"{{{', '.join(f'{k}: {text(v)}' for k, v in value.items())}}}"
            return f"{value:.4g}" if isinstance(value, float) else repr(value)

        return f"Features({', '.join(f'{k}={text(v)}' for k, v in self.to_dict().items())})"


def summary_of_balls(indptr: np.ndarray, indices: np.ndarray) -> dict[str, float]:
    """Return the means of searches around vertices with arcs; see :attr:`Features.opening`."""
    from ..kernels.features import BALL, balls

    if not indices.size:
        return dict.fromkeys(OPENING, 0.0) | {"small": 1.0}
    places = np.random.default_rng(0).integers(indices.size, size=SEARCHES)
    starts = np.searchsorted(indptr, places, "right") - 1
    found = dict(zip(BALL, balls(indptr, indices, starts).mean(axis=0).tolist(), strict=True))
    for part in ("closing", "bits"):
        found[part] /= max(found["arcs"], 1.0)
    return {name: found["whole" if name == "small" else name] for name in OPENING}
