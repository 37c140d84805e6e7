"""The graphs of the published runs: the same ones, some generated alike, and stand-ins.

A stand-in, or a graph that is generated smaller, is simulated with an L2 that is as much smaller as the
graph has fewer vertices; counts of its arcs are then scaled to those of the published graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....decisions.generators import delaunay
from ....decisions.graphs import graph_named
from ....graph.generate import kronecker
from ....graph.graph import Graph

__all__ = ["KNOWN", "Known", "undirected"]

EDGE_FACTOR = 48  # of the Kronecker graphs kron_g500


@dataclass(frozen=True)
class Known:
    """How a published graph is had: ``kind`` is exact, generated or stand-in; ``made`` says how."""

    dataset: str
    kind: str
    made: str
    family: str
    smaller: float = 1.0  # so many times fewer vertices than the published graph

    def load(self) -> Graph:
        """Return the graph, undirected."""
        what, *numbers = self.made.split()
        if what == "kronecker":
            return kronecker(int(numbers[0]), EDGE_FACTOR, rng=1)
        if what == "delaunay":
            return delaunay(1 << int(numbers[0]), rng=1)
        if what == "rmat":
            return rmat(int(numbers[0]), int(numbers[1]))
        return undirected(graph_named(self.made))


def undirected(graph: Graph) -> Graph:
    """Return a graph whose arcs lead both ways, without loops."""
    if not graph.directed:
        return graph
    sources = np.repeat(np.arange(graph.n), graph.degrees)
    ends = sources, graph.indices.astype(np.int64)
    return Graph.from_edges(*ends, n=graph.n, directed=False, dedupe="first", drop_self_loops=True)


def rmat(scale: int, edge_factor: int) -> Graph:
    """An R-MAT graph with Graph500's shares whose ids are not shuffled, unlike :func:`kronecker`'s."""
    random = np.random.default_rng(1)
    edges = edge_factor << scale
    source, target = np.zeros(edges, np.int64), np.zeros(edges, np.int64)
    for _ in range(scale):
        draw = random.random(edges)
        low = draw >= 0.76  # 0.57 + 0.19
        right = ((draw >= 0.57) & ~low) | (draw >= 0.95)
        source, target = 2 * source + low, 2 * target + right
    return Graph.from_edges(
        source, target, n=1 << scale, directed=False, dedupe="first", drop_self_loops=True
    )


def _generated(dataset: str, made: str, family: str) -> Known:
    return Known(dataset, "generated", made, family)


KNOWN = {
    known.dataset: known
    for known in (
        Known("luxembourg_osm", "exact", "luxembourg_osm", "road"),
        Known("delaunay_n16", "exact", "delaunay_n16", "mesh"),
        *(_generated(f"delaunay_n{k}", f"delaunay {k}", "mesh") for k in range(10, 20) if k != 16),
        *(_generated(f"kron_g500-logn{k}", f"kronecker {k}", "kronecker") for k in range(16, 22)),
        Known("rmat_n22_e64.000000", "generated", "rmat 20 32", "rmat", 4.0),
        Known("rmat_n23_e32.000000", "generated", "rmat 21 16", "rmat", 4.0),
        Known("rmat_n24_e16.000000", "generated", "rmat 22 8", "rmat", 4.0),
        Known("indochina-2004", "stand-in", "cnr-2000", "web", 7414866 / 325557),
        Known("uk-2002", "stand-in", "cnr-2000", "web", 18520486 / 325557),
        Known("hollywood-2009", "stand-in", "astro-ph", "social", 1139905 / 16706),
        Known("coPapersDBLP", "stand-in", "ca-AstroPh", "social", 540486 / 18772),
        Known("soc-LiveJournal1", "stand-in", "soc-Slashdot0902", "social", 4847571 / 82168),
        Known("soc-orkut", "stand-in", "socfb-Cornell5", "social", 2997166 / 18660),
    )
}  # fmt: skip
