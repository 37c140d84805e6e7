"""Edges by partitions of their sources, and the loops that compute values along them, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...kernels.rows.build import build
from ...kernels.runtime.atomics import stopped
from ...kernels.runtime.launch import kernel, read_only, run

ENTRIES_PER_LOOK = 1 << 14  # rows, groups or updates between two looks at the stop flag
BRIEF_BELOW_ENTRIES = 1 << 22  # of arrays that are gone through in less than a second


class Groups(NamedTuple):
    """Edges in groups: group g is all edges up to ``ends[g]``. Weights may be missing."""

    ends: np.ndarray
    sources: np.ndarray
    weights: np.ndarray


class Rule(NamedTuple):
    """What an edge sends: its part of a sum, or its source's value plus ``step`` (or the weight).

    With ``filtered``, groups without an active source make no update, and inactive sources send
    nothing.
    """

    step: float
    additive: bool
    filtered: bool


class Updates(NamedTuple):
    """For each update the number of its group, what arrives, and the edges read until then."""

    kept: np.ndarray
    update: np.ndarray
    seen: np.ndarray


def call(worker: Callable[..., Any], *arguments: Any) -> Any:
    """Run one compiled loop; a long one where Ctrl-C can reach it."""
    arrays = (x for a in arguments for x in (a if isinstance(a, tuple) else (a,)))
    size = sum(a.size for a in arrays if isinstance(a, np.ndarray))
    return run(worker, [arguments], brief=size < BRIEF_BELOW_ENTRIES)[0]


def _ids(array: np.ndarray) -> np.ndarray:
    """Return ids as the loops take them: 32 bits, not to be written."""
    return read_only(np.ascontiguousarray(array, np.int32))


def parts_of(
    graph: Graph, size: int, weighted: bool
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the edges of each partition of ``size`` sources by their targets, one partition at a time.

    These are pointers, the sources of each target in ascending order, and their weights, if there are
    any. Only one partition is turned round at a time, so a large graph needs little more than itself;
    a partition that is the whole graph is its transpose.
    """
    if size >= graph.n:
        back = graph.transpose.sorted
        yield back.indptr, _ids(back.indices), _lengths(back.weights, weighted)
        return
    for lo in range(0, graph.n, size):
        hi = min(graph.n, lo + size)
        own = slice(int(graph.indptr[lo]), int(graph.indptr[hi]))
        targets = graph.indices[own]
        sources = np.repeat(
            np.arange(lo, hi, dtype=targets.dtype), np.diff(graph.indptr[lo : hi + 1])
        )
        weights = graph.weights[own] if weighted and graph.weights is not None else None
        pointers, turned, weights = build(targets, sources, weights, graph.n)
        yield read_only(pointers), read_only(turned), _lengths(weights, weighted)


def _lengths(weights: np.ndarray | None, weighted: bool) -> np.ndarray:
    """Return weights as the loops take them, none if they are not looked at."""
    return np.zeros(0) if weights is None or not weighted else weights.astype(np.float64)


def edges_of(graph: Graph, size: int) -> np.ndarray:
    """Return the edges of every partition; a graph without vertices has one."""
    cuts = np.minimum(np.arange(max(1, -(-graph.n // max(1, size))) + 1) * size, graph.n)
    return np.diff(graph.indptr[cuts])


def grouped(
    graph: Graph, size: int, merged: bool, weighted: bool
) -> tuple[np.ndarray, list[tuple[np.ndarray, Groups]]]:
    """Return the number of edges of each partition, and these in groups that make one update each.

    With ``merged`` a group is all edges to one target, in order of targets; otherwise every edge is
    one, in order of sources. A partition is the targets of its groups, and the groups.
    """
    edges, parts = edges_of(graph, size), []
    if merged:
        for pointers, sources, own in parts_of(graph, size, weighted):
            many = int(np.count_nonzero(np.diff(pointers)))
            targets, ends = np.zeros(many, np.int32), np.zeros(many, np.int64)
            call(compress, pointers, targets, ends)
            groups = Groups(read_only(ends), sources, own)
            parts.append((read_only(targets), groups))
        return edges, parts
    weights = _lengths(graph.weights, weighted)
    for lo in range(0, max(1, graph.n), max(1, size)):
        hi = min(graph.n, lo + size)
        begin, end = int(graph.indptr[lo]), int(graph.indptr[hi])
        sources = np.repeat(np.arange(lo, hi), np.diff(graph.indptr[lo : hi + 1]))
        ends = read_only(np.arange(1, end - begin + 1))
        groups = Groups(ends, _ids(sources), weights[begin:end])
        parts.append((_ids(graph.indices[begin:end]), groups))
    return edges, parts


@kernel
def compress(stop, pointers, targets, ends):
    """Rows of a partition that are not empty: their targets, and where each row ends."""
    at = 0
    for v in range(pointers.size - 1):
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return
        if pointers[v + 1] > pointers[v]:
            targets[at] = v
            ends[at] = pointers[v + 1]
            at += 1


@kernel
def pull(stop, pointers, sources, step, additive, sent, values, changed):
    """Pull along the rows of a partition, in place; the number of values that changed.

    With ``additive`` values grow by what the sources send, else they are lowered to it plus ``step``
    (``sent`` is then ``values`` itself, so that a change is seen at once).
    """
    many = 0
    for v in range(pointers.size - 1):
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return many
        begin, end = pointers[v], pointers[v + 1]
        if additive:
            total = 0.0
            for k in range(begin, end):
                total += sent[sources[k]]
            values[v] += total
            if begin < end:
                changed[v] = True
                many += 1
        else:
            best = values[v]
            for k in range(begin, end):
                best = min(best, sent[sources[k]] + step)
            if best < values[v]:
                values[v] = best
                changed[v] = True
                many += 1
    return many


@kernel
def scatter(stop, groups, rule, active, sent, updates):
    """Make one update for each group of edges; how many there are. ``updates`` has room for all."""
    ends, sources, weights = groups
    step, additive, filtered = rule
    kept, update, seen = updates
    many, k = 0, 0
    for g in range(ends.size):
        if g % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return many
        total, best, some = 0.0, np.inf, not filtered
        while k < ends[g]:
            u = sources[k]
            if active[u] or not filtered:
                some = True
                if additive:
                    total += sent[u] * (weights[k] if weights.size > 0 else 1.0)
                else:
                    best = min(best, sent[u] + (weights[k] if weights.size > 0 else step))
            k += 1
        if some:
            kept[many] = g
            update[many] = total if additive else best
            seen[many] = k
            many += 1
    return many


@kernel
def gather(stop, targets, update, additive, values, changed, wrote):
    """Apply updates in order; ``wrote`` tells which of them changed their vertex."""
    for i in range(targets.size):
        if i % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return
        v = targets[i]
        if additive:
            values[v] += update[i]
            wrote[i] = True
        elif update[i] < values[v]:
            values[v] = update[i]
            wrote[i] = True
        if wrote[i]:
            changed[v] = True
