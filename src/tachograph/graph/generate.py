"""Generated graphs. The same arguments give the same graph on any machine and number of threads.

Every generator takes ``weights``: None for none, True for whole numbers from 1 to 255 (as GAPBS),
or a pair (low, high): whole numbers of that closed range if both are whole, else float32 numbers.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..util import memory
from ..util.errors import InputError
from ..util.rng import Rng, seed_of
from .graph import Graph

# fmt: off
__all__ = ["GENERATORS", "bipartite", "complete", "disjoint_union", "kronecker", "path", "power_law",
           "preferential_attachment", "road", "small_world", "star", "tree", "uniform"]
# fmt: on

Weights: TypeAlias = "bool | tuple[float, float] | None"
GRAPH500 = (0.57, 0.19, 0.19)


def _at_least(bound: float, /, **values: float) -> None:
    for name, value in values.items():
        if not bound <= value < float("inf"):
            raise InputError(f"{name} = {value} must be a number of at least {bound}")


def _room(n: float, edges: float) -> None:
    """Refuse more vertices than ids, or more than fits in memory while it is made."""
    if n > 2**31 - 2:
        raise InputError(f"{n:,.0f} vertices are too many: generators make at most {2**31 - 2:,}")
    memory.require(
        int(edges * 40 + n * 24),
        f"generating {n:,.0f} vertices and {edges:,.0f} edges",
        "make it smaller, or use a machine with more memory",
    )


def _weights(weights: Weights, edges: int, seed: int) -> np.ndarray | None:
    if weights is None or weights is False:
        return None
    low, high = (1, 255) if weights is True else weights
    if not low <= high:
        raise InputError(f"weights = ({low}, {high}): the lower end comes first")
    from ..kernels.runtime import random

    if isinstance(low, int | np.integer) and isinstance(high, int | np.integer):
        if high - low >= 2**31 or max(abs(low), abs(high)) >= 2**31:
            raise InputError("whole-number weights must fit in 32 bits")
        return random.integers(seed, "weights", edges, int(low), int(high) + 1)
    return random.reals(seed, "weights", edges, low, high).astype(np.float32)


def _simple(
    source: np.ndarray,
    target: np.ndarray,
    n: int,
    weights: Weights,
    seed: int,
    directed: bool = False,
    simple: bool = True,
) -> Graph:
    """A graph without loops and parallel edges, or (``simple=False``) with what was drawn."""
    return Graph.from_edges(
        source,
        target,
        _weights(weights, source.size, seed),
        n=n,
        directed=directed,
        dedupe="first" if simple else "keep",
        drop_self_loops=simple,
    )


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

    seed = seed_of(rng)

    _at_least(0, scale=scale, edge_factor=edge_factor)
    if scale > 30:
        raise InputError(f"scale = {scale} is too large: at most 30")
    n = 1 << scale
    _room(n, n * edge_factor)
    labels = random.permutation(seed, "labels", n) if permute else np.empty(0, np.int32)
    source, target = random.kronecker(scale, n * edge_factor, GRAPH500, seed, labels)
    return _simple(source, target, n, weights, seed, directed, simple)


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
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, n=n)
    _at_least(0, degree=degree)
    _room(n, n * degree)
    edges = round(n * degree)
    source = random.integers(seed, "source", edges, 0, n)
    target = random.integers(seed, "target", edges, 0, n)
    return _simple(source, target, n, weights, seed, directed, simple)


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
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, rows=rows, columns=columns)
    if not 0 <= deleted <= 1:
        raise InputError(f"deleted = {deleted} is a share: from 0 to 1")
    _room(rows * columns, 2 * rows * columns)
    ids = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    source = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    target = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    kept = random.reals(seed, "deleted", source.size) >= deleted
    return _simple(source[kept], target[kept], ids.size, weights, seed)


def power_law(
    n: int = 1 << 16,
    *,
    exponent: float = 2.5,
    least: int = 1,
    rng: Rng = 0,
    weights: Weights = None,
) -> Graph:
    """Configuration model: degrees d >= ``least`` with a share ~ d**-exponent, joined at random.

    >>> import tachograph as tg
    >>> tg.power_law(n=1000, rng=1).n
    1000
    """
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, n=n, least=least)
    _at_least(1.01, exponent=exponent)
    _room(n, n * least * 3)
    u = random.reals(seed, "degrees", n)
    degrees = least * (1 - u) ** (-1 / (exponent - 1))
    whole = np.minimum(degrees, max(least, n - 1)).astype(np.int64)
    stubs = np.repeat(np.arange(n, dtype=np.int32), whole)
    stubs = stubs[: stubs.size // 2 * 2][random.permutation(seed, "stubs", stubs.size // 2 * 2)]
    return _simple(stubs[::2], stubs[1::2], n, weights, seed)


def preferential_attachment(
    n: int = 1 << 16, degree: int = 4, *, rng: Rng = 0, weights: Weights = None
) -> Graph:
    """Growing graph: each new vertex links to ``degree`` others, the popular ones more likely.

    >>> import tachograph as tg
    >>> tg.preferential_attachment(n=1000, degree=3, rng=1).n
    1000
    """
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, n=n, degree=degree)
    _room(n, n * degree)
    source, target = random.preferential(n, degree, seed)
    return _simple(source, target, n, weights, seed)


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
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, n=n, degree=degree)
    if not 0 <= rewired <= 1:
        raise InputError(f"rewired = {rewired} is a share: from 0 to 1")
    _room(n, n * degree)
    source = np.repeat(np.arange(n, dtype=np.int32), degree)
    target = (source + np.tile(np.arange(1, degree + 1), n)) % n
    anywhere = random.integers(seed, "target", source.size, 0, n)
    moved = random.reals(seed, "rewired", source.size) < rewired
    return _simple(source, np.where(moved, anywhere, target).astype(np.int32), n, weights, seed)


def path(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Vertices in a row, each joined to the next.

    >>> import tachograph as tg
    >>> tg.path(4).neighbors(1).tolist()
    [0, 2]
    """
    seed = seed_of(rng)
    _at_least(0, n=n)
    _room(n, n)
    ids = np.arange(n, dtype=np.int32)
    return _simple(ids[:-1], ids[1:], n, weights, seed)


