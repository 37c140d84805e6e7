"""Similarity of vertices by the neighbours they have in common."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.graph import Graph
from ..util import memory
from ..util.errors import InputError, TooLargeError
from ..util.memory import human
from .result import Result, Run, Trace
from .simple import simple

if TYPE_CHECKING:
    from ..devices.host import Host
    from ..devices.opencl import OpenCL
    from .lanes_placed import Placement

__all__ = ["SimilarityResult", "cosine", "jaccard", "overlap", "sorensen"]

Devices: TypeAlias = "str | OpenCL | Host | Sequence[str | OpenCL | Host] | Placement"
F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SimilarityResult(Result):
    """The similarity of pairs of vertices, and which part of them the host computed.

    With ``output=`` the pairs are in that file, the arrays are empty, and ``count`` tells how many
    pairs there are.
    """

    table: ClassVar[tuple[str, ...]] = ("source", "target", "values")

    source: NDArray[np.integer]
    target: NDArray[np.integer]
    values: NDArray[np.float64]
    share: float = 1.0
    count: int = 0
    output: str | None = None

    def facts(self) -> dict[str, object]:
        """How many pairs there are, their mean similarity, and the host's share of the work."""
        if self.output is not None:
            return {"pairs": self.count, "file": self.output}
        mean = float(self.values.mean()) if self.values.size else 0.0
        return {"pairs": self.count, "mean": mean, "host share": self.share}

    def to_dict(self) -> dict[str, object]:
        """The pairs, their similarity, and the host's share."""
        pairs = {"source": self.source, "target": self.target, "values": self.values}
        return {**pairs, "share": self.share}


class JaccardResult(SimilarityResult):
    """What :func:`jaccard` gives."""

    task: ClassVar[str] = "jaccard"


class OverlapResult(SimilarityResult):
    """What :func:`overlap` gives."""

    task: ClassVar[str] = "overlap"


class SorensenResult(SimilarityResult):
    """What :func:`sorensen` gives."""

    task: ClassVar[str] = "sorensen"


class CosineResult(SimilarityResult):
    """What :func:`cosine` gives."""

    task: ClassVar[str] = "cosine"


RESULTS: dict[str, type[SimilarityResult]] = {
    kind.task: kind for kind in (JaccardResult, OverlapResult, SorensenResult, CosineResult)
}


