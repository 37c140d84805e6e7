"""Every graph that a decision is fitted to, tuned by or tested on: one table, ``graphs.csv``.

A row has a graph's name, how it is made, and for each fork its part: ``fit`` (models are fitted to it),
``tune`` (its results have led to a change of a constant or a guard), ``test`` (nothing was ever chosen
by looking at it), or nothing. A graph is a data set, a generator with its arguments ("kronecker 16 8",
"uniform 15 2 directed"), or what the column ``made`` says.
"""

from __future__ import annotations

import csv
import hashlib
from ast import literal_eval
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..graph.graph import Graph
from ..util.errors import InputError

__all__ = ["PARTS", "Registered", "about", "family", "graph_named", "hash_of", "layers", "names_of"]
__all__ += ["present", "registry", "weighted"]

PARTS = ("fit", "tune", "test")
SEED = 7  # of the graphs that are named by a generator and its arguments
#: The arguments that stand behind the name of a generator, in their order.
ARGUMENTS = {
    "kronecker": ("scale", "edge_factor"),
    "uniform": ("n", "degree"),
    "road": ("rows", "columns"),
    "power_law": ("n", "exponent", "least"),
    "preferential_attachment": ("n", "degree"),
    "small_world": ("n", "degree", "rewired"),
    "tree": ("n", "branching"),
    "bipartite": ("left", "right", "degree"),
    "layers": ("levels", "width"),
    "kronecker_flow": ("scale",),
}
#: How the names of data sets begin. A family is left out as a whole to see what novelty costs.
FAMILIES = {
    "social": ("soc-", "socfb-", "ego-", "email-", "wiki-", "PGP"),
    "citation": ("cit-", "ca-", "astro-", "dblp-", "hep-"),
    "web": ("uk-2007", "cnr-", "web-"),
    "software": ("debian-", "npm-"),
    "road": ("USA-road", "luxembourg", "tntp-", "rome99", "scgraph-"),
    "mesh": ("delaunay", "wing", "copter"),
    "internet": ("as-", "p2p-"),
}


class Registered(NamedTuple):
    """A row of the table."""

    name: str
    made: str  # a generator and its options; "" if the name says it all
    parts: dict[str, str]  # by fork

    @property
    def is_data(self) -> bool:
        """Whether the graph is a data set, and not generated."""
        return not self.made and self.name.split()[0] not in ARGUMENTS


@lru_cache(1)
def registry() -> dict[str, Registered]:
    """Return all rows of the table by name."""
    lines = Path(__file__).with_name("graphs.csv").read_text(encoding="utf-8").splitlines()
    return {
        row["name"]: Registered(
            row.pop("name"), row.pop("made"), {k: v for k, v in row.items() if v}
        )
        for row in csv.DictReader(lines)
    }


def names_of(fork: str, *parts: str) -> list[str]:
    """Return the graphs that have one of these parts for a fork, in the order of the table.

    >>> names_of("approximation", "tune")
    ['cnr-2000']
    """
    return [row.name for row in registry().values() if row.parts.get(fork) in parts]


def present(names: Iterable[str]) -> list[str]:
    """Keep the graphs that are generated or on this machine; nothing is downloaded."""
    from ..graph.datasets import datasets

    here = {d.name for d in datasets().values() if d.file is not None}
    return [name for name in names if not _row(name).is_data or name in here]


def _row(name: str) -> Registered:
    return registry().get(name) or Registered(name, "", {})


def family(name: str) -> str:
    """Return the family that a graph belongs to: its generator, or the kind of data set.

    >>> family("kronecker 16 8"), family("soc-Slashdot0902"), family("grid-60")
    ('kronecker', 'social', 'road')
    """
    row = _row(name)
    if not row.is_data:
        return (row.made or name).split()[0]
    return next((k for k, starts in FAMILIES.items() if name.startswith(starts)), "other")


def graph_named(name: str) -> Graph:
    """Make or load the graph of that name.

    >>> graph_named("tree 15 2").n, graph_named("uniform 15 2 directed").directed
    (15, True)
    """
    from ..graph import generate
    from ..graph.datasets import dataset

    row = _row(name)
    if row.is_data:
        return dataset(name)
    first, *given = (row.made or name).split()
    make: Callable[..., Graph] = FLOW_PROBLEMS.get(first) or getattr(generate, first)
    return make(**_options(row, first, given))


def _options(row: Registered, generator: str, given: list[str]) -> dict[str, object]:
    """The options of "road 300 300 [directed]", or of "kronecker scale=14 rng=2 weights=(0.0,1.0)"."""
    if row.made:
        return {key: literal_eval(text) for key, _, text in (word.partition("=") for word in given)}
    directed = {"directed": True} if given[-1:] == ["directed"] else {}
    values = [literal_eval(text) for text in given[: len(given) - len(directed)]]
    if len(values) != len(ARGUMENTS[generator]):
        raise InputError(f"{row.name!r}: {generator} takes {' '.join(ARGUMENTS[generator])}")
    options = {**dict(zip(ARGUMENTS[generator], values, strict=True)), "rng": SEED, **directed}
    return options if generator in FLOW_PROBLEMS else {**options, "weights": None}


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


def weighted(graph: Graph, rng: int = 1) -> Graph:
    """Return the graph without loops, and with weights: its own, or random whole ones from 1 to 255.

    Random weights are the same in both directions of an edge, and parallel edges become one.
    """
    from ..kernels.runtime import random

    if graph.weighted and not graph.self_loops:
        return graph
    source, target, weights = graph.to_edges()
    own = weights is not None
    drawn = weights if own else random.integers(rng, "weights", source.size, 1, 256)
    return Graph.from_edges(
        source, target, drawn, n=graph.n, directed=graph.directed,
        dedupe="keep" if own else "first", drop_self_loops=True,
    )  # fmt: skip


def about(name: str, graph: Graph) -> dict[str, str]:
    """Return what every record says about its graph."""
    return {"graph": name, "hash": hash_of(graph), "family": family(name)}


def hash_of(graph: Graph) -> str:
    """Return a hash of a graph's arcs and weights, for the card of a model."""
    contents = hashlib.sha256(repr((graph.n, graph.directed)).encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            contents.update(np.ascontiguousarray(array).data)
    return contents.hexdigest()[:16]
