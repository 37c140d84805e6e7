"""The similarity of the ends of edges on a simulated GPU, as ``by_search`` of ``similarity.cl`` has it.

A work-group takes arcs that lie side by side, most of which have one owner. A work-item for each
learns where its rows are; the owner's row goes into local memory, if it is short enough; then some
lanes for each arc that is owned read the row of its end, and look for each entry in the owner's row by
binary search. In local memory that takes no sectors, only instructions; otherwise the first few places
that a search reads are the same for all lanes and stay in the L1, and the others are scattered. A large
graph has very many searches, so whole owners are sampled, and counts are scaled: the trace says by how
much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...algorithms.similarity_device import LANES_AT_LEAST, LANES_AT_MOST, STAGED_ARCS
from ...algorithms.simple import simple
from ...devices.opencl import GROUP_OF_MANY_THREADS
from ...graph.graph import Graph
from ...kernels.similarity.edges import sampled_work
from ...util.errors import InputError
from .chip import Chip, Ranges, Touch
from .warps import COUNTERS, WARP

__all__ = ["by_search", "requests"]

MOST_SEARCHES = 1 << 22  # that are simulated, about
SECTOR_ARCS = 8
PROBES_IN_L1 = 3  # of a binary search: they are the same for all lanes
#: Of a warp's step in a search: what a probe of local memory takes. Inferred: about eight instructions,
#: beside some sixty for an arc of a search.
LOCAL_PROBE_STEPS = 1 / 8


class Arcs(NamedTuple):
    """The arcs of sampled owners, in order: places, ends, owners; which of them the owner counts."""

    place: np.ndarray
    owner: np.ndarray
    end: np.ndarray
    owned: np.ndarray
    factor: float  # searches of all owners over those of these


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
    counts = chip.place(graph.arcs, 4)
    if not graph.arcs:
        return
    degrees = graph.degrees.astype(np.int64)
    arcs = sampled(graph, degrees, most)
    lanes = LANES_AT_LEAST
    while lanes < min(sampled_work(graph.indptr, graph.indices), LANES_AT_MOST):
        lanes *= 2
    together = GROUP_OF_MANY_THREADS // lanes
    each = np.arange(arcs.place.size)
    # a work-item for each arc learns about both ends
    touches = [Touch(chip.offsets, "neighbour"), Touch(counts, "item written")]
    rows = Ranges(each, each + 1, arcs.end)
    chip.launch("search", 0, each, touches, balance="vertex", rows=rows)
    chip.pick(chip.columns, arcs.place)
    chip.pick(chip.offsets, arcs.owner)
    # the row of each group's first owner goes into local memory
    first = arcs.owner[::together]
    staged = first[degrees[first] <= STAGED_ARCS]
    row, at, _ = _laid_out(graph, staged)
    turn = np.cumsum((np.diff(row, prepend=-1) > 0) | (at % WARP == 0))
    _ask(chip, turn, at)
    here = (degrees[arcs.owner] <= STAGED_ARCS) & (arcs.owner == first[each // together])
    for local in (True, False):
        mine = np.flatnonzero(arcs.owned & (here == local))
        if mine.size:
            searched(chip, graph, Searches(mine, arcs.owner[mine], arcs.end[mine]), lanes, local)
    _merged(chip, arcs.factor)


def sampled(graph: Graph, degrees: np.ndarray, most: int) -> Arcs:
    """Return all arcs of owners that make about ``most`` searches, drawn from all over the graph."""
    owner = np.repeat(np.arange(graph.n), degrees)
    end = graph.indices.astype(np.int64)
    fewer = degrees[end] < degrees[owner]
    owned = fewer | ((degrees[end] == degrees[owner]) & (end < owner))
    searches = np.bincount(owner[owned], degrees[end[owned]], minlength=graph.n)
    order = np.random.default_rng(0).permutation(graph.n)
    taken = np.zeros(graph.n, bool)
    taken[order[: np.searchsorted(np.cumsum(searches[order]), most) + 1]] = True
    place = np.flatnonzero(taken[owner])
    factor = searches.sum() / max(searches[taken].sum(), 1.0)
    return Arcs(place, owner[place], end[place], owned[place], max(float(factor), 1.0))


class Searches(NamedTuple):
    """Arcs whose ends' neighbours are looked for: their numbers, owners and ends."""

    number: np.ndarray
    owner: np.ndarray
    end: np.ndarray


