"""Generated graphs. The same arguments give the same graph on any machine and number of threads.

Every generator takes ``weights``: None for none, True for whole numbers from 1 to 255 (as GAPBS),
or a pair (low, high): whole numbers of that closed range if both are whole, else float32 numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..util import memory
from ..util.arguments import checked
from ..util.errors import InputError
from ..util.rng import Rng, seed_of
from .convert import as_graph
from .graph import Graph

Weights: TypeAlias = "bool | tuple[float, float] | None"
GRAPH500 = (0.57, 0.19, 0.19)
MOST_VERTICES = 2**31 - 2
NUMBERS = (int, float, np.integer, np.floating)
BYTES_PER_EDGE, BYTES_PER_VERTEX = 40, 24  # while a graph is made


def _at_least(bound: float, /, **values: float) -> None:
    for name, value in values.items():
        if not bound <= value < float("inf"):
            raise InputError(f"{name} = {value} must be a number of at least {bound}")


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"{name} = {value} is a share: from 0 to 1")


class _Draws:
    """The random numbers of one graph: each purpose has a sequence of its own.

    Refuses more vertices than ids, or more than fits in memory while the graph is made.
    """

    def __init__(self, rng: Rng, n: int, edges: float) -> None:
        from ..kernels.runtime import random

        if n > MOST_VERTICES:
            problem = f"{n:,} vertices are too many: generators make at most {MOST_VERTICES:,}"
            raise InputError(problem)
        size = int(min(edges, 2.0**60) * BYTES_PER_EDGE + n * BYTES_PER_VERTEX)
        what = f"generating {n:,} vertices and {edges:,.0f} edges"
        memory.require(size, what, "make it smaller, or use a machine with more memory")
        self.n = n
        self.seed = seed = seed_of(rng)
        self.integers = partial(random.integers, seed)  # (purpose, size, low, high)
        self.reals = partial(random.reals, seed)  # (purpose, size, low=0, high=1)
        self.permutation = partial(random.permutation, seed)  # (purpose, size)

    def weights(self, wanted: Weights, edges: int) -> np.ndarray | None:
        """Return the weights that a user asked for, or None."""
        if wanted is None or wanted is False:
            return None
        both: Any = np.asarray((1, 255) if wanted is True else wanted, object)
        if both.shape != (2,) or not all(isinstance(end, NUMBERS) for end in both):
            raise InputError(f"weights = {wanted!r:.80}: True, None, or two numbers are needed")
        low: float = both[0]
        high: float = both[1]
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"weights = ({low}, {high}): the lower end comes first, both finite")
        if isinstance(low, int | np.integer) and isinstance(high, int | np.integer):
            if high - low >= 2**31 or max(abs(low), abs(high)) >= 2**31:
                raise InputError("whole-number weights must fit in 32 bits")
            return self.integers("weights", edges, int(low), int(high) + 1)
        return self.reals("weights", edges, low, high).astype(np.float32)

    def graph(
        self,
        source: np.ndarray,
        target: np.ndarray,
        weights: Weights,
        directed: bool = False,
        simple: bool = True,
    ) -> Graph:
        """Return a graph without loops and parallel edges, or (``simple=False``) with all edges."""
        edges = source, target, self.weights(weights, source.size)
        dedupe = "first" if simple else "keep"
        return Graph.from_edges(
            *edges, n=self.n, directed=directed, dedupe=dedupe, drop_self_loops=simple
        )


@checked
def kronecker(
    scale: int = 16,
    edge_factor: int = 16,
    *,
    rng: Rng = 0,
    directed: bool = False,
    permute: bool = True,
    simple: bool = True,
    weights: Weights = None,
) -> Graph:
    """Kronecker (R-MAT) graph with the Graph500 parameters: few hubs, many small vertices.

    ``2**scale`` vertices, ``edge_factor`` edges drawn for each; with ``simple`` loops are dropped
    and parallel edges become one; with ``permute`` the labels tell nothing about the degree.

    >>> import tachograph as tg
    >>> tg.kronecker(scale=10, rng=1).n
    1024
    """
    from ..kernels.runtime import random

    _at_least(0, scale=scale, edge_factor=edge_factor)
    if scale > 30:
        raise InputError(f"scale = {scale} is too large: at most 30")
    n = 1 << scale
    draws = _Draws(rng, n, n * edge_factor)
    labels = draws.permutation("labels", n) if permute else np.empty(0, np.int32)
    source, target = random.kronecker(scale, n * edge_factor, GRAPH500, draws.seed, labels)
    return draws.graph(source, target, weights, directed, simple)


@checked
def uniform(
    n: int = 1 << 16,
    degree: float = 16,
    *,
    rng: Rng = 0,
    directed: bool = False,
    simple: bool = True,
    weights: Weights = None,
) -> Graph:
    """Uniform random graph: ``n * degree`` edges drawn with both ends anywhere.

    >>> import tachograph as tg
    >>> tg.uniform(n=1000, degree=4, rng=1).n
    1000
    """
    _at_least(1, n=n)
    _at_least(0, degree=degree)
    draws = _Draws(rng, n, n * degree)
    edges = round(n * degree)
    source = draws.integers("source", edges, 0, n)
    target = draws.integers("target", edges, 0, n)
    return draws.graph(source, target, weights, directed, simple)


@checked
def road(
    rows: int = 256,
    columns: int = 256,
    *,
    deleted: float = 0.15,
    rng: Rng = 0,
    weights: Weights = True,
) -> Graph:
    """Road-like graph: a grid with a share of its edges ``deleted``; low degree, high diameter.

    >>> import tachograph as tg
    >>> tg.road(rows=10, columns=10, deleted=0).m
    180
    """
    _at_least(1, rows=rows, columns=columns)
    _share("deleted", deleted)
    draws = _Draws(rng, rows * columns, 2 * rows * columns)
    ids = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    source = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    target = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    kept = draws.reals("deleted", source.size) >= deleted
    return draws.graph(source[kept], target[kept], weights)


@checked
def power_law(
    n: int = 1 << 16,
    *,
    exponent: float = 2.5,
    least: int = 1,
    rng: Rng = 0,
    weights: Weights = None,
) -> Graph:
    """Configuration model: degrees d >= ``least`` with probability ~ d**-exponent, joined at random.

    >>> import tachograph as tg
    >>> tg.power_law(n=1000, rng=1).n
    1000
    """
    _at_least(1, n=n, least=least)
    _at_least(1.01, exponent=exponent)
    draws = _Draws(rng, n, n * least * 3)
    u = draws.reals("degrees", n)
    degrees = least * (1 - u) ** (-1 / (exponent - 1))
    whole = np.minimum(degrees, max(least, n - 1)).astype(np.int64)
    stubs = np.repeat(np.arange(n, dtype=np.int32), whole)
    stubs = stubs[: stubs.size // 2 * 2][draws.permutation("stubs", stubs.size // 2 * 2)]
    return draws.graph(stubs[::2], stubs[1::2], weights)


@checked
def preferential_attachment(
    n: int = 1 << 16, degree: int = 4, *, rng: Rng = 0, weights: Weights = None
) -> Graph:
    """Growing graph: each new vertex links to ``degree`` others, the popular ones more likely.

    >>> import tachograph as tg
    >>> tg.preferential_attachment(n=1000, degree=3, rng=1).n
    1000
    """
    from ..kernels.runtime import random

    _at_least(1, n=n, degree=degree)
    draws = _Draws(rng, n, n * degree)
    source, target = random.preferential(n, degree, draws.seed)
    return draws.graph(source, target, weights)


@checked
def small_world(
    n: int = 1 << 16,
    degree: int = 4,
    *,
    rewired: float = 0.1,
    rng: Rng = 0,
    weights: Weights = None,
) -> Graph:
    """Ring in which each vertex is joined to the next ``degree``; a share of the edges is ``rewired``:
    led to a vertex anywhere (Watts and Strogatz).

    >>> import tachograph as tg
    >>> tg.small_world(n=100, degree=3, rewired=0).m
    300
    """
    _at_least(1, n=n, degree=degree)
    _share("rewired", rewired)
    draws = _Draws(rng, n, n * degree)
    source = np.repeat(np.arange(n, dtype=np.int32), degree)
    target = (source + np.tile(np.arange(1, degree + 1), n)) % n
    anywhere = draws.integers("target", source.size, 0, n)
    moved = draws.reals("rewired", source.size) < rewired
    return draws.graph(source, np.where(moved, anywhere, target).astype(np.int32), weights)


@checked
def path(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Vertices in a row, each joined to the next.

    >>> import tachograph as tg
    >>> tg.path(4).neighbors(1).tolist()
    [0, 2]
    """
    _at_least(0, n=n)
    draws = _Draws(rng, n, n)
    ids = np.arange(n, dtype=np.int32)
    return draws.graph(ids[:-1], ids[1:], weights)


