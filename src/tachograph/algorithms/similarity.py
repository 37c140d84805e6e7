"""Similarity of vertices by the neighbours they have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..devices.choice import DeviceLike
from ..graph.graph import Graph
from .result import Result, Trace

if TYPE_CHECKING:
    from .similarity_request import Placement

__all__ = [
    "SimilarityResult",
    "adamic_adar",
    "cosine",
    "jaccard",
    "overlap",
    "resource_allocation",
    "sorensen",
]

Devices: TypeAlias = "DeviceLike | Placement"
F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SimilarityResult(Result):
    """The similarity of pairs of vertices, and which part of them the host computed.

    With ``output=`` the pairs are in that file, the arrays are empty, and ``count`` tells how many
    pairs there are.

    >>> import tachograph as tg
    >>> found = tg.jaccard(tg.complete(4), [(0, 1)])
    >>> found.source.tolist(), found.target.tolist(), found.values.tolist()
    ([0], [1], [0.5])
    """

    table: ClassVar[tuple[str, ...]] = ("source", "target", "values")
    ids: ClassVar[tuple[str, ...]] = ("source", "target")

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
    task: ClassVar[str] = "jaccard"


class OverlapResult(SimilarityResult):
    task: ClassVar[str] = "overlap"


class SorensenResult(SimilarityResult):
    task: ClassVar[str] = "sorensen"


class CosineResult(SimilarityResult):
    task: ClassVar[str] = "cosine"


class AdamicAdarResult(SimilarityResult):
    task: ClassVar[str] = "adamic_adar"


class ResourceAllocationResult(SimilarityResult):
    task: ClassVar[str] = "resource_allocation"


RESULTS: dict[str, type[SimilarityResult]] = {
    kind.task: kind
    for kind in (
        JaccardResult,
        OverlapResult,
        SorensenResult,
        CosineResult,
        AdamicAdarResult,
        ResourceAllocationResult,
    )
}


class Wanted(NamedTuple):
    """What a call says beside the graph: the arguments of :func:`jaccard`."""

    pairs: str | ArrayLike
    topk: int | None
    memory_limit: int | str | None
    output: str | Path | None
    threads: int | None
    trace: bool
    verify: bool
    weight: str | None = None
    device: Devices = "host"
    split: float | str = "auto"
    algorithm: str = "auto"


def jaccard(
    graph: Graph,
    pairs: str | ArrayLike = "edges",
    *,
    weight: str | None = None,
    topk: int | None = None,
    memory_limit: int | str | None = None,
    device: Devices = "auto",
    split: float | str = "auto",
    algorithm: str = "auto",
    output: str | Path | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SimilarityResult:
    """Compute Jaccard's similarity: common neighbours divided by all neighbours of the two.

    Neighbours are those that arcs lead to; a vertex is not its own neighbour (loops are ignored), and
    parallel edges count once. Two vertices without neighbours have similarity 0.

    Parameters
    ----------
    graph
        The graph. A directed one is compared by the targets of arcs, and has a row for each arc.
    pairs
        The pairs to compare: ``edges``, ``two_hop`` (all with a common neighbour), or an array of two
        columns. Pairs without a common neighbour have similarity 0.
    weight
        Take the graph's weights into account; by default neighbours are only counted. With
        ``"weight"``, sums of the smaller and the larger weights of each neighbour take the place of
        sizes (products and norms for the cosine).
    topk
        Keep only this many most similar partners of each vertex; smaller ids first if equal.
    memory_limit
        The bytes that results and working memory may take, or a text like ``"200 MB"``.
    device
        ``host``, ``opencl``, both (``host,opencl``), or ``auto``: the fastest by prediction.
        That is the host if no device is calibrated, and for directed graphs. Devices take part for
        edges of graphs without weights.
    split
        The host's share of the edges, from 0 to 1, beside a device: those with the smallest
        neighbourhoods. With ``auto`` both take edges from the two ends of one queue until they meet.
    algorithm
        ``auto``, or ``merge-or-search``: the paper's, which looks at every edge alone, merges two
        neighbourhoods of similar size, and searches a small one in a large one.
    output
        Write the pairs of ``two_hop`` to this Parquet file, block by block, instead of to arrays.
    threads
        The number of threads of the host; by default all cores.
    trace
        Keep a row for each piece of work.
    verify
        Compute a sample again in another way; ``VerificationError`` if it differs.

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
    common = Wanted(pairs, topk, memory_limit, output, threads, trace, verify, weight)
    wanted = common._replace(device=device, split=split, algorithm=algorithm)
    return _similarity("jaccard", graph, wanted)