def searched(chip: Chip, graph: Graph, arcs: Searches, lanes: int, local: bool) -> None:
    """Let ``lanes`` lanes for each arc look for the neighbours of its end in the row of its owner."""
    row, at, nth = _laid_out(graph, arcs.end)
    owner = arcs.owner[row]
    # A warp takes as many arcs as it has lanes for; each turn is one entry for each lane. Turns begin
    # where sectors do, if there are lanes for one.
    ahead = (at - nth) % SECTOR_ARCS if lanes >= SECTOR_ARCS else 0
    turn, warp = (nth + ahead) // lanes, arcs.number[row] // (WARP // lanes)
    order = np.lexsort((at, row, turn, warp))
    owner, at, nth, turn, warp = (values[order] for values in (owner, at, nth, turn, warp))
    turn = np.cumsum((np.diff(warp, prepend=-1) != 0) | (np.diff(turn, prepend=-1) != 0))
    _ask(chip, turn, at)
    # A lane goes on in the owner's row where its last search ended.
    wanted = graph.indices[at].astype(np.int64)
    key = np.repeat(np.arange(graph.n), graph.degrees) * graph.n + graph.indices
    known = np.searchsorted(key, owner * graph.n + graph.indices[np.maximum(at - lanes, 0)])
    low = np.where(nth >= lanes, known, graph.indptr[owner])
    high = graph.indptr[owner + 1].astype(np.int64)
    if local:
        probes = np.ceil(np.log2(np.maximum(high - low, 0) + 1))
        longest = np.maximum.reduceat(probes, np.flatnonzero(np.diff(turn, prepend=-1)))
        chip.rows[-1]["steps"] += round(LOCAL_PROBE_STEPS * float(longest.sum()))
        return
    last, probe = high.copy(), 0
    while (searching := low < high).any():
        middle = np.minimum((low + high) // 2, graph.arcs - 1)
        if probe >= PROBES_IN_L1:
            _ask(chip, turn[searching], middle[searching])
        else:
            chip.rows[-1]["steps"] += np.unique(turn[searching]).size
        below = graph.indices[middle] < wanted
        low = np.where(searching & below, middle + 1, low)
        high = np.where(searching & ~below, middle, high)
        probe += 1
    _ask(chip, turn[low < last], low[low < last])  # whether it is there


def _laid_out(graph: Graph, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the entries of rows: which row, which place of all arcs, and which of its row each is."""
    begins = graph.indptr[vertices].astype(np.int64)
    size = graph.indptr[vertices + 1] - begins
    nth = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    return np.repeat(np.arange(vertices.size), size), np.repeat(begins, size) + nth, nth


def _ask(chip: Chip, turn: np.ndarray, at: np.ndarray) -> None:
    """Let the lanes of each turn of a warp read places of the columns; nobody reads items."""
    begins = np.flatnonzero(np.diff(turn, prepend=-1))
    each, steps = np.arange(begins.size), Ranges(begins, np.append(begins[1:], at.size), at)
    chip.launch("search", 0, each, [Touch(chip.columns, "neighbour")], balance="warp", rows=steps)
    chip.rows[-1]["steps"] -= each.size


def _merged(chip: Chip, factor: float) -> None:
    """Make one row of all parts: they are one launch."""
    first = chip.rows[0]
    for name in (*COUNTERS, "written_back"):
        first[name] = round(factor * sum(row[name] for row in chip.rows))
    first["scaled_by"] = factor
    chip.rows[:] = [first]
