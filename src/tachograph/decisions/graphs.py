"""Every graph that a decision is fitted to, tuned by or tested on, and what has seen which.

A row of ``graphs.csv`` has a graph's name, its family, the hash of its rows, how it is made, and for
each fork its part: ``fit`` (models are fitted to it), ``tune`` (a constant or a guard may have been
chosen by looking at it), ``test`` (nothing ever was), or nothing. A graph is a data set, a generator
with its arguments ("kronecker 16 8", "uniform 15 2 directed"), what ``made`` says, or a file.

A row of ``constants.csv`` has a constant that was chosen by somebody, the fork that it belongs to, and
the graphs that were looked at: their names, ``none``, or ``not recorded``. The latter may have seen
every graph of the table when it was chosen, but no graph that entered it later as a test.
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

from ..graph.files import read as read_graph
from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.files import is_file
from .generators import FLOW_PROBLEMS, TEST_FAMILIES
from .model_file import own_model, read, shipped_model

__all__ = ["PARTS", "Constant", "Registered", "about", "constants", "family", "graph_named"]
__all__ += ["exists", "hash_of", "names_of", "present", "registry", "seen_by", "weighted"]

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
    "block_model": ("n", "blocks", "inside", "outside"),
    "geometric": ("n", "degree"),
    "delaunay": ("n",),
    "hyperbolic": ("n", "degree", "exponent"),
    "layers": ("levels", "width"),
    "kronecker_flow": ("scale",),
}


class Registered(NamedTuple):
    """A row of the table."""

    name: str
    family: str  # is left out as a whole to see what novelty costs
    hash: str
    made: str  # a generator and its options; "" if the name says it all
    parts: dict[str, str]  # by fork

    @property
    def is_data(self) -> bool:
        """Whether the graph is a data set, and not generated."""
        return not self.made and self.name.split()[0] not in ARGUMENTS


class Constant(NamedTuple):
    """A number in the code that somebody chose: where it is, and which graphs were looked at."""

    constant: str  # as "package/module.py NAME", below the package
    fork: str
    graphs: tuple[str, ...]
    why: str

    @property
    def recorded(self) -> bool:
        """Whether it is known which graphs were looked at."""
        return self.graphs != ("not recorded",)


def _rows(file: str) -> list[dict[str, str]]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@lru_cache(1)
def registry() -> dict[str, Registered]:
    """Return all rows of the table by name."""
    made = {}
    for row in _rows("graphs.csv"):
        name, kind, mark, how = (row.pop(field) for field in ("name", "family", "hash", "made"))
        made[name] = Registered(name, kind, mark, how, {k: v for k, v in row.items() if v})
    return made


@lru_cache(1)
def constants() -> tuple[Constant, ...]:
    """Return the constants that were chosen, and what they have seen."""
    return tuple(
        Constant(r["constant"], r["fork"], tuple(r["graphs"].split("; ")), r["why"])
        for r in _rows("constants.csv")
    )


def seen_by(fork: str, name: str) -> list[str]:
    """Return what of a fork has seen a graph: ``the model``, and constants by name.

    >>> seen_by("approximation", "cnr-2000"), seen_by("direction", "delaunay 100000")
    (['FLAT_HOPS', 'TRIES_IN_VAIN'], [])
    """
    own = own_model(fork)
    path = own if own.exists() else shipped_model(fork)
    card = read(path, fork).card["graphs"] if path.exists() else {}
    found = ["the model"] * (name in card)
    return found + [
        c.constant.split()[1] for c in constants() if c.fork == fork and name in c.graphs
    ]


def names_of(fork: str, *parts: str) -> list[str]:
    """Return the graphs that have one of these parts for a fork, in the order of the table.

    >>> "cnr-2000" in names_of("approximation", "tune")
    True
    """
    return [row.name for row in registry().values() if row.parts.get(fork) in parts]


def present(names: Iterable[str]) -> list[str]:
    """Keep the graphs that are generated, files, or on this machine; nothing is downloaded."""
    from ..graph.datasets import datasets

    here = {d.name for d in datasets().values() if d.file is not None}
    return [n for n in names if not _row(n).is_data or n in here or is_file(n)]


def exists(name: str) -> bool:
    """Return whether :func:`graph_named` has something to make or load, here.

    >>> exists("kronecker 16 8"), exists("no-such-graph")
    (True, False)
    """
    from ..graph.datasets import datasets

    row = _row(name)
    own = {d.name for d in datasets().values() if d.file is not None}
    return not row.is_data or name in own or is_file(name)


def _row(name: str) -> Registered:
    if not name.split():
        raise InputError("a graph has no name: give files, data sets or generators")
    made = name.split()[0] in ARGUMENTS
    return registry().get(name) or Registered(
        name, name.split()[0] if made else "other", "", "", {}
    )


def family(name: str) -> str:
    """Return the family that a graph belongs to: its generator, or the kind of data set.

    >>> family("kronecker 16 8"), family("soc-Slashdot0902"), family("grid-60")
    ('kronecker', 'social', 'road')
    """
    return _row(name).family


def graph_named(name: str) -> Graph:
    """Make or load the graph of that name.

    >>> graph_named("tree 15 2").n, graph_named("uniform 15 2 directed").directed
    (15, True)
    """
    from ..graph import generate
    from ..graph.datasets import dataset

    row = _row(name)
    if row.is_data and is_file(name):
        return read_graph(name)
    if row.is_data:
        try:
            return dataset(name)
        except InputError as error:
            file = f"there is no file {name}, and " if Path(name).suffix or "/" in name else ""
            raise InputError(f"{file}{error}") from None
    first, *given = (row.made or name).split()
    make: Callable[..., Graph] = (FLOW_PROBLEMS | TEST_FAMILIES).get(first) or getattr(
        generate, first
    )
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
    plain = generator in FLOW_PROBLEMS or generator in TEST_FAMILIES
    return options if plain else {**options, "weights": None}


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
