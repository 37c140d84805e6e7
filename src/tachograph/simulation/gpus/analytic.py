"""The fast path: what a search asks of memory, from numbers of the graph alone, without walking it.

Distinct sectors for each arc are counted on a sample of warps. What the L2 holds follows from Che's
approximation of a least-recently-used cache: every line is asked for as often as its vertices have
arcs, independently of the past. The lines that are asked for at least once in a time T fill the
cache, together with the columns that stream through it; sectors that are asked for less often than
once in T are fetched. Both numbers belong to the graph and are kept; a question then takes
microseconds.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ..caches.sectored import LINE_BYTES, SECTOR_BYTES
from .chip import shares
from .constants import STREAM_SHARE, constants_of
from .gpu import GPU
from .warps import WARP

__all__ = ["Demand", "demand_of", "predict", "predict_either"]

LABEL_BYTES, COLUMN_BYTES = 4, 4
SAMPLED_WARPS = 4096
#: Of a search that pulls, about: levels pulled, share of the arcs that are pushed, arcs that a vertex
#: looks at.
PULLED_LEVELS, PUSHED_SHARE, LOOKS_PER_VERTEX = 3, 0.02, 4.0
BINS = 256  # of lines and of sectors that are asked for about equally often
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Popularity:
    """How often lines, or sectors, are asked for: numbers of them, and accesses for each arc."""

    count: Numbers
    rate: Numbers


@dataclass(frozen=True)
class Demand:
    """What searches of a graph ask for; ``far`` is the distinct sectors of labels for each arc."""

    n: int
    arcs: int
    far: float
    lines: Popularity
    sectors: Popularity
    _missed: dict[int, float] = field(default_factory=dict)

    def missed(self, l2_bytes: int) -> float:
        """Return the share of the accesses to labels that an L2 does not hold; kept by size."""
        if l2_bytes not in self._missed:
            self._missed[l2_bytes] = self._che(l2_bytes)
        return self._missed[l2_bytes]

    def _che(self, l2_bytes: int) -> float:
        room = l2_bytes / LINE_BYTES
        stream = COLUMN_BYTES / LINE_BYTES  # lines of columns for each arc
        count, rate = self.lines.count, self.lines.rate * self.far

        def held(time: float) -> float:
            return float((count * -np.expm1(-rate * time)).sum()) + stream * time

        low, high = 0.0, max(float(self.arcs), 1.0)
        if held(high) > room:
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if held(middle) < room else (low, middle)
        asked = self.sectors.count * self.sectors.rate
        fetched = float((asked * np.exp(-self.sectors.rate * self.far * high)).sum())
        first = float(self.sectors.count.sum()) / max(
            self.arcs * self.far, 1.0
        )  # never seen before
        return min(1.0, max(fetched / max(float(asked.sum()), 1e-12), first))


_kept: weakref.WeakKeyDictionary[Graph, Demand] = weakref.WeakKeyDictionary()


def demand_of(graph: Graph) -> Demand:
    """Return what searches of a graph ask for; it is measured once."""
    if graph not in _kept:
        _kept[graph] = _measured(graph)
    return _kept[graph]


def _measured(graph: Graph) -> Demand:
    into = graph.transpose.degrees if graph.directed else graph.degrees
    arcs = max(graph.arcs, 1)
    return Demand(
        graph.n,
        graph.arcs,
        _distinct(graph),
        _popularity(into, LINE_BYTES // LABEL_BYTES, arcs),
        _popularity(into, SECTOR_BYTES // LABEL_BYTES, arcs),
    )


def _distinct(graph: Graph) -> float:
    """Return the distinct sectors of labels that warps of 32 consecutive arcs ask for, for each arc."""
    warps = graph.arcs // WARP
    if not warps:
        return 1.0
    chosen = np.unique(np.linspace(0, warps - 1, min(SAMPLED_WARPS, warps)).astype(np.int64))
    at = chosen[:, None] * WARP + np.arange(WARP)
    sectors = np.sort(graph.indices[at] // (SECTOR_BYTES // LABEL_BYTES), axis=1)
    return float((1 + (np.diff(sectors, axis=1) != 0).sum(axis=1)).mean() / WARP)


def _popularity(into: np.ndarray, together: int, arcs: int) -> Popularity:
    """Sum the arcs into vertices that lie together, and bin the sums."""
    if not into.size:
        return Popularity(np.zeros(1), np.zeros(1))
    sums = np.sort(np.add.reduceat(into.astype(np.float64), np.arange(0, into.size, together)))
    parts = np.array_split(sums, min(BINS, sums.size))
    count = np.array([float(part.size) for part in parts])
    return Popularity(count, np.array([float(part.mean()) for part in parts]) / arcs)


def predict(graph: Graph, gpu: GPU, levels: float, reached: float = 1.0) -> dict[str, float]:
    """Predict the seconds of a search that pushes, and their parts; takes microseconds once measured.

    ``levels`` is how many there are, ``reached`` the share of the arcs that the search looks at.
    """
    demand, constants = demand_of(graph), constants_of(gpu)
    arcs, vertices = demand.arcs * reached, demand.n * reached
    far = demand.far * arcs
    far_fetched = far * demand.missed(gpu.l2_bytes)
    near = arcs * COLUMN_BYTES / SECTOR_BYTES + vertices * (8 + 4) / SECTOR_BYTES
    counts = {
        "steps": arcs / WARP + vertices / WARP,
        "far_sectors": far,
        "far_fetched": far_fetched,
        "fetched": far_fetched + near,
        "written_back": vertices * 8 / SECTOR_BYTES,
        "atomics": vertices,
    }
    parts = shares(gpu, constants, {k: np.asarray(v) for k, v in counts.items()})
    launch = levels * constants.launch_seconds(gpu, "push")
    found = {name: float(parts[name]) for name in ("issue", "l2", "dram")}
    return {"seconds": launch + float(parts["work"]), "launch": launch, **found}


def predict_either(graph: Graph, gpu: GPU, levels: float) -> dict[str, float]:
    """Predict the seconds of a search that may pull: as it pushes, or with a few large levels pulled.

    A search that pulls at its largest levels pushes a small share of the arcs, and looks at a few arcs
    of each vertex; which is better depends on the arcs for each vertex.
    """
    push = predict(graph, gpu, levels)
    constants = constants_of(gpu)
    pulled = min(PULLED_LEVELS, levels)
    launch = (levels - pulled) * constants.launch_seconds(gpu, "push")
    launch += pulled * constants.launch_seconds(gpu, "pull")
    work = push["seconds"] - push["launch"]
    looked = min(1.0, LOOKS_PER_VERTEX * graph.n / max(graph.arcs, 1))
    scan = pulled * graph.n * LABEL_BYTES / (STREAM_SHARE * gpu.memory_gbps * 1e9)
    seconds = launch + scan + work * min(1.0, PUSHED_SHARE + looked)
    return push if push["seconds"] <= seconds else {**push, "seconds": seconds, "launch": launch}
