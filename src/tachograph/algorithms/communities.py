"""Communities of an undirected graph: Leiden, Louvain and label propagation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.rng import Rng, seed_of
from .result import Result, Run, Trace
from .verify import check_communities

if TYPE_CHECKING:
    from ..kernels.communities.moving import Rule
    from ..kernels.communities.table import Level

__all__ = ["CommunitiesResult", "label_propagation", "leiden", "louvain"]

LARGEST_TOTAL = 2**52  # of weights as whole numbers: their sums stay exact as floats
MOST_PASSES = 100  # over the vertices of one level
FEW_MOVES_OF_VERTICES = 0.001  # in a pass, after which a level is left


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CommunitiesResult(Result):
    """The community of each vertex, numbered from 0 on by their smallest ids.

    >>> import tachograph as tg
    >>> found = tg.leiden(tg.disjoint_union(tg.complete(3), tg.complete(3)))
    >>> found.labels.tolist(), found.count, found.modularity
    ([0, 0, 0, 1, 1, 1], 2, 0.5)
    """

    array: ClassVar[str] = "labels"
    table: ClassVar[tuple[str, ...]] = ("labels",)

    labels: NDArray[np.integer]
    count: int
    modularity: float


class LeidenResult(CommunitiesResult):
    task: ClassVar[str] = "leiden"


class LouvainResult(CommunitiesResult):
    task: ClassVar[str] = "louvain"


class LabelPropagationResult(CommunitiesResult):
    task: ClassVar[str] = "label_propagation"


def level_of(graph: Graph) -> Level:
    """Return the rows with whole weights, and the strength of each vertex.

    Weights that are not whole are multiples of a 2**-52th of their sum, so that sums do not depend on
    the order of their terms.
    """
    from ..kernels.communities.table import Level

    if graph.directed:
        raise InputError(
            "communities are found in undirected graphs: graph.to_undirected() makes one"
        )
    given = graph.weights
    if given is None:
        weights, strength = np.empty(0, np.int64), graph.degrees.astype(np.int64)
    else:
        if given.min(initial=0) < 0:
            raise InputError("communities need weights that are not negative")
        if given.dtype.kind == "i" and int(given.sum(dtype=np.int64)) <= LARGEST_TOTAL:
            weights = given.astype(np.int64)
        else:
            wide = given.astype(np.float64)
            shares = wide / max(wide.max(initial=0), np.finfo(np.float64).tiny)
            scale = LARGEST_TOTAL / max(shares.sum(), 1.0)
            weights = np.rint(shares * scale).astype(np.int64)
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(weights)])
        strength = np.diff(sums[graph.indptr])
    if graph.self_loops:  # an arc of its own, but two ends
        source = graph.arc_sources()
        at = np.flatnonzero(source == graph.indices)
        np.add.at(strength, source[at], weights[at] if weights.size else 1)
    return Level(graph.indptr, graph.indices, weights, strength)


class Step(NamedTuple):
    """A row of the trace."""

    phase: str
    level: int
    vertices: int
    arcs: int
    moves: int
    seconds: float


@dataclass
class Search:
    """A search for communities: the graph, the price of strength, the seed, and what was done."""

    bottom: Level
    price: float
    seed: int
    refined: bool
    steps: list[Step] = field(default_factory=list)

    def rule(self, size: int, turn: int, depth: int) -> Rule:
        """Return how vertices of a level are moved."""
        from ..kernels.communities.moving import Rule, bits_for
        from ..kernels.runtime.random import key_of

        key = key_of(self.seed, f"communities {turn} {depth}")
        few = int(size * FEW_MOVES_OF_VERTICES)
        return Rule(key, self.price, bits_for(size), MOST_PASSES, few)

    def once(self, labels: np.ndarray, turn: int, deepest: int | None = None) -> np.ndarray:
        """Improve communities: move, refine and contract until nothing changes any more."""
        from ..kernels.communities.contracting import contract
        from ..kernels.communities.moving import State, move
        from ..kernels.communities.refining import refine
        from ..kernels.runtime.launch import clock

        level, label, where, depth = self.bottom, labels, None, 0
        while True:
            size, arcs = level.strength.size, level.indices.size
            begin = clock()
            total = np.bincount(label, level.strength, size).astype(np.int64)
            found = State(label, total, np.ones(size, np.uint8))
            rule = self.rule(size, turn, depth)
            moves = move(level, found, rule)
            moved = clock()
            self.steps.append(Step("move", depth, size, arcs, moves, moved - begin))
            if (depth and not moves) or depth == deepest:
                break
            parts = label.copy()
            if self.refined:
                parts = refine(level, found, rule).label
                refined = clock()
                self.steps.append(Step("refine", depth, size, arcs, 0, refined - moved))
                moved = refined
            coarse, members, order = contract(level, parts)
            self.steps.append(Step("contract", depth, size, arcs, 0, clock() - moved))
            if coarse.strength.size == size:
                break
            where = parts if where is None else parts[where]
            level, label, depth = (
                coarse,
                _named_by_first(label[order[members[:-1]]], size),
                depth + 1,
            )
        return label if where is None else label[where]


def _named_by_first(label: np.ndarray, size: int) -> np.ndarray:
    """Call each community by the first vertex in it; labels are below ``size``."""
    first: np.ndarray = np.empty(size, label.dtype)
    first[label[::-1]] = np.arange(label.size, dtype=label.dtype)[::-1]
    named: np.ndarray = first[label]
    return named


class Asked(NamedTuple):
    """What a call says beside the graph."""

    resolution: float
    iterations: int
    rng: Rng
    threads: int | None
    trace: bool
    verify: bool


def _find(kind: type[CommunitiesResult], graph: Graph, asked: Asked) -> CommunitiesResult:
    """Find communities, split those that do not hang together, and judge them."""
    from ..kernels.communities import contracting, moving, refining  # noqa: F401 - before the clock runs
    from ..kernels.communities.joined import connected
    from ..kernels.runtime.launch import clock, threads_available
    from ..kernels.runtime.launch import threads as using

    resolution, iterations, rng, threads, trace, verify = asked
    if not (np.isfinite(resolution) and resolution >= 0):
        raise InputError(f"resolution = {resolution}: a number from 0 on")
    if iterations < 1:
        raise InputError(f"iterations = {iterations}: at least one")
    spreads = kind is LabelPropagationResult
    with using(threads):
        level = level_of(graph)
        begin = clock()
        twice = int(level.strength.sum())
        price = 0.0 if spreads else resolution / max(twice, 1)
        search = Search(level, price, seed_of(rng), kind is LeidenResult)
        labels = np.arange(graph.n, dtype=graph.indices.dtype)
        for turn in range(iterations if graph.n else 0):
            known = len(search.steps)
            labels = search.once(labels.copy(), turn, 0 if spreads else None)
            if not any(step.moves for step in search.steps[known:]):
                break
        joining = clock()
        labels, count, inside = connected(level, labels)
        strength = np.bincount(labels, level.strength, count) / max(twice, 1)
        quality = inside / max(twice, 1) - resolution * float((strength * strength).sum())
        search.steps.append(Step("split", 0, graph.n, graph.arcs, 0, clock() - joining))
        seconds = clock() - begin
        columns = dict(zip(Step._fields, zip(*search.steps, strict=True), strict=True))
        kept = Trace({**columns, "threads": threads_available()}, trace)
    if verify:
        check_communities(graph, labels, count, quality, resolution)
    return kind(labels=labels, count=count, modularity=quality, run=Run(seconds, kept))


def leiden(
    graph: Graph,
    *,
    resolution: float = 1.0,
    iterations: int = 2,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> CommunitiesResult:
    """Find communities by Leiden's method: sets with more edges within them than chance would give.

    Vertices move to the community in which modularity gains most. Communities are then built again
    from single vertices within their bounds (refinement), their parts become vertices of a smaller
    graph, and so on. The result is the same for the same ``rng`` on any number of threads.

    Parameters
    ----------
    graph
        An undirected graph; ``graph.to_undirected()`` makes one. Weights are used if there are any, and
        must not be negative.
    resolution
        Above 1 communities are smaller, below 1 they are larger.
    iterations
        How often to start again from the communities that were found; the second time improves most.
        It ends earlier if nothing moves any more.
    rng
        The seed of the order in which vertices are looked at, or a generator.
    threads
        The number of threads; by default all cores. The communities do not depend on it.
    trace
        Keep a row for each step on each level.
    verify
        Check that communities are connected, and compute the modularity again;
        ``VerificationError`` if something is wrong.

    Returns
    -------
    CommunitiesResult
        ``labels``: for each vertex the number of its community, from 0 on by the smallest ids in them;
        ``count``; ``modularity``. Every community is connected.

    Raises
    ------
    InputError
        For a directed graph or negative weights.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3], directed=False)
    >>> found = tg.leiden(g)
    >>> found.labels.tolist(), round(found.modularity, 3)
    ([0, 0, 0, 1, 1, 1], 0.357)
    """
    asked = Asked(resolution, iterations, rng, threads, trace, verify)
    return _find(LeidenResult, graph, asked)


def louvain(
    graph: Graph,
    *,
    resolution: float = 1.0,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> CommunitiesResult:
    """Find communities by Louvain's method: as :func:`leiden`, but without refinement, once.

    It is faster, and its communities have a slightly lower modularity. Those that do not hang together
    are split, as Louvain's method alone would not do.

    Parameters
    ----------
    graph
        An undirected graph, with weights that are not negative, or without.
    resolution
        Above 1 communities are smaller, below 1 they are larger.
    rng
        The seed of the order in which vertices are looked at, or a generator.
    threads
        The number of threads; by default all cores. The communities do not depend on it.
    trace
        Keep a row for each step on each level.
    verify
        Check that communities are connected, and compute the modularity again.

    Returns
    -------
    CommunitiesResult
        As of :func:`leiden`.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.louvain(tg.disjoint_union(tg.complete(4), tg.complete(4))).count
    2
    """
    return _find(LouvainResult, graph, Asked(resolution, 1, rng, threads, trace, verify))


def label_propagation(
    graph: Graph,
    *,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> CommunitiesResult:
    """Find communities by label propagation: every vertex takes the label that most neighbours have.

    Of labels that are equally frequent a vertex keeps its own, else lots decide. It is faster than
    :func:`leiden`, but optimises nothing: communities can be much larger or smaller.

    Parameters
    ----------
    graph
        An undirected graph. Weights, if there are any, are summed instead of counting neighbours.
    rng
        The seed of the order and of the lots, or a generator.
    threads
        The number of threads; by default all cores. The communities do not depend on it.
    trace
        Keep a row for each step.
    verify
        Check that communities are connected, and compute the modularity again.

    Returns
    -------
    CommunitiesResult
        As of :func:`leiden`; ``modularity`` tells how good they are.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.label_propagation(tg.disjoint_union(tg.complete(4), tg.complete(4))).labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    return _find(LabelPropagationResult, graph, Asked(1.0, 1, rng, threads, trace, verify))
