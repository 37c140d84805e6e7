"""A request for similarities: what was asked for, checked, and where it is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..decisions.split import model as decision
from ..devices.calibrate import calibration
from ..devices.choice import DeviceLike, calibrated_device, only_host, parse
from ..devices.host import Host
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.runtime.launch import clock
from ..kernels.similarity.edges import KINDS
from ..kernels.similarity.pairs import pair_similarities
from ..plots.numbers import seconds as in_words
from ..util import memory
from ..util.arrays import numbers
from ..util.cores import threads_available
from ..util.errors import InputError, TooLargeError
from ..util.memory import as_bytes, human
from ..util.text import did_you_mean
from .result import Run, Trace
from .scaling import comparable
from .similarity import RESULTS, SimilarityResult, Wanted
from .simple import RARITY, rarity, simple
from .verify import check_similarity

__all__ = ["Placement", "Request", "host_result", "place"]

PARQUET = (".parquet", ".pq")  # how the names of such files end
HOST_BELOW_ARCS = 1 << 18  # with fewer, asking which devices there are takes longer than it gains

NOT_SPLIT = (
    "on the host: counts of common neighbours of all edges are shared with a device if one is named"
)
ALGORITHMS = ("auto", "merge-or-search")


class Request:
    """What was asked for, checked."""

    def __init__(self, task: str, graph: Graph, wanted: Wanted) -> None:
        pairs, topk = wanted.pairs, wanted.topk
        self.output: str | Path | None = wanted.output
        self.task = task
        self.wanted = wanted
        self.kind: int = KINDS[task]
        rare = task in RARITY
        self.weighted: bool = rare or _weighted(graph, wanted.weight, task)
        if topk is not None and topk < 1:
            raise InputError(f"topk = {topk}: at least one")
        self.topk: int | None = topk
        own = as_bytes(wanted.memory_limit, "memory_limit")
        given = (size for size in (own, memory.limit()) if size is not None)
        self.limit: int | None = min(given, default=None)
        if isinstance(pairs, str) and pairs not in ("edges", "two_hop"):
            near = did_you_mean(pairs, ("edges", "two_hop"))
            raise InputError(
                f"pairs = {pairs!r}: choose edges, two_hop or an array of two columns{near}"
            )
        self.two_hop: bool = isinstance(pairs, str) and pairs == "two_hop"
        if self.output is not None and (not self.two_hop or topk is not None):
            raise InputError("output is for pairs='two_hop' without topk: other results are short")
        if self.output is not None and not str(self.output).lower().endswith(PARQUET):
            raise InputError(
                f"output = {str(self.output)!r}: pairs are written as Parquet (.parquet)"
            )
        self.graph: Graph = simple(graph, self.weighted and not rare)
        self.names: np.ndarray | None = graph.names
        self.compared: Graph = self.graph
        if rare:
            weights = rarity(self.graph, task)  # an edge's differ by its direction
            self.compared = self.graph._replace(weights=weights, directed=True, m=None)
        elif self.weighted:
            self.compared = comparable(self.graph, task)
        every = isinstance(pairs, str) and not self.two_hop
        self.splits: bool = every and not self.weighted
        if wanted.algorithm not in ALGORITHMS:
            raise InputError(f"algorithm = {wanted.algorithm!r}: one of {', '.join(ALGORITHMS)}")
        self.listed: bool = wanted.algorithm == "merge-or-search"
        if self.listed and not self.splits:
            raise InputError("merge-or-search is for pairs='edges' without weights")

    def run(self) -> SimilarityResult:
        """Compute the similarities, where they are to be computed."""
        plan = self.wanted.device
        if not isinstance(plan, Placement):  # else it was decided before
            plan = place(self.graph, plan, self.wanted.split, self.splits, self.listed)
        if self.two_hop:
            from .two_hop import two_hop

            found = two_hop(self)
        else:
            by_marks = self.graph.directed and plan.device is None and not self.listed
            found = self._pairs() if by_marks or not self.splits else self._edges(plan)
            if self.topk is not None:
                found = best_of(found, self.topk)
        if self.wanted.verify:
            check_similarity(self.compared, self.task, self.weighted, found)
        return found

    def require(self, size: int, what: str, advice: str) -> None:
        """Refuse what does not fit into the limit, or into memory."""
        if self.limit is not None and size > self.limit and self.wanted.memory_limit is not None:
            raise TooLargeError(
                f"{what} needs {human(size)}, more than memory_limit = {human(self.limit)}: "
                f"give at least memory_limit={size}, or {advice}"
            )
        memory.require(size, what, advice)

    def _edges(self, plan: Placement) -> SimilarityResult:
        """Compare the ends of all edges, on one device or two."""
        from .similarity_edges import edge_similarities, listed_similarities

        g = self.graph
        m, alone = (g.arcs, True) if g.directed else (g.arcs // 2, self.listed)
        size = m * (8 + 2 * g.indices.itemsize) + (m if alone else g.n * plan.workers) + 4 * g.n
        self.require(size, "the similarity of all edges", "ask for fewer pairs")
        compute = listed_similarities if alone else edge_similarities
        edges, share, run = compute(g, self.kind, plan)
        return RESULTS[self.task](**edges._asdict(), share=share, count=m, run=run)

    def _pairs(self) -> SimilarityResult:
        """Compare given pairs, or all edges with weights or of a directed graph, on the host."""
        g = self.graph
        begin = clock()
        source, target = self._ends()
        size = source.size * (8 + 8 * g.indices.itemsize + 8) + g.n * 16
        self.require(size, f"the similarity of {source.size:,} pairs", "ask for fewer at a time")
        weights = self.compared.weights if self.weighted else None
        values, _ = pair_similarities(g.rows, weights, source, target, self.kind)
        return host_result(self.task, source, target, values, clock() - begin)

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of the pairs; refuse those that do not exist."""
        g = self.graph
        if isinstance(self.wanted.pairs, str):
            source, target, _ = g.to_edges()
            swap = (source > target) & (not g.directed)
            return np.where(swap, target, source), np.where(swap, source, target)
        given = numbers(self.wanted.pairs, "pairs")
        if given.size == 0:
            given = np.empty((0, 2), np.int64)
        if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
            raise InputError("pairs must have two columns of vertex ids: [(0, 1), (0, 2)]")
        outside = (given < 0) | (given >= g.n)
        if outside.any():
            row = int(np.argmax(outside.any(axis=1)))
            raise InputError(
                f"pairs[{row}] = {tuple(given[row].tolist())}: ids go from 0 to {g.n - 1}"
            )
        return given[:, 0].astype(g.indices.dtype), given[:, 1].astype(g.indices.dtype)


