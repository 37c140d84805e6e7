"""The one table of tasks: the arguments that each needs, and the ways it can be run.

The public function's name is the task's name everywhere. The first way of a task is what a call without
options does; it decides by itself while it runs.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.result import Result
from ..graph.graph import Graph
from ..util.names import canonical

__all__ = ["ASIDE", "DEVICE", "TASKS", "Task", "Way", "task_named"]

DEVICE = "opencl"  # stands for the device that a plan is made for

#: Arguments that change neither the answer's meaning nor the work by much.
ASIDE = ("threads", "trace", "verify", "audit")


def _any_graph(graph: Graph) -> bool:
    return True


def _undirected(graph: Graph) -> bool:
    return not graph.directed


def _weighted(graph: Graph) -> bool:
    return graph.weighted


def _not_negative(graph: Graph) -> bool:
    weights = graph.features.weights
    return weights is not None and weights["min"] >= 0


@dataclass(frozen=True)
class Way:
    """Options that say how, not what; ``reason`` says when the way is good."""

    name: str
    reason: str
    options: Mapping[str, Any] = field(default_factory=dict)
    where: str = "host"  # "device", "both"
    accepts: Callable[[Graph], bool] = _any_graph

    def on(self, device: str) -> dict[str, Any]:
        """Return the options for a device."""

        def named(value: object) -> object:
            if isinstance(value, list):
                return [named(v) for v in value]
            return device if value == DEVICE else value

        return {name: named(value) for name, value in self.options.items()}


def _usual_work(arguments: Mapping[str, Any]) -> float | None:
    """Return 1 for a plain question; other questions are not modelled."""
    return None if arguments else 1.0


def _iterations(arguments: Mapping[str, Any]) -> float | None:
    """Return PageRank's largest number of iterations as a multiple of the usual one.

    The change shrinks at least by the factor ``damping`` in each iteration.
    """
    if arguments.keys() - {"damping", "tol", "max_iter"}:
        return None
    usual = {name: p.default for name, p in TASKS["pagerank"].parameters.items()}

    def count(damping: float, tol: float, max_iter: int) -> float:
        if not (0 < damping < 1 and tol > 0):
            return max_iter
        return min(max_iter, max(1.0, math.log(min(tol, 0.5)) / math.log(damping)))

    names = ("damping", "tol", "max_iter")
    asked = count(*(arguments.get(name, usual[name]) for name in names))
    return asked / count(*(usual[name] for name in names))


def _turns(arguments: Mapping[str, Any]) -> float | None:
    """Return Leiden's number of iterations as a multiple of the usual one."""
    if arguments.keys() - {"iterations"}:
        return None
    usual = TASKS["leiden"].parameters["iterations"].default
    return float(arguments.get("iterations", usual) / usual)


@dataclass(frozen=True)
class Task:
    """A public function: the arguments it needs, the ways it can be run, and how much work it is."""

    name: str
    home: str  # the module of its function
    ways: tuple[Way, ...]
    needs: tuple[str, ...] = ()  # arguments that must be given
    chooses: tuple[str, ...] = ()  # options that say how, beside those of the ways
    neutral: tuple[str, ...] = ()  # arguments that change the answer, but not the work
    work: Callable[[Mapping[str, Any]], float | None] = _usual_work  # a multiple of the usual work

    @functools.cached_property
    def function(self) -> Callable[..., Result]:
        """The algorithm's function."""
        module = importlib.import_module(f"..algorithms.{self.home}", __package__)
        made: Callable[..., Result] = getattr(module, self.name)
        return made

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The signature of its function."""
        return inspect.signature(self.function)

    @functools.cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of its function, without the graph."""
        return dict(list(self.signature.parameters.items())[1:])

    @functools.cached_property
    def positional(self) -> tuple[str, ...]:
        """The names of the parameters that may be given by position."""
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return tuple(name for name, p in self.parameters.items() if p.kind is either)

    @functools.cached_property
    def how(self) -> frozenset[str]:
        """The options that choose a way; the number of threads is not one."""
        named = {name for way in self.ways for name in way.options}
        return frozenset(named | set(self.chooses)) - {"threads"}


BUDGETED = ("max_error", "confidence", "rng")  # a budget, and the seed of samples
ONE_THREAD = Way("one thread", "leaves the other cores alone", {"threads": 1})
ROUNDS = (
    Way("rounds", "in rounds of kernels, as a device would", {"device": "host"}),
    Way("device", "each kernel of each round on host or device", {"device": DEVICE}, "both"),
)
SIMILARITY = (
    Way("host", "all cores", {"device": "host"}),
    Way("device", "all edges there", {"device": DEVICE}, "device", _undirected),
    Way(
        "both",
        "both take edges from the two ends of one queue until they meet",
        {"device": ["host", DEVICE]},
        "both",
        _undirected,
    ),
)


def _sssp_way(
    name: str, reason: str, accepts: Callable[[Graph], bool], where: str = "host", **options: str
) -> Way:
    return Way(name, reason, options or {"algorithm": name}, where, accepts)


