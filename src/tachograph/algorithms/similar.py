"""The vertices that are most similar to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.text import did_you_mean
from .bfs import one_vertex
from .result import Result, Run, Trace
from .simple import rarity, simple
from .verify import check_similarity

__all__ = ["SimilarResult", "similar_to"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SimilarResult(Result):
    """The vertices that are most similar to one, the most similar first.

    >>> import tachograph as tg
    >>> found = tg.similar_to(tg.star(4), 1, k=2)
    >>> found.target.tolist(), found.values.tolist()
    ([2, 3], [1.0, 1.0])
    """

    task: ClassVar[str] = "similar_to"
    table: ClassVar[tuple[str, ...]] = ("source", "target", "values")
    ids: ClassVar[tuple[str, ...]] = ("source", "target")

    source: NDArray[np.integer]
    target: NDArray[np.integer]
    values: NDArray[np.float64]

    def facts(self) -> dict[str, object]:
        """How many were found, and how similar the first is."""
        return {"found": self.values.size, "best": float(self.values.max(initial=0))}


def similar_to(
    graph: Graph,
    source: int | str,
    k: int = 10,
    *,
    measure: str = "jaccard",
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SimilarResult:
    """Find the vertices that have most neighbours in common with one vertex.

    Only vertices with a common neighbour are compared, so this takes much less time than the similarity
    of all pairs.

    Parameters
    ----------
    graph
        The graph. A directed one is compared by the targets of arcs.
    source
        The vertex that others are compared with.
    k
        How many to return, at most. Of equally similar ones those with smaller ids come first.
    measure
        ``jaccard``, ``cosine``, ``overlap`` or ``sorensen``: how common neighbours are divided by all;
        ``adamic_adar`` or ``resource_allocation``: how much each of them counts.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row with the time.
    verify
        Compute the values again in another way; ``VerificationError`` if one differs.

    Returns
    -------
    SimilarResult
        ``target`` and ``values``, the most similar first; ``source`` repeats the vertex, so that the
        result is a table of pairs.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 1, 2], [3, 4, 3, 4, 4], directed=True)
    >>> found = tg.similar_to(g, 0)
    >>> found.target.tolist(), found.values.tolist()
    ([1, 2], [1.0, 0.5])
    """
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using
    from ..kernels.similarity.edges import KINDS
    from ..kernels.similarity.pairs import pair_similarities

    if measure not in KINDS:
        hint = did_you_mean(measure, KINDS)
        raise InputError(f"measure = {measure!r}: choose {', '.join(KINDS)}{hint}")
    if k < 1:
        raise InputError(f"k = {k}: at least one")
    me = one_vertex(graph, source, "source")
    rows = simple(graph)
    back = rows.transpose
    with using(threads):
        begin = clock()
        near = [back.row(int(w)) for w in rows.row(me)]
        others = np.unique(np.concatenate(near)) if near else np.empty(0, rows.indices.dtype)
        others = others[others != me]
        mine = np.full(others.size, me, rows.indices.dtype)
        values, workers = pair_similarities(
            rows.rows, rarity(rows, measure), mine, others, KINDS[measure]
        )
        order = np.lexsort((others, -values))[:k]
        seconds = clock() - begin
    columns = {"phase": "compare", "seconds": seconds, "edges": others.size, "threads": workers}
    run = Run(seconds, Trace(columns, trace))
    best = SimilarResult(source=mine[order], target=others[order], values=values[order], run=run)
    if verify:
        check_similarity(rows, measure, False, best)
    return best
