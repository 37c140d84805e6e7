"""Tachograph runs graph algorithms fast and decides how to run them.

>>> import tachograph as tg
>>> g = tg.kronecker(scale=8, rng=1)
>>> g.n
256

Everything is loaded when it is first used, so that ``import tachograph`` takes little time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .util.errors import (
    DeviceError,
    FileFormatError,
    InputError,
    MissingDependencyError,
    MissingFileError,
    NegativeCycleError,
    TachographError,
    TachographWarning,
    TimeLimitError,
    TooLargeError,
    VerificationError,
)
from .util.names import NAMES

if TYPE_CHECKING:
    from . import scale
    from .algorithms.bfs import BfsResult, bfs
    from .algorithms.budget import Budget
    from .algorithms.centrality import (
        BetweennessResult,
        ClosenessResult,
        HarmonicResult,
        betweenness_centrality,
        closeness_centrality,
        harmonic_centrality,
    )
    from .algorithms.clustering import ClusteringResult, clustering
    from .algorithms.communities import CommunitiesResult, label_propagation, leiden, louvain
    from .algorithms.components import ComponentsResult, connected_components
    from .algorithms.cores import CoresResult, core_number
    from .algorithms.distances import DistancesResult, distances
    from .algorithms.flow import CutResult, FlowResult, maximum_flow, minimum_cut
    from .algorithms.independent_set import IndependentSetResult, maximal_independent_set
    from .algorithms.pagerank import PageRankResult, SpmvResult, pagerank, spmv
    from .algorithms.result import Result, Run, Trace
    from .algorithms.similar import SimilarResult, similar_to
    from .algorithms.similarity import (
        SimilarityResult,
        adamic_adar,
        cosine,
        jaccard,
        overlap,
        resource_allocation,
        sorensen,
    )
    from .algorithms.sssp import SsspResult, sssp
    from .algorithms.strong import StrongComponentsResult, strongly_connected_components
    from .algorithms.triangles import TrianglesResult, triangles
    from .decisions.approximation.rules import Approximation
    from .graph.datasets import dataset, datasets
    from .graph.features import Features
    from .graph.files import read, write
    from .graph.files.headed import read_coordinates, write_coordinates
    from .graph.generate import (
        bipartite,
        complete,
        disjoint_union,
        kronecker,
        path,
        power_law,
        preferential_attachment,
        road,
        small_world,
        star,
        tree,
        uniform,
    )
    from .graph.graph import Graph
    from .kernels.runtime.launch import threads
    from .simulation.accelerators.accugraph import AccuGraph
    from .simulation.accelerators.foregraph import ForeGraph
    from .simulation.accelerators.hitgraph import HitGraph
    from .simulation.accelerators.scalabfs import ScalaBFS
    from .simulation.accelerators.thundergp import ThunderGP
    from .simulation.dram.memory import Memory
    from .simulation.gpus.gpu import GPU
    from .simulation.machines import simulate
    from .tasks.plan import Plan, plan
    from .tasks.what_if import what_if
    from .util.limits import limits

__version__ = "0.1.0"

__all__ = [
    "GPU",
    "AccuGraph",
    "Approximation",
    "BetweennessResult",
    "BfsResult",
    "Budget",
    "ClosenessResult",
    "ClusteringResult",
    "CommunitiesResult",
    "ComponentsResult",
    "CoresResult",
    "CutResult",
    "DeviceError",
    "DistancesResult",
    "Features",
    "FileFormatError",
    "FlowResult",
    "ForeGraph",
    "Graph",
    "HarmonicResult",
    "HitGraph",
    "IndependentSetResult",
    "InputError",
    "Memory",
    "MissingDependencyError",
    "MissingFileError",
    "NegativeCycleError",
    "PageRankResult",
    "Plan",
    "Result",
    "Run",
    "ScalaBFS",
    "SimilarResult",
    "SimilarityResult",
    "SpmvResult",
    "SsspResult",
    "StrongComponentsResult",
    "TachographError",
    "TachographWarning",
    "ThunderGP",
    "TimeLimitError",
    "TooLargeError",
    "Trace",
    "TrianglesResult",
    "VerificationError",
    "__version__",
    "adamic_adar",
    "betweenness_centrality",
    "bfs",
    "bipartite",
    "closeness_centrality",
    "clustering",
    "complete",
    "connected_components",
    "core_number",
    "cosine",
    "dataset",
    "datasets",
    "disjoint_union",
    "distances",
    "harmonic_centrality",
    "jaccard",
    "kronecker",
    "label_propagation",
    "leiden",
    "limits",
    "louvain",
    "maximal_independent_set",
    "maximum_flow",
    "minimum_cut",
    "overlap",
    "pagerank",
    "path",
    "plan",
    "power_law",
    "preferential_attachment",
    "read",
    "read_coordinates",
    "resource_allocation",
    "road",
    "scale",
    "similar_to",
    "simulate",
    "small_world",
    "sorensen",
    "spmv",
    "sssp",
    "star",
    "strongly_connected_components",
    "threads",
    "tree",
    "triangles",
    "uniform",
    "what_if",
    "write",
    "write_coordinates",
]

# Where a name is found when it is first asked for.
_HOMES = {
    ".decisions.approximation.rules": ["Approximation"],
    ".algorithms.result": ["Result", "Run", "Trace"],
    ".algorithms.bfs": ["BfsResult"],
    ".algorithms.communities": ["CommunitiesResult"],
    ".algorithms.budget": ["Budget"],
    ".algorithms.centrality": ["BetweennessResult", "ClosenessResult", "HarmonicResult"],
    ".algorithms.clustering": ["ClusteringResult"],
    ".algorithms.components": ["ComponentsResult"],
    ".algorithms.cores": ["CoresResult"],
    ".algorithms.distances": ["DistancesResult"],
    ".algorithms.flow": ["CutResult", "FlowResult"],
    ".algorithms.independent_set": ["IndependentSetResult"],
    ".algorithms.pagerank": ["PageRankResult", "SpmvResult"],
    ".algorithms.similar": ["SimilarResult"],
    ".algorithms.similarity": ["SimilarityResult"],
    ".algorithms.sssp": ["SsspResult"],
    ".algorithms.strong": ["StrongComponentsResult"],
    ".algorithms.triangles": ["TrianglesResult"],
    ".kernels.runtime.launch": ["threads"],
    ".util.limits": ["limits"],
    ".tasks.road": list(NAMES),
    ".tasks.plan": ["Plan", "plan"],
    ".tasks.what_if": ["what_if"],
    ".graph.graph": ["Graph"],
    ".graph.features": ["Features"],
    ".graph.files": ["read", "write"],
    ".graph.files.headed": ["read_coordinates", "write_coordinates"],
    ".graph.datasets": ["dataset", "datasets"],
    ".graph.generate": [
        "bipartite",
        "complete",
        "disjoint_union",
        "kronecker",
        "path",
        "power_law",
        "preferential_attachment",
        "road",
        "small_world",
        "star",
        "tree",
        "uniform",
    ],
    ".scale": ["scale"],
    ".simulation.accelerators.accugraph": ["AccuGraph"],
    ".simulation.accelerators.foregraph": ["ForeGraph"],
    ".simulation.accelerators.scalabfs": ["ScalaBFS"],
    ".simulation.accelerators.hitgraph": ["HitGraph"],
    ".simulation.accelerators.thundergp": ["ThunderGP"],
    ".simulation.gpus.gpu": ["GPU"],
    ".simulation.machines": ["simulate"],
    ".simulation.dram.memory": ["Memory"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # checkers have the imports above, and find misspelled names

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            from .util.names import ALIASES
            from .util.text import did_you_mean

            near = did_you_mean(ALIASES.get(name, name), __all__)
            raise AttributeError(f"module 'tachograph' has no attribute {name!r}{near}")
        from .util.memory import enough

        with enough(f"tachograph.{name}"):
            home = importlib.import_module(_HOME[name], __name__)
        value = home if name == "scale" else getattr(home, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