def star(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Vertex 0 joined to all others.

    >>> import tachograph as tg
    >>> tg.star(4).degrees.tolist()
    [3, 1, 1, 1]
    """
    seed = seed_of(rng)
    _at_least(1, n=n)
    _room(n, n)
    return _simple(np.zeros(n - 1, np.int32), np.arange(1, n, dtype=np.int32), n, weights, seed)


def complete(n: int = 10, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Every vertex joined to every other.

    >>> import tachograph as tg
    >>> tg.complete(5).m
    10
    """
    seed = seed_of(rng)
    _at_least(0, n=n)
    _room(n, n * (n - 1) / 2)
    ids = np.arange(n, dtype=np.int32)
    source = np.repeat(ids, ids[::-1])
    first = np.cumsum(np.concatenate([[0], ids[::-1][:-1]])) if n else ids
    target = np.arange(source.size, dtype=np.int64) - np.repeat(first - ids - 1, ids[::-1])
    return _simple(source, target.astype(np.int32), n, weights, seed)


def tree(n: int = 15, branching: int = 2, *, rng: Rng = 0, weights: Weights = None) -> Graph:
    """Complete tree: vertex v > 0 hangs below (v - 1) // branching.

    >>> import tachograph as tg
    >>> tg.tree(7).neighbors(1).tolist()
    [0, 3, 4]
    """
    seed = seed_of(rng)
    _at_least(0, n=n)
    _at_least(1, branching=branching)
    _room(n, n)
    ids = np.arange(1, max(n, 1), dtype=np.int32)
    return _simple((ids - 1) // branching, ids, n, weights, seed)


def bipartite(
    left: int = 1000,
    right: int = 1000,
    degree: float = 8,
    *,
    rng: Rng = 0,
    weights: Weights = None,
) -> Graph:
    """Random bipartite graph: ``left * degree`` edges from 0..left-1 to left..left+right-1.

    >>> import tachograph as tg
    >>> g = tg.bipartite(left=3, right=4, degree=2, rng=1)
    >>> bool((g.neighbors(0) >= 3).all())
    True
    """
    from ..kernels.runtime import random

    seed = seed_of(rng)

    _at_least(1, left=left, right=right)
    _at_least(0, degree=degree)
    _room(left + right, left * degree)
    edges = round(left * degree)
    source = random.integers(seed, "source", edges, 0, left)
    target = random.integers(seed, "target", edges, left, left + right)
    return _simple(source, target, left + right, weights, seed)


def disjoint_union(*graphs: Graph) -> Graph:
    """All the graphs side by side, unconnected; ids of the second follow those of the first, ...

    >>> import tachograph as tg
    >>> tg.disjoint_union(tg.path(3), tg.star(4)).n
    7
    """
    if not graphs:
        raise InputError("disjoint_union needs at least one graph")
    if len({g.directed for g in graphs}) > 1 or len({g.weighted for g in graphs}) > 1:
        raise InputError("all graphs must be directed or none, weighted or none")
    firsts = np.cumsum([0] + [g.n for g in graphs])
    arcs = np.cumsum([0] + [g.arcs for g in graphs])
    indptr = np.concatenate(
        [np.zeros(1, np.int64)] + [g.indptr[1:] + a for g, a in zip(graphs, arcs, strict=False)]
    )
    # int64 ids; the constructor narrows them if they fit
    indices = np.concatenate(
        [g.indices + np.int64(f) for g, f in zip(graphs, firsts, strict=False)]
    )
    weights = np.concatenate([g.weights for g in graphs]) if graphs[0].weighted else None
    return Graph.from_csr(indptr, indices, weights, directed=graphs[0].directed)


GENERATORS = {
    f.__name__.replace("_", "-"): f
    for f in (
        kronecker, uniform, road, power_law, preferential_attachment,
        small_world, path, star, complete, tree, bipartite,
    )
}  # fmt: skip