def host_result(
    task: str, source: np.ndarray, target: np.ndarray, values: np.ndarray, seconds: float
) -> SimilarityResult:
    """Return what the host has computed in one piece."""
    trace = Trace({"phase": "host", "begin": 0.0, "seconds": seconds, "edges": values.size})
    run = Run(seconds, trace, reason=NOT_SPLIT)
    return RESULTS[task](source=source, target=target, values=values, count=values.size, run=run)


def best_of(found: SimilarityResult, k: int) -> SimilarityResult:
    """Keep the ``k`` most similar partners of every vertex, best first, of all its pairs."""
    ends = (found.source, found.target)
    source, target = np.concatenate(ends), np.concatenate(ends[::-1])
    values = np.concatenate([found.values, found.values])
    order = np.lexsort((target, -values, source))
    source, target, values = source[order], target[order], values[order]
    same = (source[1:] == source[:-1]) & (target[1:] == target[:-1])
    once = np.flatnonzero(np.append(True, ~same)[: source.size])  # pairs given twice
    kept = once[np.arange(once.size) - np.searchsorted(source[once], source[once], "left") < k]
    source, target, values = source[kept], target[kept], values[kept]
    return replace(found, source=source, target=target, values=values, count=kept.size)


def _weighted(graph: Graph, weight: str | None, task: str) -> bool:
    if weight is None:
        return False
    if weight != "weight":
        raise InputError(f"weight = {weight!r}: 'weight' for the graph's weights, or None")
    if graph.weights is None:
        raise InputError("weight = 'weight', but the graph has no weights")
    if task != "cosine" and graph.weights.size and graph.weights.min() < 0:
        raise InputError(f"{task} with weights needs weights that are not negative")
    return True