def adamic_adar(
    graph: Graph,
    pairs: str | ArrayLike = "edges",
    *,
    topk: int | None = None,
    memory_limit: int | str | None = None,
    output: str | Path | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SimilarityResult:
    """Compute the index of Adamic and Adar: the sum of 1 / log(degree) of the common neighbours.

    A neighbour that few vertices have says more than one that everybody has. Neighbours are those that
    arcs lead to; the degree of one is the number of vertices that have it as neighbour. Loops are
    ignored, and parallel edges count once. Vertices without a common neighbour have 0.

    Parameters
    ----------
    graph
        The graph. A directed one is compared by the targets of arcs, and has a row for each arc.
    pairs
        The pairs to compare: ``edges``, ``two_hop`` (all with a common neighbour), or an array of two
        columns.
    topk
        Keep only this many most similar partners of each vertex; smaller ids first if equal.
    memory_limit
        The bytes that results and working memory may take, or a text like ``"200 MB"``.
    output
        Write the pairs of ``two_hop`` to this Parquet file, block by block, instead of to arrays.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row for each piece of work.
    verify
        Compute a sample again in another way; ``VerificationError`` if it differs.

    Returns
    -------
    SimilarityResult
        ``source``, ``target`` (the lower id first if undirected), ``values``.

    Raises
    ------
    InputError
        For pairs that do not exist, and combinations that make no sense.
    TooLargeError
        If memory does not suffice; says how much does.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.adamic_adar(tg.star(5), [(1, 2)]).values.round(3).tolist()  # 1 / log(4)
    [0.721]
    """
    wanted = Wanted(pairs, topk, memory_limit, output, threads, trace, verify)
    return _similarity("adamic_adar", graph, wanted)


def _similarity(task: str, graph: Graph, wanted: Wanted) -> SimilarityResult:
    from ..kernels.runtime.launch import threads as using
    from .similarity_request import Request

    with using(wanted.threads):
        found = Request(task, graph, wanted).run()
    return found if wanted.trace else found.with_run(trace=Trace({}))


def _like(function: F, task: str, summary: str, example: str) -> F:
    """Make a public function with the arguments of another, for another kind of similarity."""
    signature = inspect.signature(function)

    def similarity(*given: object, **told: object) -> SimilarityResult:
        bound = signature.bind(*given, **told)
        bound.apply_defaults()
        graph, *rest = bound.arguments.items()
        return _similarity(task, graph[1], Wanted(**dict(rest)))

    similarity.__name__ = similarity.__qualname__ = task
    similarity.__signature__ = signature  # type: ignore[attr-defined]
    if text := inspect.getdoc(function):  # python -OO removes it
        body = text[text.index("\n\n") : text.index("Examples")]
        examples = f"Examples\n--------\n>>> import tachograph as tg\n{example}"
        similarity.__doc__ = f"{summary}{body}{examples}"
    return cast(F, similarity)


overlap = _like(
    jaccard,
    "overlap",
    "Compute the overlap coefficient: common neighbours divided by the smaller number of neighbours.",
    ">>> tg.overlap(tg.complete(4), [(0, 1)]).values.round(3).tolist()\n[0.667]\n",
)
sorensen = _like(
    jaccard,
    "sorensen",
    "Compute Sørensen's coefficient: common neighbours divided by the mean number of neighbours.",
    ">>> tg.sorensen(tg.complete(4), [(0, 1)]).values.round(3).tolist()\n[0.667]\n",
)
cosine = _like(
    jaccard,
    "cosine",
    "Compute the cosine of the angle between rows of the adjacency matrix.",
    ">>> tg.cosine(tg.star(4), [(1, 2)]).values.tolist()\n[1.0]\n",
)
resource_allocation = _like(
    adamic_adar,
    "resource_allocation",
    "Compute the index of resource allocation: the sum of 1 / degree of the common neighbours.",
    ">>> tg.resource_allocation(tg.star(5), [(1, 2)]).values.tolist()\n[0.25]\n",
)