def jaccard(
    graph: Graph,
    pairs: str | ArrayLike = "edges",
    *,
    weight: str | None = None,
    topk: int | None = None,
    memory_limit: int | str | None = None,
    device: Devices = "auto",
    split: float | str = "auto",
    output: str | Path | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SimilarityResult:
    """Jaccard's similarity: common neighbours by all neighbours of the two.

    Neighbours are those that arcs lead to; a vertex is not its own neighbour (loops are ignored), and
    parallel edges count once. Two vertices without neighbours have similarity 0.

    Parameters
    ----------
    graph
        Directed graphs are compared by the targets of arcs, and have a row for each arc.
    pairs
        ``"edges"``; ``"two_hop"``: all pairs with a common neighbour, which are all that are not 0; or
        an array of two columns.
    weight
        ``"weight"`` takes the graph's weights into account: sums of the smaller and the larger weights
        of each neighbour take the place of sizes (products and norms for the cosine).
    topk
        Keep for each vertex this many most similar ones of the pairs; smaller ids first if equal.
    memory_limit
        Bytes (or ``"200 MB"``) that results and working memory may take.
    device
        ``"host"``, ``"opencl"``, ``["host", "opencl"]``, or ``"auto"``: what is predicted to be
        fastest, the host if no device is calibrated. Devices take part for edges of undirected
        graphs without weights.
    split
        The host's share of the edges if there are two devices, or ``"auto"``: both take chunks from
        the two ends of one queue, sparse edges first for the host, until they meet.
    output
        For ``"two_hop"``: write the pairs to this Parquet file, block by block, not to arrays.
    threads
        How many the host uses.
    trace
        Whether to keep a row for each piece of work.
    verify
        Compute a sample again in another way; raises ``VerificationError``.

    Returns
    -------
    SimilarityResult
        ``source``, ``target`` (the lower id first if undirected), ``values``; ``share``, the host's
        part; ``run.reason`` says why it was computed there. The trace has a row for each piece of work:
        phase (the device), begin, seconds, edges.

    Raises
    ------
    InputError
        For pairs that do not exist, negative weights, and combinations that make no sense.
    TooLargeError
        If memory does not suffice; says how much does.
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> tg.jaccard(g).values.round(3).tolist()
    [0.333, 0.25, 0.25, 0.0]
    >>> tg.jaccard(g, [(0, 3)]).values.tolist()
    [0.5]
    """
    wanted = Wanted(pairs, weight, topk, memory_limit, output)
    return _similarity("jaccard", graph, wanted, device, split, threads, trace, verify)


def _similarity(
    task: str,
    graph: Graph,
    wanted: Wanted,
    device: Devices,
    split: float | str,
    threads: int | None,
    trace: bool,
    verify: bool,
) -> SimilarityResult:
    from ..kernels.runtime.launch import threads as using

    with using(threads):
        found = Request(task, graph, wanted).run(device, split, verify)
    return found if trace else found.with_run(trace=Trace({}))


def _like(function: F, task: str, summary: str, example: str) -> F:
    """A public function with the arguments of another, for another kind of similarity."""

    def similarity(
        graph: Graph,
        pairs: str | ArrayLike = "edges",
        *,
        weight: str | None = None,
        topk: int | None = None,
        memory_limit: int | str | None = None,
        output: str | Path | None = None,
        **how: object,
    ) -> SimilarityResult:
        wanted = Wanted(pairs, weight, topk, memory_limit, output)
        usual = {"device": "auto", "split": "auto", "threads": None, "trace": True, "verify": False}
        unknown = how.keys() - usual.keys()
        if unknown:
            raise TypeError(f"{task}() got an unexpected keyword argument {min(unknown)!r}")
        return _similarity(task, graph, wanted, **{**usual, **how})  # type: ignore[arg-type]

    similarity.__name__ = similarity.__qualname__ = task
    similarity.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    text = inspect.getdoc(function) or ""
    body = text[text.index("\n\n") : text.index("Examples")]
    similarity.__doc__ = (
        f"{summary}{body}Examples\n--------\n>>> import tachograph as tg\n{example}"
    )
    return cast(F, similarity)


overlap = _like(
    jaccard,
    "overlap",
    "The overlap coefficient: common neighbours by the smaller number of neighbours.",
    ">>> tg.overlap(tg.complete(4), [(0, 1)]).values.round(3).tolist()\n[0.667]\n",
)
sorensen = _like(
    jaccard,
    "sorensen",
    "Sørensen's coefficient: common neighbours by the mean number of neighbours.",
    ">>> tg.sorensen(tg.complete(4), [(0, 1)]).values.round(3).tolist()\n[0.667]\n",
)
cosine = _like(
    jaccard,
    "cosine",
    "The cosine of the angle between rows of the adjacency matrix.",
    ">>> tg.cosine(tg.star(4), [(1, 2)]).values.tolist()\n[1.0]\n",
)


def as_bytes(given: int | str | None) -> int | None:
    """A number of bytes from ``200_000_000`` or ``"200 MB"``."""
    if given is None:
        return None
    units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", str(given).lower())
    if found is None or found[2] not in units or float(found[1]) <= 0:
        raise InputError(f"memory_limit = {given!r}: a number of bytes, or one like '200 MB'")
    return int(float(found[1]) * units[found[2]])


class Wanted(NamedTuple):
    """Which pairs, and what is to be kept of them."""

    pairs: str | ArrayLike
    weight: str | None
    topk: int | None
    memory_limit: int | str | None
    output: str | Path | None


class Request:
    """What was asked for, checked."""

    def __init__(self, task: str, graph: Graph, wanted: Wanted) -> None:
        from ..kernels.similarity.edges import KINDS

        pairs, weight, topk, memory_limit, output = wanted
        self.task, self.kind = task, KINDS[task]
        self.weighted = _weighted(graph, weight, task)
        if topk is not None and topk < 1:
            raise InputError(f"topk = {topk}: at least one")
        self.topk, self.limit, self.output = topk, as_bytes(memory_limit), output
        if isinstance(pairs, str) and pairs not in ("edges", "two_hop"):
            raise InputError(f"pairs = {pairs!r}: 'edges', 'two_hop' or an array of two columns")
        self.two_hop = isinstance(pairs, str) and pairs == "two_hop"
        if output is not None and (not self.two_hop or topk is not None):
            raise InputError("output is for pairs='two_hop' without topk: other results are short")
        self.graph = simple(graph, self.weighted)
        self.names = graph.names
        self.pairs = pairs
        every = isinstance(pairs, str) and not self.two_hop
        self.splits = every and not graph.directed and not self.weighted

    def run(self, device: Devices, split: float | str, verify: bool) -> SimilarityResult:
        """The result, from where it is to be computed."""
        from .lanes_placed import Placement, place

        if isinstance(device, Placement):
            plan = device  # it was decided before
        else:
            plan = place(self.graph, device, split, self.splits)
        if self.two_hop:
            from .two_hop import two_hop

            found = two_hop(self)
        else:
            found = self._edges(plan) if self.splits else self._pairs()
            if self.topk is not None:
                found = best_of(found, self.topk)
        if verify:
            from .verify import check_similarity

            check_similarity(self.graph, self.task, self.weighted, found)
        return found

    def require(self, size: int, what: str, advice: str) -> None:
        """Refuse what does not fit into the limit, or into memory."""
        if self.limit is not None and size > self.limit:
            raise TooLargeError(
                f"{what} needs {human(size)}, more than memory_limit = {human(self.limit)}: "
                f"give at least memory_limit={size}, or {advice}"
            )
        memory.require(size, what, advice)

    def _edges(self, plan: Placement) -> SimilarityResult:
        """All edges of an undirected graph, by one device or two."""
        from .lanes import edge_similarities

        g = self.graph
        size = g.arcs // 2 * (8 + 2 * g.indices.itemsize) + g.n * (4 + plan.workers)
        self.require(size, "the similarity of all edges", "ask for fewer pairs")
        done = edge_similarities(g, self.kind, plan)
        lanes = done.lanes
        trace = Trace(
            {
                "phase": [lane.name for lane in lanes],
                "begin": [lane.begin for lane in lanes],
                "seconds": [lane.end - lane.begin for lane in lanes],
                "edges": [lane.edges for lane in lanes],
            }
        )
        host = sum(lane.edges for lane in lanes if lane.name == "host")
        return RESULTS[self.task](
            source=done.source,
            target=done.target,
            values=done.values,
            share=host / (g.arcs // 2) if g.arcs else 1.0,
            count=done.values.size,
            run=Run(
                done.seconds, trace, reason=done.failure or plan.reason, device=plan.device_name
            ),
        )

    def _pairs(self) -> SimilarityResult:
        """Given pairs, or all edges with weights or of a directed graph, on the host."""
        from ..kernels.runtime.launch import clock
        from ..kernels.similarity.pairs import pair_similarities

        g = self.graph
        begin = clock()
        source, target = self._ends()
        size = source.size * (8 + 8 * g.indices.itemsize + 8) + g.n * 16
        self.require(size, f"the similarity of {source.size:,} pairs", "ask for fewer at a time")
        weights = g.weights if self.weighted else None
        values, _ = pair_similarities(g.indptr, g.indices, weights, source, target, self.kind)
        return host_result(self.task, source, target, values, clock() - begin)

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of the pairs, which exist."""
        g = self.graph
        if isinstance(self.pairs, str):
            source, target, _ = g.to_edges()
            swap = (source > target) & (not g.directed)
            return np.where(swap, target, source), np.where(swap, source, target)
        given = np.asarray(self.pairs)
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
    """A result that the host computed in one piece."""
    trace = Trace({"phase": ["host"], "begin": [0.0], "seconds": [seconds], "edges": [values.size]})
    run = Run(seconds, trace, reason="only edges of undirected graphs without weights are split")
    return RESULTS[task](source=source, target=target, values=values, count=values.size, run=run)


def best_of(found: SimilarityResult, k: int) -> SimilarityResult:
    """Keep the ``k`` most similar partners of every vertex, best first, of all its pairs."""
    source = np.concatenate([found.source, found.target])
    target = np.concatenate([found.target, found.source])
    values = np.concatenate([found.values, found.values])
    order = np.lexsort((target, -values, source))
    source, target, values = source[order], target[order], values[order]
    same = (source[1:] == source[:-1]) & (target[1:] == target[:-1])
    once = np.concatenate([np.ones(min(1, source.size), bool), ~same])  # pairs given twice
    source, target, values = source[once], target[once], values[once]
    begins = np.searchsorted(source, source, "left")
    kept = np.arange(source.size) - begins < k
    chosen = source[kept], target[kept], values[kept]
    return replace(
        found, source=chosen[0], target=chosen[1], values=chosen[2], count=chosen[2].size
    )


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