@dataclass(frozen=True)
class Placement:
    """Who computes: ``workers`` threads of the host (0: none), a device (None: none).

    ``share`` is the host's part if it is fixed; otherwise both take chunks until they meet, and
    ``guess`` is the part that is expected.
    """

    workers: int
    device: OpenCL | None = None
    share: float | None = None
    guess: float = 1.0
    reason: str = ""

    @property
    def id(self) -> str:
        """The devices that compute, by their ids."""
        names = ["host"] if self.workers else []
        return ",".join([*names, *([self.device.id] if self.device is not None else [])])


def place(
    graph: Graph, device: DeviceLike, split: float | str, splits: bool, listed: bool = False
) -> Placement:
    """Follow what was asked for, or decide. ``splits`` says whether devices can take part at all,
    ``listed`` that edges are looked at one by one, of which no times are known.
    """
    workers = threads_available()
    if not splits:
        if not only_host(device):
            raise InputError(
                "devices take part for all edges of graphs without weights only: leave out device, or "
                "give 'host'"
            )
        return Placement(workers, reason="computed by the host")
    share = _share(split)
    asked = parse(device)
    if share is not None and (asked is None or not asked.both):
        raise InputError("split needs two devices: device=['host', 'opencl']")
    if asked is None and (listed or graph.directed):
        return Placement(workers, reason="the host: no other device was asked for")
    if asked is None:
        return _decided(graph, workers)
    there = asked.opencl
    if there is None:
        return Placement(workers, reason="the host was asked for")
    if asked.host is None:
        return Placement(0, there, None, 0.0, f"{there.id} was asked for")
    mine = there.host_threads(workers)
    expected = _expected(graph, mine, there)
    guess = 0.5 if expected is None else expected.share
    return Placement(mine, there, share, guess, "both were asked for")


def _share(split: float | str) -> float | None:
    if split == "auto":
        return None
    if isinstance(split, str) or not 0 <= split <= 1:
        raise InputError(f"split = {split!r}: 'auto', or the host's share from 0 to 1")
    return float(split)


def _decided(graph: Graph, workers: int) -> Placement:
    """Choose what is predicted to be fastest; the host where nothing is known."""

    def host(reason: str) -> Placement:
        return Placement(workers, reason=f"the host: {reason}")

    if graph.arcs < HOST_BELOW_ARCS:
        return host("the graph is small")
    device = calibrated_device()
    if device is None:
        return host("no device is calibrated and works (tacho devices --calibrate)")
    if not device.spares(workers):  # it would only take cores from the host
        return host(f"{device.id} computes on its cores, all of which it uses")
    expected = _expected(graph, workers, device)
    if expected is None:
        return host("it is not calibrated itself (tacho devices --calibrate)")
    best = decision.choose(expected.host, expected.device, expected.both)
    times = (
        f"predicted {in_words(expected.host)} on the host, {in_words(expected.device)} on "
        f"{device.id}, {in_words(expected.both)} on both"
    )
    if best == "host":
        return host(times)
    if best == "device":
        return Placement(0, device, None, 0.0, f"{device.id}: {times}")
    return Placement(workers, device, None, expected.share, f"both: {times}")


def _expected(graph: Graph, workers: int, device: OpenCL) -> decision.Expected | None:
    """Return the predicted times, or None if the host or the device is not calibrated."""
    theirs = calibration(device)
    ours = calibration(Host(workers)) or _of_all(workers)
    if theirs is None or ours is None:
        return None
    resident = graph in device.room.graphs or device.capabilities.shares_memory
    state = decision.State.of(graph, 0 if resident else graph.nbytes)
    return decision.expected(state, ours, theirs, device.found.shares_cores)


def _of_all(workers: int) -> dict[str, float | None] | None:
    """Return the host's calibration with all its threads, slowed down to those that work."""
    cores = threads_available()
    known = calibration(Host(cores))
    if known is None or known["gather"] is None:
        return None
    return {**known, "gather": known["gather"] * min(workers, cores) / cores}
