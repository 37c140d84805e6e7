"""Which graphs the direction is learned from, and which ones it is judged on.

A graph is named by a generator and its arguments ("kronecker 16 8"), or is a data set. None of
``UNSEEN`` is ever used to fit a model, nor to choose between models.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...graph.graph import Graph
from ...util.errors import InputError

__all__ = ["FAMILIES", "TRAINING", "UNSEEN", "family", "graph_named", "present"]

# fmt: off
GENERATED = (
    "kronecker 12 8", "kronecker 14 32", "kronecker 16 4", "kronecker 16 16", "kronecker 18 8",
    "kronecker 18 24", "kronecker 19 12",
    "uniform 16000 6", "uniform 60000 3", "uniform 120000 32", "uniform 250000 8", "uniform 500000 16",
    "uniform 800000 4",
    "road 120 120", "road 300 300", "road 80 2500", "road 600 600", "road 900 900",
    "power_law 30000 2.1 2", "power_law 100000 2.3 4", "power_law 300000 2.2 1",
    "power_law 200000 2.8 8", "power_law 500000 3.0 3",
    "preferential_attachment 20000 8", "preferential_attachment 150000 4",
    "preferential_attachment 300000 16",
    "small_world 30000 5 0.1", "small_world 100000 3 0.01", "small_world 200000 8 0.3",
    "small_world 400000 4 0.05",
    "tree 100000 2", "tree 400000 8", "tree 300000 64", "bipartite 50000 200000 12",
    "bipartite 150000 3000 6",
)
REAL = (
    "soc-Slashdot0902", "email-Enron", "cit-HepPh", "uk-2007-05@100000", "socfb-MIT8",
    "socfb-JohnsHopkins55", "debian-bookworm-depends", "USA-road-topology.NY", "USA-road-topology.FLA",
    "delaunay_n16", "wing", "ca-AstroPh", "as-caida20071105", "wiki-Vote", "ego-Facebook",
    "tntp-ChicagoRegional",
)
TRAINING = GENERATED + REAL
UNSEEN = (
    "kronecker 17 20", "kronecker 20 16", "uniform 1048576 16", "uniform 200000 12", "road 700 700",
    "power_law 250000 2.4 3", "small_world 250000 6 0.1", "tree 500000 4",
    "soc-Epinions1", "web-NotreDame", "cnr-2000", "dblp-2010", "socfb-Cornell5", "cit-HepTh",
    "npm-2017-dependents", "p2p-Gnutella31", "copter2", "luxembourg_osm", "USA-road-topology.COL",
    "USA-road-topology.NW", "astro-ph", "PGPgiantcompo",
)
# fmt: on
ARGUMENTS = {
    "kronecker": ("scale", "edge_factor"),
    "uniform": ("n", "degree"),
    "road": ("rows", "columns"),
    "power_law": ("n", "exponent", "least"),
    "preferential_attachment": ("n", "degree"),
    "small_world": ("n", "degree", "rewired"),
    "tree": ("n", "branching"),
    "bipartite": ("left", "right", "degree"),
}
# What kind of graph a data set is; a family is left out as a whole to see what novelty costs.
FAMILIES = {
    "social": ("soc-", "socfb-", "ego-", "email-", "wiki-", "PGP"),
    "citation": ("cit-", "ca-", "astro-", "dblp-", "hep-"),
    "web": ("uk-2007", "cnr-", "web-"),
    "software": ("debian-", "npm-"),
    "road": ("USA-road", "luxembourg", "tntp-"),
    "mesh": ("delaunay", "wing", "copter"),
    "internet": ("as-", "p2p-"),
}


def family(name: str) -> str:
    """The family that a graph belongs to.

    >>> family("kronecker 16 8"), family("soc-Slashdot0902")
    ('kronecker', 'social')
    """
    first = name.split()[0]
    if first in ARGUMENTS:
        return first
    found = [k for k, starts in FAMILIES.items() if any(name.startswith(s) for s in starts)]
    return found[0] if found else "other"


def present(names: Iterable[str]) -> list[str]:
    """Those that are generated or on this machine; nothing is downloaded."""
    from ...graph.datasets import datasets

    here = {d.name for d in datasets().values() if d.file is not None}
    return [name for name in names if name.split()[0] in ARGUMENTS or name in here]


def graph_named(name: str) -> Graph:
    """The graph of that name: a generated one ("directed" may stand last), or a data set.

    >>> graph_named("tree 15 2").n, graph_named("uniform 15 2 directed").directed
    (15, True)
    """
    from ...graph import generate
    from ...graph.datasets import dataset

    first, *given = name.split()
    if first not in ARGUMENTS:
        return dataset(name)
    arrows = {"directed": True} if given[-1:] == ["directed"] else {}
    given = given[: len(given) - len(arrows)]
    if len(given) != len(ARGUMENTS[first]):
        raise InputError(f"{name!r}: {first} takes {' '.join(ARGUMENTS[first])}")
    values = [float(g) if "." in g else int(g) for g in given]
    options = dict(zip(ARGUMENTS[first], values, strict=True))
    made: Graph = getattr(generate, first)(rng=7, weights=None, **options, **arrows)
    return made
