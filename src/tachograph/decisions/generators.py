"""Graphs that only training and tests need: families that users would not ask for by name, and flows.

All are functions of sizes and a seed, and stand in ``graphs.csv`` by their names.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph

__all__ = ["FLOW_PROBLEMS", "TEST_FAMILIES", "block_model", "delaunay", "geometric", "hyperbolic"]
__all__ += ["layers"]

Ends = NDArray[np.int64]


def _simple(source: Ends, target: Ends, n: int) -> Graph:
    return Graph.from_edges(
        source, target, n=n, directed=False, dedupe="first", drop_self_loops=True
    )


def block_model(n: int, blocks: int, inside: float, outside: float, rng: int) -> Graph:
    """A stochastic block model: vertices have so many neighbours inside their block and outside, about.

    >>> block_model(1000, 10, 8, 2, rng=1).n
    1000
    """
    random = np.random.default_rng(rng)
    size = n // blocks
    within = random.integers(0, size * blocks, round(n * inside / 2))
    near = within // size * size + random.integers(0, size, within.size)
    across = random.integers(0, n, (2, round(n * outside / 2)))
    return _simple(np.append(within, across[0]), np.append(near, across[1]), n)


def geometric(n: int, degree: float, rng: int) -> Graph:
    """Random points in a square, joined if they are near: a mean degree of about ``degree``.

    >>> 5 < geometric(2000, 8, rng=1).arcs / 2000 < 10
    True
    """
    from scipy.spatial import cKDTree

    points = np.random.default_rng(rng).random((n, 2))
    pairs = cKDTree(points).query_pairs(math.sqrt(degree / (math.pi * n)), output_type="ndarray")
    return _simple(pairs[:, 0], pairs[:, 1], n)


def delaunay(n: int, rng: int) -> Graph:
    """The Delaunay triangulation of random points: planar, with a mean degree just below 6.

    >>> 5.8 < delaunay(2000, rng=1).arcs / 2000 < 6
    True
    """
    from scipy.spatial import Delaunay

    triangles = Delaunay(np.random.default_rng(rng).random((n, 2))).simplices.astype(np.int64)
    return _simple(triangles.ravel(), np.roll(triangles, 1, axis=1).ravel(), n)


def hyperbolic(n: int, degree: float, exponent: float, rng: int) -> Graph:
    """Random points of a hyperbolic disc, joined if they are nearer than its radius.

    Degrees follow a power law, and neighbours of a vertex are often neighbours. Points are sorted by
    radius into rings; within a ring only the angles that can be near enough are looked at.

    >>> g = hyperbolic(2000, 10, 2.5, rng=1)
    >>> 5 < g.arcs / 2000 < 20, g.features.max_degree > 100
    (True, True)
    """
    random = np.random.default_rng(rng)
    alpha = (exponent - 1) / 2
    scale = degree * math.pi * (alpha - 0.5) ** 2 / (2 * alpha**2)
    limit = 2 * math.log(n / scale)
    radius = np.arccosh(1 + (math.cosh(alpha * limit) - 1) * random.random(n)) / alpha
    angle = random.random(n) * 2 * math.pi
    bounds = np.append(0.0, np.linspace(limit / 2, limit, 24))
    sources, targets = [], []
    for low, high in itertools.pairwise(bounds):
        ring = np.flatnonzero((radius > low) & (radius <= high))
        ring = ring[np.argsort(angle[ring])]
        outer = np.flatnonzero(radius > low)  # each pair is found in the ring of the inner one
        cosine = np.cosh(radius[outer]) * math.cosh(low) - math.cosh(limit)
        reach = np.sinh(radius[outer]) * math.sinh(low)
        all_of_it = np.full(outer.size, -1.0)  # of a ring that begins in the middle
        wide = np.arccos(np.clip(np.divide(cosine, reach, out=all_of_it, where=reach > 0), -1, 1))
        turns = np.concatenate([angle[ring] + shift for shift in (-2 * math.pi, 0, 2 * math.pi)])
        first = np.searchsorted(turns, angle[outer] - wide)
        last = np.minimum(np.searchsorted(turns, angle[outer] + wide), first + ring.size)
        counts = last - first
        u = np.repeat(outer, counts)
        place = np.arange(u.size) - np.repeat(np.cumsum(counts) - counts, counts)
        v = ring[(np.repeat(first, counts) + place) % max(1, ring.size)]
        apart = np.cosh(radius[u]) * np.cosh(radius[v])
        apart -= np.sinh(radius[u]) * np.sinh(radius[v]) * np.cos(angle[u] - angle[v])
        near = apart <= math.cosh(limit)
        sources.append(u[near])
        targets.append(v[near])
    return _simple(np.concatenate(sources), np.concatenate(targets), n)


def layers(levels: int, width: int, degree: int = 3, rng: int = 0) -> Graph:
    """A flow problem of layers: each vertex has ``degree`` arcs to random ones of the next layer."""
    random = np.random.default_rng(rng)
    n = levels * width
    tails = np.repeat(np.arange(n - width), degree)
    heads = (tails // width + 1) * width + random.integers(0, width, tails.size)
    ends = np.arange(width), np.arange(n - width, n)
    source = np.concatenate([tails, np.full(width, n), ends[1]])
    target = np.concatenate([heads, ends[0], np.full(width, n + 1)])
    most = np.full(2 * width, 1000 * degree)
    capacity = np.concatenate([random.integers(1, 1000, tails.size), most])
    made = Graph.from_edges(source, target, capacity.astype(np.int32), n=n + 2)
    return made.with_meta(source=n, sink=n + 1)


def _kronecker_flow(scale: int, rng: int) -> Graph:
    """A flow from the vertex of most arcs of a Kronecker graph to that of the tenth most."""
    from ..graph.generate import kronecker

    made = kronecker(scale, 16, rng=rng, directed=True, weights=True)
    by_degree = np.argsort(-made.degrees)
    return made.with_meta(source=int(by_degree[0]), sink=int(by_degree[9]))


FLOW_PROBLEMS: dict[str, Callable[..., Graph]] = {
    "layers": layers,
    "kronecker_flow": _kronecker_flow,
}
TEST_FAMILIES: dict[str, Callable[..., Graph]] = {
    "block_model": block_model,
    "geometric": geometric,
    "delaunay": delaunay,
    "hyperbolic": hyperbolic,
}