TASKS = {
    task.name: task
    for task in (
        Task(
            "bfs",
            "bfs",
            (
                Way("auto", "pushes or pulls at every level, whichever is predicted to be faster"),
                Way("surf", "a small neural network chooses the direction", {"direction": "surf"}),
                Way("push", "follows arcs forwards at every level", {"direction": "push"}),
                ONE_THREAD,
                Way("device", "all levels there", {"device": DEVICE}, "device"),
            ),
            needs=("source",),
            neutral=("source", "deterministic"),
        ),
        Task(
            "sssp",
            "sssp",
            (
                Way("auto", "delta-stepping; without weights a breadth-first search"),
                _sssp_way("bellman-ford", "few rounds, if paths have few arcs", _weighted),
                _sssp_way("dijkstra", "settles every vertex once", _not_negative),
                _sssp_way("hybrid", "Bellman-Ford first, then Dijkstra", _weighted),
                _sssp_way(
                    "device",
                    "Bellman-Ford there",
                    _not_negative,
                    "device",
                    device=DEVICE,
                    algorithm="bellman-ford",
                ),
            ),
            needs=("source",),
            chooses=("delta", "faithful"),
            neutral=("source", "max_error", "confidence"),
        ),
        Task(
            "pagerank",
            "pagerank",
            (
                Way("auto", "every iteration reads all arcs once, on all cores"),
                ONE_THREAD,
                Way("device", "all iterations there", {"device": DEVICE}, "device"),
            ),
            neutral=("personalization",),
            work=_iterations,
        ),
        Task(
            "connected_components",
            "components",
            (
                Way("auto", "joins samples first, so that few arcs are looked at"),
                ONE_THREAD,
                Way("device", "likewise, there", {"device": DEVICE}, "device"),
            ),
            neutral=("consecutive",),
        ),
        Task(
            "strongly_connected_components",
            "strong",
            (
                Way("auto", "searches both ways for the large one; one pass finds the rest"),
                ONE_THREAD,
            ),
            neutral=("consecutive",),
        ),
        Task(
            "distances",
            "distances",
            (
                Way("auto", "256 searches at once, a bit for each; with weights one on each core"),
                ONE_THREAD,
            ),
            needs=("source",),
        ),
        Task(
            "core_number",
            "cores",
            (Way("auto", "removes vertices with few neighbours, on all cores"), ONE_THREAD),
        ),
        Task(
            "leiden",
            "communities",
            (Way("auto", "moves vertices in batches, so that threads change nothing"), ONE_THREAD),
            neutral=("rng", "resolution"),
            work=_turns,
        ),
        Task(
            "louvain",
            "communities",
            (Way("auto", "as leiden, once and without refinement"), ONE_THREAD),
            neutral=("rng", "resolution"),
        ),
        Task(
            "label_propagation",
            "communities",
            (Way("auto", "takes the label that most neighbours have"), ONE_THREAD),
            neutral=("rng",),
        ),
        Task(
            "triangles",
            "triangles",
            (Way("auto", "marks the neighbours of each vertex"),),
            neutral=BUDGETED,
        ),
        Task(
            "clustering",
            "clustering",
            (Way("auto", "counts the triangles at each vertex"),),
            neutral=BUDGETED,
        ),
        *(
            Task(
                f"{name}_centrality",
                "centrality",
                (Way("auto", "searches from 256 vertices at once, a bit for each"),),
                neutral=BUDGETED,
            )
            for name in ("closeness", "harmonic")
        ),
        Task(
            "betweenness_centrality",
            "centrality",
            (Way("auto", "counts paths level by level, from the side with fewer arcs"),),
            neutral=BUDGETED,
        ),
        *(
            Task(
                name,
                "similarity",
                SIMILARITY,
                chooses=("split", "algorithm"),
                neutral=("memory_limit",),
            )
            for name in ("jaccard", "cosine", "overlap", "sorensen")
        ),
        *(
            Task(
                name,
                "similarity",
                (Way("auto", "sums over common neighbours, on all cores"), ONE_THREAD),
                neutral=("memory_limit",),
            )
            for name in ("adamic_adar", "resource_allocation")
        ),
        Task(
            "similar_to",
            "similar",
            (Way("auto", "compares with the neighbours of neighbours only"),),
            needs=("source",),
            neutral=("source", "k", "measure"),
        ),
        Task(
            "maximal_independent_set",
            "independent_set",
            (Way("auto", "takes vertices in one pass, once their neighbours are decided"), *ROUNDS),
            chooses=("placement", "overlap", "hot", "producer", "helping"),
            neutral=("rng",),
        ),
        Task(
            "maximum_flow",
            "flow",
            (Way("auto", "preflow-push from the end that promises less work"), *ROUNDS),
            needs=("source", "sink"),
            chooses=("placement",),
            neutral=("source", "sink", "capacity"),
        ),
        Task(
            "minimum_cut",
            "flow",
            (Way("auto", "preflow-push, without the flow that proves the cut"),),
            needs=("source", "sink"),
            neutral=("source", "sink", "capacity"),
        ),
        Task(
            "spmv",
            "pagerank",
            (Way("auto", "reads all arcs once, on all cores"),),
            needs=("vector",),
            neutral=("vector",),
        ),
    )
}


def task_named(name: str) -> Task:
    """Return the task of that name or alias.

    >>> task_named("wcc").name
    'connected_components'
    """
    return TASKS[canonical(name)]
