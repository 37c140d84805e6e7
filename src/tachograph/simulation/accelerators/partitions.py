"""Edges by partitions of their sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from ...graph.graph import Graph
from ...kernels.runtime.launch import read_only
from ...kernels.runtime.nouns import WeightedRows
from .problem import Problem

__all__ = ["Groups", "InRows", "call"]

BRIEF = 1 << 22  # entries of arrays that are gone through in less than a second


Edges: TypeAlias = "tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]"


def call(worker: Any, *arguments: Any) -> Any:
    """Run one compiled loop; a long one where Ctrl-C can reach it."""
    from ...kernels.runtime.launch import run

    arrays = (x for a in arguments for x in (a if isinstance(a, tuple) else (a,)))
    size = sum(a.size for a in arrays if isinstance(a, np.ndarray))
    return run(worker, [arguments], brief=size < BRIEF)[0]


def _ids(array: np.ndarray) -> np.ndarray:
    """Return ids as the loops take them: 32 bits, not to be written."""
    return read_only(np.ascontiguousarray(array, np.int32))


def _counts(back: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges and distinct targets of every partition."""
    from . import steps

    parts = max(1, -(-back.n // size)) if size else 1
    edges, groups = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
    call(steps.count_groups, back.indptr, _ids(back.indices), max(1, size), edges, groups)
    return edges, groups


class InRows:
    """The transposed graph, cut into partitions of ``size`` sources, one at a time."""

    def __init__(self, graph: Graph, size: int) -> None:
        self.back = graph.transpose.sorted
        self.size = size
        self.edges = _counts(self.back, size)[0].tolist()
        self.starts = np.arange(0, max(1, graph.n), max(1, size))

    def parts(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield the number of a partition, its pointers and its sources in order of targets."""
        from . import steps

        back = self.back
        if len(self.edges) == 1:
            yield 0, back.indptr, _ids(back.indices)
            return
        cursor, nothing = back.indptr[:-1].copy(), np.zeros(0)
        rows = WeightedRows(back.indptr, _ids(back.indices), nothing)
        for p, edges in enumerate(self.edges):
            pointers, sources = np.zeros(back.n + 1, np.int64), np.zeros(edges, np.int32)
            part = WeightedRows(pointers, sources, nothing)
            call(steps.cut, rows, cursor, (p + 1) * self.size, part)
            yield p, read_only(pointers), read_only(sources)

    def pull(
        self,
        problem: Problem,
        pointers: np.ndarray,
        sources: np.ndarray,
        sent: np.ndarray,
        target: np.ndarray,
    ) -> np.ndarray:
        """Pull along the edges of a partition; return which values changed."""
        from . import steps

        changed = np.zeros(self.back.n, np.bool_)
        call(steps.pull, pointers, sources, problem.step, problem.additive, sent, target, changed)
        return changed


class Groups:
    """The edges of each partition in groups that make one update each.

    With ``merged`` a group is all edges to one target, in order of targets; otherwise every edge is
    one, in order of sources.
    """

    def __init__(self, graph: Graph, size: int, merged: bool, weighted: bool) -> None:
        self.size = size
        self.merged = merged
        back = graph.transpose.sorted
        self.edges, groups = _counts(back, size)
        parts = self._cut(back, groups, weighted) if merged else self._as_they_are(graph, weighted)
        self._parts = list(parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, p: int) -> Edges:
        """Return targets of the groups, where each ends, sources and weights of the edges."""
        return self._parts[p]

    def _cut(self, back: Graph, groups: np.ndarray, weighted: bool) -> Iterator[Edges]:
        from . import steps

        weights = np.zeros(0)
        if weighted and back.weights is not None:
            weights = back.weights.astype(np.float64)
        cursor = back.indptr[:-1].copy()
        pointers = np.zeros(back.n + 1, np.int64)
        rows = WeightedRows(back.indptr, _ids(back.indices), weights)
        for p, edges in enumerate(self.edges.tolist()):
            sources = np.zeros(edges, np.int32)
            own = np.zeros(edges if weights.size else 0)
            part = WeightedRows(pointers, sources, own)
            call(steps.cut, rows, cursor, (p + 1) * self.size, part)
            targets, ends = np.zeros(groups[p], np.int32), np.zeros(groups[p], np.int64)
            call(steps.compress, pointers, targets, ends)
            yield read_only(targets), read_only(ends), read_only(sources), own

    def _as_they_are(self, graph: Graph, weighted: bool) -> Iterator[Edges]:
        for lo in range(0, max(1, graph.n), max(1, self.size)):
            hi = min(graph.n, lo + self.size)
            begin, end = int(graph.indptr[lo]), int(graph.indptr[hi])
            sources = np.repeat(np.arange(lo, hi), np.diff(graph.indptr[lo : hi + 1]))
            weights = np.zeros(0)
            if weighted and graph.weights is not None:
                weights = graph.weights[begin:end].astype(np.float64)
            ends = read_only(np.arange(1, end - begin + 1))
            yield _ids(graph.indices[begin:end]), ends, _ids(sources), weights
