"""The graphs that approximations are measured on, for training and, other ones, for evaluation.

Kronecker graphs are those of the paper, in smaller sizes; weights are whole numbers from 1 to 255
unless said otherwise. Real graphs are used if they are on this machine (``tacho datasets --local``);
those without weights get random ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...graph import generate
from ...graph.datasets import dataset, datasets
from ...graph.graph import Graph

__all__ = ["GRAPHS", "PLAIN", "Subject", "available", "with_random_weights"]


PLAIN = {f"kronecker-{scale}" for scale in range(14, 19)}  # the paper's, smaller


def with_random_weights(graph: Graph, seed: int = 1) -> Graph:
    """The graph with whole weights from 1 to 255, the same in both directions; no loops."""
    from ...kernels.runtime import random

    source, target, *_ = graph.to_edges()
    weights = random.integers(seed, "weights", source.size, 1, 256)
    return Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed,
                            dedupe="first", drop_self_loops=True)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A graph by name: its family, how to make it, and whether it is kept for evaluation."""

    name: str
    family: str
    make: Callable[[], Graph]
    held_out: bool = False
    data: str | None = None  # the data set, if it is one

    @property
    def paper(self) -> bool:
        """Whether the paper has such a graph."""
        return self.name in PLAIN or self.family == "roads"


def _data(name: str) -> Graph:
    graph = dataset(name)
    if not graph.weighted:
        return with_random_weights(graph)
    if graph.self_loops:
        source, target, weights = graph.to_edges()
        return Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed,
                                drop_self_loops=True)  # fmt: skip
    return graph


def _made(name: str, family: str, held_out: bool = False, **arguments: Any) -> Subject:
    make = generate.GENERATORS[family]
    return Subject(name, family, lambda: make(**{"weights": True, **arguments}), held_out)


def _real(family: str, *names: str, held_out: bool = False) -> list[Subject]:
    return [Subject(name, family, partial(_data, name), held_out, name) for name in names]


_ALL = [
    *(_made(f"kronecker-{s}", "kronecker", scale=s, rng=1) for s in range(11, 18)),
    _made("kronecker-14-real", "kronecker", scale=14, rng=2, weights=(0.0, 1.0)),
    _made("kronecker-15-sparse", "kronecker", scale=15, rng=3, edge_factor=8),
    _made("kronecker-13-dense", "kronecker", scale=13, rng=4, edge_factor=32),
    _made("kronecker-16-again", "kronecker", scale=16, rng=5),
    _made("kronecker-16-thin", "kronecker", scale=16, rng=6, edge_factor=4),
    _made("kronecker-15-near", "kronecker", scale=15, rng=7, edge_factor=24, weights=(1, 8)),
    _made("kronecker-17-wide", "kronecker", scale=17, rng=8, edge_factor=12, weights=(1, 1 << 16)),
    _made("kronecker-16-one-way", "kronecker", scale=16, rng=9, directed=True),
    _made("kronecker-18", "kronecker", True, scale=18, rng=1),
    _made("kronecker-16-real", "kronecker", True, scale=16, rng=77, weights=(0.0, 1.0)),
    _made("kronecker-17-sparse", "kronecker", True, scale=17, rng=78, edge_factor=10),
    _made("grid-60", "road", rows=60, columns=60, rng=1),
    _made("grid-120", "road", rows=120, columns=200, rng=2, weights=(1, 1000)),
    _made("grid-256", "road", rows=256, columns=256, rng=3),
    _made("grid-400", "road", rows=400, columns=400, rng=4, deleted=0.3),
    _made("grid-300", "road", True, rows=300, columns=500, rng=5, weights=(1, 5000)),
    _made("uniform-13", "uniform", n=1 << 13, degree=8, rng=1),
    _made("uniform-15", "uniform", n=1 << 15, degree=16, rng=2),
    _made("uniform-17", "uniform", n=1 << 17, degree=6, rng=3),
    _made("uniform-14-dense", "uniform", n=1 << 14, degree=40, rng=5),
    _made("uniform-16-real", "uniform", n=1 << 16, degree=20, rng=6, weights=(0.0, 1.0)),
    _made("uniform-15-one-way", "uniform", n=1 << 15, degree=10, rng=7, directed=True),
    _made("uniform-16", "uniform", True, n=1 << 16, degree=12, rng=4),
    _made("power-law-15", "power-law", n=1 << 15, exponent=2.1, rng=1),
    _made("power-law-16", "power-law", n=1 << 16, exponent=2.3, least=4, rng=2),
    _made("power-law-16-heavy", "power-law", n=1 << 16, exponent=1.9, least=2, rng=4),
    _made("power-law-17-light", "power-law", n=1 << 17, exponent=2.7, least=4, rng=5),
    _made("power-law-16-real", "power-law", n=1 << 16, exponent=2.2, least=6, rng=6,
          weights=(0.0, 1.0)),
    _made("power-law-17", "power-law", True, n=1 << 17, exponent=2.2, least=3, rng=3),
    _made("attachment-15", "preferential-attachment", n=1 << 15, degree=4, rng=1),
    _made("attachment-14", "preferential-attachment", n=1 << 14, degree=12, rng=2),
    _made("attachment-16-thin", "preferential-attachment", n=1 << 16, degree=3, rng=4),
    _made("attachment-15-dense", "preferential-attachment", n=1 << 15, degree=24, rng=5,
          weights=(1, 16)),
    _made("small-world-16", "small-world", n=1 << 16, degree=10, rng=1),
    _made("small-world-15", "small-world", n=1 << 15, degree=20, rewired=0.02, rng=2),
    _made("small-world-17", "small-world", True, n=1 << 17, degree=12, rewired=0.3, rng=3),
    _made("attachment-16", "preferential-attachment", True, n=1 << 16, degree=8, rng=3),
    *_real("roads", "rome99", "tntp-BerlinCenter", "tntp-ChicagoRegional", "tntp-Philadelphia",
           "scgraph-us_freeway", "luxembourg_osm", "USA-road-topology.BAY"),
    *_real("roads", "USA-road-d.NY", "tntp-Sydney", "USA-road-topology.COL", held_out=True),
    *_real("social", "wiki-Vote", "soc-Epinions1", "ca-AstroPh", "cit-HepPh", "socfb-MIT8",
           "p2p-Gnutella31"),
    *_real("social", "soc-Slashdot0902", "socfb-Cornell5", "email-Enron", "dblp-2010",
           held_out=True),
    *_real("web", "uk-2007-05@100000"),
    *_real("web", "web-NotreDame", "cnr-2000", held_out=True),
]  # fmt: skip
GRAPHS = {subject.name: subject for subject in _ALL}


def available() -> dict[str, Subject]:
    """The graphs that this machine can make or has."""
    here = {name for name, known in datasets().items() if known.file is not None}
    return {k: s for k, s in GRAPHS.items() if s.data is None or s.data in here}