@checked
def star(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Vertex 0 joined to all others.

    >>> import tachograph as tg
    >>> tg.star(4).degrees.tolist()
    [3, 1, 1, 1]
    """
    _at_least(1, n=n)
    draws = _Draws(rng, n, n)
    return draws.graph(np.zeros(n - 1, np.int32), np.arange(1, n, dtype=np.int32), weights)


@checked
def complete(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Every vertex joined to every other.

    >>> import tachograph as tg
    >>> tg.complete(5).m
    10
    """
    _at_least(0, n=n)
    draws = _Draws(rng, n, n * (n - 1) / 2)
    ids = np.arange(n, dtype=np.int32)
    source = np.repeat(ids, ids[::-1])
    first = np.cumsum(np.concatenate([[0], ids[::-1][:-1]])) if n else ids
    target = np.arange(source.size, dtype=np.int64) - np.repeat(first - ids - 1, ids[::-1])
    return draws.graph(source, target.astype(np.int32), weights)


@checked
def tree(n: int = 15, branching: int = 2, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Complete tree: vertex v > 0 hangs below (v - 1) // branching.

    >>> import tachograph as tg
    >>> tg.tree(7).neighbors(1).tolist()
    [0, 3, 4]
    """
    _at_least(0, n=n)
    _at_least(1, branching=branching)
    draws = _Draws(rng, n, n)
    ids = np.arange(1, max(n, 1), dtype=np.int32)
    return draws.graph((ids - 1) // min(branching, max(n, 1)), ids, weights)


@checked
def bipartite(
    left: int = 1000, right: int = 1000, degree: float = 8, *, rng: Rng = 0, weights: Weights = None
) -> Graph:
    """Random bipartite graph: ``left * degree`` edges from 0..left-1 to left..left+right-1.

    >>> import tachograph as tg
    >>> g = tg.bipartite(left=3, right=4, degree=2, rng=1)
    >>> bool((g.neighbors(0) >= 3).all())
    True
    """
    _at_least(1, left=left, right=right)
    _at_least(0, degree=degree)
    draws = _Draws(rng, left + right, left * degree)
    edges = round(left * degree)
    source = draws.integers("source", edges, 0, left)
    target = draws.integers("target", edges, left, left + right)
    return draws.graph(source, target, weights)


def disjoint_union(*graphs: Graph) -> Graph:
    """All the graphs side by side, unconnected; ids of the second follow those of the first, ...

    >>> import tachograph as tg
    >>> tg.disjoint_union(tg.path(3), tg.star(4)).n
    7
    """
    if not graphs:
        raise InputError("disjoint_union needs at least one graph")
    graphs = tuple(as_graph(g, "disjoint_union") for g in graphs)
    if len({g.directed for g in graphs}) > 1 or len({g.weighted for g in graphs}) > 1:
        raise InputError("all graphs must be directed or none, weighted or none")
    firsts = np.cumsum([0] + [g.n for g in graphs[:-1]])
    arcs = np.cumsum([0] + [g.arcs for g in graphs[:-1]])
    rows = [g.indptr[1:] + a for g, a in zip(graphs, arcs, strict=True)]
    indptr = np.concatenate([np.zeros(1, np.int64), *rows])
    # int64 ids; the constructor narrows them if they fit
    indices = np.concatenate([g.indices + f for g, f in zip(graphs, firsts, strict=True)])
    weights = np.concatenate([g.weights for g in graphs]) if graphs[0].weighted else None
    return Graph.from_csr(indptr, indices, weights, directed=graphs[0].directed, copy=False)


_RANDOM = (kronecker, uniform, road, power_law, preferential_attachment, small_world, bipartite)
_ALL: tuple[Callable[..., Graph], ...] = (*_RANDOM, path, star, complete, tree)
#: What ``tacho generate`` offers.
GENERATORS = {made.__name__.replace("_", "-"): made for made in _ALL}
