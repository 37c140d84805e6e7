"""Maximal independent sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..devices.choice import DeviceLike, only_host, parse
from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.rng import Rng, seed_of
from .result import Result, Run, Trace
from .verify import check_independent_set

if TYPE_CHECKING:
    from ..decisions.placement.rules import Policy

__all__ = ["IndependentSetResult", "maximal_independent_set"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class IndependentSetResult(Result):
    """The vertices of the set, ascending, and for each vertex whether it is in it.

    >>> import tachograph as tg
    >>> found = tg.maximal_independent_set(tg.star(4))
    >>> found.vertices.tolist(), found.mask.tolist()
    ([1, 2, 3], [False, True, True, True])
    """

    task: ClassVar[str] = "maximal_independent_set"
    table: ClassVar[tuple[str, ...]] = ("mask",)

    vertices: NDArray[np.integer]
    mask: NDArray[np.bool_]

    def facts(self) -> dict[str, object]:
        """How many vertices are in the set."""
        return {"size": self.vertices.size}


def maximal_independent_set(
    graph: Graph,
    *,
    rng: Rng = 0,
    device: DeviceLike | None = None,
    placement: str | Policy = "auto",
    overlap: int = 0,
    hot: int = 0,
    producer: str = "host",
    helping: bool = True,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> IndependentSetResult:
    """Find a set of vertices without edges between them, to which no vertex can be added.

    Vertices are taken in an order that depends on their degrees and on ``rng``, those with few
    neighbours first; one joins unless a neighbour has.

    Parameters
    ----------
    graph
        The graph. Arcs join their ends whatever their direction; the transpose of a directed graph is
        built, once. Loops join nothing.
    rng
        A seed, a ``numpy.random.Generator``, or None for a fresh seed. The same seed gives the same
        set, always, on any device.
    device
        Run in rounds of kernels on ``host``, or on it and an OpenCL device; by default the host
        needs one pass, which is faster there.
    placement
        Where each kernel of each round runs: ``host``, ``device``, ``break-point``, ``published`` (the
        paper's own tables), ``learned``, ``oracle`` (times both), or ``auto`` (learned if it was, else
        break-point). A file with hints, or a function of a
        :class:`~tachograph.decisions.placement.state.Call`, are policies as well.
    overlap
        The percentage of the first kernel, from 0 to 99, that runs while the second one has begun. One
        runs here and one there. Small rounds are not overlapped. Where
        host and device have no memory for that, or if one only waits for the other, kernels run one
        after the other, and the trace says so.
    hot
        The percentage of vertices, those of the highest degrees, that overlapping kernels produce
        first. The device finds them, exactly so many, by an approximate sort.
    producer
        Where the first of two overlapping kernels runs: ``host`` or ``device``.
    helping
        Whether the one that has produced everything takes a part of the second kernel; in the paper it
        does not.
    threads
        The number of threads; by default all cores. The set does not depend on it.
    trace
        Keep a row for each kernel of each round.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    IndependentSetResult
        ``vertices``: the ids of the set, ascending; ``mask``: for each vertex whether it is in it. The
        trace has a row for each kernel of each round: where it ran, on how many vertices, how long,
        and how often it looked for something that was not there yet (``polls``).

    Raises
    ------
    InputError
        For options that do not exist or do not go together.
    DeviceError
        If there is no such device. One that fails later is not used any more, which the trace notes.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.maximal_independent_set(tg.star(5)).vertices.tolist()
    [1, 2, 3, 4]
    """
    from ..kernels.runtime.launch import threads as using
    from ..kernels.runtime.random import key_of

    _check(device, overlap, hot, producer)
    key = key_of(seed_of(rng), "independent set")
    with using(threads):
        chosen = parse(device)
        if chosen is None:
            state, run = _greedy(graph, key)
        else:
            from .independent_overlap import Overlap, in_rounds
            from .placed import Placed

            placed = Placed(chosen, placement, IndependentSetResult.task)
            state, run = in_rounds(graph, key, placed, Overlap(overlap, hot, producer, helping))
    mask = state.view(np.bool_)  # a vertex is OUT (0) or IN (1)
    if verify:
        check_independent_set(graph, mask)
    vertices = np.flatnonzero(mask).astype(graph.indices.dtype)
    if not trace:
        run = replace(run, trace=Trace({}))
    return IndependentSetResult(vertices=vertices, mask=mask, run=run)


def _check(device: DeviceLike | None, overlap: int, hot: int, producer: str) -> None:
    if not 0 <= overlap <= 99:
        raise InputError(f"overlap = {overlap} is a share in percent: from 0 to 99")
    if not 0 <= hot <= 100:
        raise InputError(f"hot = {hot} is a share in percent: from 0 to 100")
    if producer not in ("host", "device"):
        raise InputError(f"producer = {producer!r}: 'host' or 'device'")
    if (overlap or hot) and only_host(device):
        raise InputError("overlap and hot are for two devices: name one with device=")
    if hot and not overlap:
        raise InputError(f"hot = {hot} is for overlapping kernels: say by how much with overlap=")


def _greedy(graph: Graph, key: np.uint64) -> tuple[np.ndarray, Run]:
    from ..kernels.independent_set import greedy as kernel
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.nouns import Rows

    rows, back = graph.rows, Rows(graph.indptr[:0], graph.indices[:0])
    if graph.directed:
        back = graph.transpose.rows
    begin = clock()
    state, workers = kernel.greedy(rows, back, key)
    seconds = clock() - begin
    row = {"kernel": "greedy", "iteration": 0, "device": "host", "work": graph.n}
    row |= {"seconds": seconds, "threads": workers}
    return state, Run(seconds, Trace(row))
