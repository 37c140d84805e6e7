"""How far the fast path is from the simulator: the same searches, predicted and simulated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ....algorithms.bfs import bfs
from ....decisions.direction.train import sources_of
from ....graph.graph import Graph
from ....util.cores import threads_available
from ....util.executor import Executor, Local, results
from ..analytic import PART_OF_GRAPH, predict_search
from ..gpu import GPU
from ..simulate import LAUNCH_BOUND_SHARE, simulate
from .graphs import KNOWN
from .runs import GPUS

__all__ = ["Compared", "beside_simulator", "compared", "everybody"]

#: A road, meshes, Kronecker graphs, and what stands in for a web graph and for social networks.
COMPARED = (
    *("luxembourg_osm", "delaunay_n16", "delaunay_n18", "kron_g500-logn16", "kron_g500-logn18"),
    *("indochina-2004", "hollywood-2009", "soc-LiveJournal1"),
)


class Compared(NamedTuple):
    """A search: predicted over simulated seconds, for its source and for sources like it."""

    dataset: str
    gpu: str
    direction: str
    launch_bound: bool
    ratio: float
    without_source: float


def beside_simulator(executor: Executor | None = None) -> list[Compared]:
    """Search each graph from one vertex on each GPU that has runs, pushing only and as it is best."""
    with everybody(executor) as crew:
        found = results(crew, compared, [{"dataset": dataset} for dataset in COMPARED])
    return [each for those in found for each in those]


def compared(dataset: str) -> list[Compared]:
    """The same for one graph."""
    graph, found = KNOWN[dataset].load(), []
    source = _far_reaching(graph)
    for gpu in map(GPU, GPUS.values()):
        for direction in ("push", "auto"):
            run = simulate("bfs", graph, gpu, source=source, direction=direction)
            bound = float(run.trace["launch"].sum()) > LAUNCH_BOUND_SHARE * run.seconds
            ratios = [
                predict_search(graph, gpu, start, direction)["seconds"] / run.seconds
                for start in (source, None)
            ]
            found.append(Compared(dataset, gpu.name, direction, bound, *ratios))
    return found


@contextmanager
def everybody(given: Executor | None) -> Iterator[Executor]:
    """Give this executor, or by default a process for each core of this machine."""
    if given is not None:
        yield given
        return
    with Local(threads_available(), threads=1) as here:
        yield here


def _far_reaching(graph: Graph) -> int:
    """Return the first vertex, in a fixed order at random, that reaches a good part of the graph."""
    every = sources_of(graph, 16, seed=3).tolist()
    for source in every:
        if (bfs(graph, source, trace=False).levels >= 0).mean() >= PART_OF_GRAPH:
            return int(source)
    return int(every[0])
