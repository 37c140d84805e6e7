"""The fast path: what a search asks of memory, from numbers of the graph alone, without walking it.

Distinct sectors for each arc are counted on a sample of warps. What the L2 holds follows from Che's
approximation of a least-recently-used cache: every line is asked for as often as its vertices have
arcs, independently of the past. The lines that are asked for at least once in a time T fill the
cache, together with the columns that stream through it; sectors that are asked for less often than
once in T are fetched. How many levels there are, and how large, a few searches on the host tell. All of
this belongs to the graph and is kept; a question then takes microseconds.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...algorithms.bfs import bfs
from ...decisions.direction.train import sources_of
from ...graph.graph import Graph
from ..caches.sectored import LINE_BYTES, SECTOR_BYTES
from .chip import shares
from .constants import STREAM_SHARE, USUAL_CORES, Constants, constants_of
from .gpu import GPU
from .warps import WARP

__all__ = ["Demand", "demand_of", "looks_of", "predict", "predict_search", "pull_seconds"]

LABEL_BYTES, COLUMN_BYTES = 4, 4
SAMPLED_WARPS = 4096
PROFILED_SEARCHES = 3  # on the host, from vertices drawn at random
COUNT_LEVELS_UP_TO_ARCS = 1 << 22  # of a given source: some milliseconds
PART_OF_GRAPH = 0.05  # a search that reaches less begins in another component
#: A warp of a pull is as long as its longest search: so many times the mean (of 32 geometric ones).
LONGEST_OF_WARP = 4.0
BINS = 256  # of lines and of sectors that are asked for about equally often
Numbers = NDArray[np.float64]
Number = TypeVar("Number", float, Numbers)


@dataclass(frozen=True)
class Popularity:
    """How often lines, or sectors, are asked for: numbers of them, and accesses for each arc."""

    count: Numbers
    rate: Numbers


@dataclass(frozen=True)
class Profile:
    """The levels of some searches, one after the other: the frontier, and what is not visited yet."""

    searches: int
    vertices: Numbers
    arcs: Numbers
    vertices_left: Numbers
    arcs_left: Numbers


@dataclass(frozen=True)
class Demand:
    """What searches of a graph ask for; ``far`` is the distinct sectors of labels for each arc."""

    n: int
    arcs: int
    far: float
    lines: Popularity
    sectors: Popularity
    profile: Profile
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
        _profile(graph),
    )


def _profile(graph: Graph) -> Profile:
    """Search from some vertices; searches of small components do not count if there are others."""
    large: list[tuple[Numbers, ...]] = []
    small: list[tuple[Numbers, ...]] = []
    for source in sources_of(graph, 4 * PROFILED_SEARCHES, seed=1).tolist():
        found = _levels(graph, source)
        (large if found[0].sum() >= PART_OF_GRAPH * graph.n else small).append(found)
        if len(large) == PROFILED_SEARCHES:
            break
    return _joined(large or small)


def _levels(graph: Graph, source: int) -> tuple[Numbers, ...]:
    levels = bfs(graph, source, trace=False).levels
    reached = levels >= 0
    vertices = np.bincount(levels[reached]).astype(float)
    arcs = np.bincount(levels[reached], graph.degrees[reached]).astype(float)
    return vertices, arcs, graph.n - np.cumsum(vertices), graph.arcs - np.cumsum(arcs)


def _joined(searches: list[tuple[Numbers, ...]]) -> Profile:
    if not searches:
        return Profile(1, *(np.ones(1) for _ in range(4)))
    return Profile(len(searches), *(np.concatenate(part) for part in zip(*searches, strict=True)))


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
        "pull": 0.0,
    }
    parts = shares(gpu, constants, {k: np.asarray(v) for k, v in counts.items()})
    launch = levels * constants.launch_seconds(gpu, "push")
    found = {name: float(parts[name]) for name in ("issue", "l2", "dram")}
    return {"seconds": launch + float(parts["work"]), "launch": launch, **found}


def pull_seconds(gpu: GPU, constants: Constants, n: float, looks: Number) -> Number:
    """Predict levels that pull: every vertex is scanned, and so many arcs are looked at.

    What is looked up is a bit for each vertex, which the L2 holds.
    """
    cycle = 1e-9 / (gpu.sms * gpu.clock_ghz) * constants.pull_work
    each = constants.step_cycles * USUAL_CORES / gpu.cores
    scan = n * LABEL_BYTES / (STREAM_SHARE * gpu.memory_gbps * 1e9)
    steps = LONGEST_OF_WARP * looks / WARP + n / WARP
    work = steps * each + looks * constants.sector_cycles
    return constants.launch_seconds(gpu, "pull") + scan + work * cycle


def looks_of(arcs: float, frontier: Number, left: Number, arcs_left: Number) -> Number:
    """Return how many arcs pulls are expected to look at: an arc leads to the frontier by chance.

    ``arcs`` are those of the graph, ``frontier`` those of frontiers, ``left`` the vertices not visited.
    """
    found: Number = np.minimum(arcs_left, arcs / np.maximum(frontier, 1.0) * left)
    return found


def predict_search(
    graph: Graph, gpu: GPU, source: int | None = None, direction: str = "auto"
) -> dict[str, float]:
    """Predict the seconds of a search from any vertex; takes microseconds once the graph was measured.

    With ``auto`` each level takes the direction that is predicted to be faster, as simulated ones do.
    A ``source`` has its levels counted by a search on the host, if the graph is not large.
    """
    demand, constants = demand_of(graph), constants_of(gpu)
    levels, arcs = demand.profile, max(demand.arcs, 1)
    if source is not None and arcs <= COUNT_LEVELS_UP_TO_ARCS:
        levels = _joined([_levels(graph, source)])
    launch = {d: constants.launch_seconds(gpu, d) for d in ("push", "pull")}
    whole = predict(graph, gpu, levels=0.0)["seconds"]
    times = launch["push"] + whole / arcs * levels.arcs
    pulls = np.zeros(times.size, bool)
    if direction == "auto":
        looks = looks_of(arcs, levels.arcs, levels.vertices_left, levels.arcs_left)
        other = pull_seconds(gpu, constants, demand.n, looks)
        pulls = other < times
        times = np.minimum(times, other)
    launches = np.where(pulls, launch["pull"], launch["push"])
    made = {"seconds": times, "launch": launches, "levels": np.ones(times.size), "pulled": pulls}
    return {name: float(value.sum()) / levels.searches for name, value in made.items()}
