"""Core numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from .result import Result, Run, Trace
from .simple import simple
from .verify import check_core_numbers

__all__ = ["CoresResult", "core_number"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CoresResult(Result):
    """The core number of each vertex.

    >>> import tachograph as tg
    >>> tg.core_number(tg.star(4)).cores.tolist()
    [1, 1, 1, 1]
    """

    task: ClassVar[str] = "core_number"
    array: ClassVar[str] = "cores"
    table: ClassVar[tuple[str, ...]] = ("cores",)

    cores: NDArray[np.int32]

    def facts(self) -> dict[str, object]:
        """The largest core number, and how many vertices have it."""
        most = int(self.cores.max(initial=0))
        return {"largest": most, "vertices": int(np.count_nonzero(self.cores == most))}


def core_number(
    graph: Graph, *, threads: int | None = None, trace: bool = True, verify: bool = False
) -> CoresResult:
    """Find core numbers: the largest k for which a vertex is in a k-core.

    The k-core is the largest part of a graph in which every vertex has at least k neighbours.

    Parameters
    ----------
    graph
        The graph; loops and parallel edges count for nothing. Of a directed graph arcs in and out count
        together.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row with the time.
    verify
        Check the numbers by the definition, which is slow; ``VerificationError`` if one is wrong.

    Returns
    -------
    CoresResult
        ``cores`` (int32).

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> tg.core_number(g).cores.tolist()
    [2, 2, 2, 1]
    """
    from ..kernels import cores as kernel
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using

    rows = simple(graph)
    back = rows.transpose
    with using(threads):
        begin = clock()
        cores, workers = kernel.core_numbers(rows.rows, back.rows, graph.directed)
        seconds = clock() - begin
    if verify:
        check_core_numbers([rows, back] if graph.directed else [rows], cores)
    columns = {"phase": "remove", "seconds": seconds, "threads": workers}
    return CoresResult(cores=cores, run=Run(seconds, Trace(columns, trace)))
