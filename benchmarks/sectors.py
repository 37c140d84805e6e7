"""What a multiprocessor of a GPU would see of kernels on devices: how they read arcs is replayed.

    python benchmarks/sectors.py

A replay reads the arcs that a kernel reads, in warps of 32 work-items in lockstep, and counts sectors
of 32 bytes for each access of a warp, work-items that take part in it, and sectors for each arc beside
the fewest that hold the arcs. Rows are read to their ends. `a row each` and `32 lanes, second` are how
kernels were before; the former is how they still are on the host's cores. Nothing is timed, so the
numbers are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from harness import Table, main, rounded

import tachograph as tg
from tachograph.algorithms.similarity_device import LANES_AT_LEAST, LANES_AT_MOST
from tachograph.kernels.similarity.edges import sampled_work

WARP, SECTOR_BYTES, GROUP, ID_BYTES = 32, 32, 256, 4
GRAPHS: dict[str, Callable[[], tg.Graph]] = {
    "star": lambda: tg.star(1 << 12),
    "kron": lambda: tg.kronecker(10, rng=1),
    "road": lambda: tg.road(48, 48, rng=1, weights=None),
}


class Seen(NamedTuple):
    """Accesses of warps, the sectors that they touch, and the work-items that take part."""

    accesses: int
    sectors: int
    lanes: int


def seen(accesses: Iterable[np.ndarray]) -> Seen:
    """Add up accesses, each the places of an array that a warp reads at once."""
    every = [np.asarray(places) for places in accesses]
    sectors = sum(np.unique(places * ID_BYTES // SECTOR_BYTES).size for places in every)
    return Seen(len(every), sectors, sum(places.size for places in every))


def row_each(graph: tg.Graph, lengths: np.ndarray) -> Iterator[np.ndarray]:
    """A work-item has a row, of which it reads the first ``lengths`` arcs."""
    for first in range(0, graph.n, WARP):
        begins, counts = (
            graph.indptr[first:][:WARP][: graph.n - first],
            lengths[first : first + WARP],
        )
        for step in range(int(counts.max(initial=0))):
            yield begins[: counts.size][counts > step] + step


def by_arcs(graph: tg.Graph, rows: np.ndarray) -> Iterator[np.ndarray]:
    """A group takes the arcs of GROUP rows in turns, those of rows that take part (``rows``)."""
    for first in range(0, graph.n, GROUP):
        mine = np.flatnonzero(rows[first : first + GROUP]) + first
        spans = [np.arange(graph.indptr[v], graph.indptr[v + 1]) for v in mine]
        arcs = np.concatenate([np.empty(0, np.int64), *spans])
        for step in range(0, arcs.size, WARP):
            yield arcs[step : step + WARP]


def owned(graph: tg.Graph) -> np.ndarray:
    """Whether each arc is that of its edge's owner, the end of higher degree."""
    degree, heads = graph.degrees, graph.indices
    tails = graph.arc_sources()
    return (degree[heads] < degree[tails]) | ((degree[heads] == degree[tails]) & (heads < tails))


def lanes(graph: tg.Graph, width: int, *, first: bool) -> Iterator[np.ndarray]:
    """``width`` work-items read the row of the end of each arc that its owner has. Those of one arc are
    neighbours in a warp if the lanes are the ``first`` dimension; else those of different arcs are.
    """
    ends = np.where(owned(graph), graph.indices, -1)
    group = GROUP // width if first else 2  # arcs of a group
    for begin in range(0, ends.size, group):
        some = ends[begin : begin + group]
        arc, lane = np.divmod(np.arange(group * width), width)
        if not first:
            lane, arc = np.divmod(np.arange(group * width), group)
        known = arc < some.size
        v = np.where(known, some[np.minimum(arc, some.size - 1)], -1)
        start = np.where(v >= 0, graph.indptr[v], 0) + lane
        stop = np.where(v >= 0, graph.indptr[v + 1], 0)
        for warp in range(0, group * width, WARP):
            at, end = start[warp : warp + WARP], stop[warp : warp + WARP]
            while (at < end).any():
                yield at[at < end]
                at = at + width


def sectors_of(graph: tg.Graph, rows: np.ndarray) -> np.ndarray:
    """Return how many sectors hold the arcs of each row."""
    begin, end = graph.indptr[rows] * ID_BYTES, graph.indptr[rows + 1] * ID_BYTES
    return np.where(end > begin, (end - 1) // SECTOR_BYTES - begin // SECTOR_BYTES + 1, 0)


def fewest(graph: tg.Graph, rows: np.ndarray) -> int:
    """Return the sectors that hold the arcs of these rows, where each arc is read once."""
    arcs = np.flatnonzero(np.repeat(rows, graph.degrees))
    return int(np.unique(arcs * ID_BYTES // SECTOR_BYTES).size)


def kernels(graph: tg.Graph) -> Iterator[tuple[str, str, Seen, int, int]]:
    """Yield kernel, how it goes through arcs, what was seen, arcs, and the fewest sectors."""
    every = np.ones(graph.n, bool)
    chosen = tg.maximal_independent_set(graph, rng=1).mask
    work = {"select, preflow, adjust": every, "deactivate": chosen}
    for name, rows in work.items():
        lengths = np.where(rows, graph.degrees, 0)
        arcs, least = int(lengths.sum()), fewest(graph, rows)
        yield name, "a row each", seen(row_each(graph, lengths)), arcs, least
        yield name, "by arcs", seen(by_arcs(graph, rows)), arcs, least
    degree, heads = graph.degrees, graph.indices[owned(graph)]
    arcs = int(degree[heads].sum())
    least = int(sectors_of(graph, heads).sum())  # the row of each edge
    width = LANES_AT_LEAST
    while width < min(sampled_work(*graph.rows), LANES_AT_MOST):
        width *= 2
    yield "by_search", "32 lanes, second", seen(lanes(graph, 32, first=False)), arcs, least
    yield "by_search", f"{width} lanes, first", seen(lanes(graph, width, first=True)), arcs, least


def appends(graph: tg.Graph) -> Iterator[list[object]]:
    """How many atomic additions one list of all vertices takes: one each, or one for a group."""
    each, grouped = graph.n, -(-graph.n // GROUP)
    for how, count in (("one each", each), ("one for a group", grouped)):
        yield ["append", how, *rounded([count / graph.n])]


def measure() -> Iterator[Table]:
    rows, lists = [], []
    for name, make in GRAPHS.items():
        graph = make()
        for kernel, how, found, arcs, least in kernels(graph):
            numbers = [found.sectors / found.accesses, found.lanes / found.accesses]
            numbers += [found.sectors / arcs, found.sectors / least]
            rows.append([name, kernel, how, *rounded(numbers)])
        lists += [[name, *row] for row in appends(graph)]
    columns = ["graph", "kernel", "arcs", "sectors of an access", "work-items of an access"]
    columns += ["sectors of an arc", "times the fewest"]
    yield Table("Arcs that a multiprocessor reads", columns, rows)
    yield Table("Atomic additions for a list", ["graph", "step", "how", "for a vertex"], lists)


if __name__ == "__main__":
    main(measure)
