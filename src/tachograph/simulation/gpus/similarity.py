"""The similarity of the ends of edges on a simulated GPU, as ``by_search`` of ``similarity.cl`` has it.

Work-items of a group look for the neighbours of one end of an edge in the sorted row of the other,
by binary search. A search reads places of the row that halve its range: the first few are the same
for all lanes and stay in the L1; the others are scattered. A large graph has very many searches, so
whole owners are sampled, and counts are scaled: the trace says by how much.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algorithms.simple import simple
from ...util.errors import InputError
from .chip import Chip, Ranges, Touch
from .warps import COUNTERS

__all__ = ["by_search", "requests"]

MOST_SEARCHES = 1 << 22  # that are simulated, about
PROBES_IN_L1 = 3  # of a binary search: they are the same for all lanes


def by_search(chip: Chip, task: str) -> dict[str, Any]:
    """Return the similarities of all edges, computed by the host; the trace has one launch."""
    from ...algorithms import similarity

    if chip.graph.directed:
        raise InputError(f"{task} on a simulated GPU needs an undirected graph")
    found = getattr(similarity, task)(chip.graph)
    requests(chip, MOST_SEARCHES)
    return {k: np.array(v) for k, v in found.to_dict().items() if isinstance(v, np.ndarray)}


def requests(chip: Chip, most: int) -> None:
    """Simulate about ``most`` searches, and scale their counts to those of all edges."""
    graph = simple(chip.graph)
    degrees = graph.degrees.astype(np.int64)
    sources = np.repeat(np.arange(graph.n), degrees)
    other = degrees[graph.indices]
    owned = (other < degrees[sources]) | ((other == degrees[sources]) & (graph.indices < sources))
    arcs = np.flatnonzero(owned)
    total = int(other[arcs].sum())
    counts = chip.place(graph.arcs, 4)
    if not total:
        return
    if total > most:  # owners from all over the graph, each with all its arcs
        place = np.random.default_rng(0).permutation(graph.n)
        arcs = arcs[np.argsort(place[sources[arcs]], kind="stable")]
        arcs = arcs[: np.searchsorted(np.cumsum(other[arcs]), most) + 1]
    u, v = sources[arcs], graph.indices[arcs].astype(np.int64)
    ends = np.cumsum(degrees[v])
    begins = ends - degrees[v]
    within = np.arange(ends[-1]) - np.repeat(begins, degrees[v])
    wanted = graph.indices[np.repeat(graph.indptr[v], degrees[v]) + within]
    low = np.repeat(graph.indptr[u], degrees[v])
    high = low + np.repeat(degrees[u], degrees[v])
    items = np.arange(arcs.size, dtype=np.int64)
    for probe in range(int(degrees[u].max()).bit_length()):
        middle = np.minimum((low + high) // 2, graph.arcs - 1)
        touches = [Touch(chip.columns, "neighbour")] if probe >= PROBES_IN_L1 else []
        if probe == 0:  # the neighbours themselves, and once for each arc what tells its ends
            touches = [Touch(chip.columns, "item"), Touch(chip.offsets, "item")]
            touches += [Touch(counts, "item written"), Touch(chip.columns, "walked")]
        rows = Ranges(begins, ends, middle)
        chip.launch("search", 0, items, touches, balance="warp", rows=rows)
        below, searching = graph.indices[middle] < wanted, low < high
        low = np.where(searching & below, middle + 1, low)
        high = np.where(searching & ~below, middle, high)
    _merged(chip, total / int(ends[-1]))


def _merged(chip: Chip, factor: float) -> None:
    """Make one row of all probes: they are one launch."""
    first = chip.rows[0]
    for name in (*COUNTERS, "written_back"):
        first[name] = round(factor * sum(row[name] for row in chip.rows))
    first["scaled_by"] = factor
    chip.rows[:] = [first]
