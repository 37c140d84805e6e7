"""A graph algorithm on a simulated accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.result import Result, Trace
from ...graph.graph import Graph
from ...util.errors import InputError
from ..dram import Memory
from ..dram.statistics import collect
from ..streams import Engine, PhaseResult
from .base import Accelerator
from .layout import Layout
from .problem import Problem, problem

if TYPE_CHECKING:
    from ..dram import MemoryResult

__all__ = ["EXPECTED_ERROR", "Simulation", "simulate"]

# Mean error against hardware that the paper reports, in per cent (of SSSP: from its Table 5).
EXPECTED_ERROR = {"wcc": 9.0, "sssp": 64.3}
MEAN_ERROR = 14.3
NAMES = {"bfs": "levels", "sssp": "distances", "wcc": "labels", "pagerank": "scores",
         "spmv": "values"}  # fmt: skip


class Simulation(Result):
    """What an accelerator would have done. All of it is simulated.

    ``seconds`` are the accelerator's; ``reps`` are edges read in all iterations per second, as the
    paper defines them, ``teps`` the graph's edges per second; ``expected_error`` is the mean error of
    the method against hardware in per cent. ``requests`` counts by kind, ``memory`` has the statistics
    of the DRAM, ``trace`` those of each phase; ``rate`` is how many requests this machine simulated
    in a second.
    """

    iterations: int
    requests: dict[str, int]
    memory: MemoryResult
    parameters: dict[str, Any]
    expected_error: float
    reps: float
    teps: float
    rate: float
    accelerator: str

    def __repr__(self) -> str:
        return (
            f"Simulation({self.task} on {self.accelerator}, {self.seconds * 1e3:.4g} ms "
            f"± {self.expected_error:.0f} % simulated, {self.iterations} iterations, "
            f"{self.memory.requests:,} requests, {self.memory.gbps:.2f} GB/s)"
        )


def simulate(
    algorithm: str,
    graph: Graph,
    accelerator: Accelerator,
    memory: Memory | str | None = None,
    *,
    source: int | None = None,
    iterations: int | None = None,
    along_arcs: bool = False,
    damping: float = 0.85,
) -> Simulation:
    """Run an algorithm on a simulated accelerator, by its memory requests.

    Parameters
    ----------
    algorithm
        ``"bfs"``, ``"sssp"``, ``"wcc"``, ``"pagerank"`` or ``"spmv"`` (of ones, along the edges).
    graph
        An undirected graph has two edges for each of its own; without weights all are 1.
    accelerator
        Such as ``tg.HitGraph()`` or ``tg.AccuGraph(partition_size=1_000_000)``.
    memory
        A :class:`tachograph.Memory`, or the name of one; None: the accelerator's own.
    source
        Of ``bfs`` and ``sssp``.
    iterations
        How many of ``pagerank`` and ``spmv`` (default 1); at most how many of the others.
    along_arcs
        Let ``wcc`` pass labels along the arcs of a directed graph; the result is then not the
        components, but for each vertex the smallest id that has a path to it.
    damping
        Of ``pagerank``.

    Returns
    -------
    Simulation
        ``seconds``, ``iterations``, ``requests``, ``memory`` (statistics of the DRAM), the values
        (``levels``, ``distances``, ``labels``, ``scores`` or ``values``, as the exact algorithms give
        them), ``reps``, ``teps``, ``parameters``, ``expected_error`` and a trace of the phases.

    Raises
    ------
    InputError
        If the accelerator cannot do that, its on-chip memory is too small for a partition, or the
        simulated memory for the graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(scale=8, rng=1)
    >>> result = tg.simulate("wcc", g, tg.AccuGraph(), "DDR4-2400R")
    >>> bool((result.labels == tg.connected_components(g).labels).all())
    True
    >>> sorted(result.requests)
    ['neighbours', 'pointers', 'prefetch', 'values', 'writes']
    >>> result.provenance
    'simulated'
    """
    from ...kernels.runtime.launch import clock

    _check(algorithm, graph, accelerator)
    begin = clock()
    chosen = accelerator.memory() if memory is None else memory
    chosen = Memory(chosen) if isinstance(chosen, str) else chosen
    work, labels = _permuted(graph, accelerator.permute_ids)
    task = problem(algorithm, work, source, iterations, along_arcs, damping, labels)
    layout = Layout(chosen)
    engine = Engine(chosen, accelerator.clock_mhz, accelerator.banks)
    done = [engine.run(phase) for phase in accelerator.phases(task, layout)]
    cycles = max(1, engine.finish())
    values = np.empty_like(task.values)
    values[labels] = task.values
    width = accelerator.width(algorithm)
    if algorithm == "bfs" and values[np.isfinite(values)].max(initial=0) >= 256**width - 1:
        raise InputError(
            f"levels above {256**width - 2} do not fit the {8 * width} bits of a value: set "
            "value_bits=32"
        )
    stats = collect(chosen, engine.state, cycles)
    return _result(task, accelerator, stats, done, layout, values, clock() - begin)


def _check(algorithm: str, graph: Graph, accelerator: Accelerator) -> None:
    name = type(accelerator).__name__
    if not isinstance(accelerator, Accelerator):
        raise InputError(f"{accelerator!r} is not an accelerator: give one such as tg.AccuGraph()")
    if algorithm not in accelerator.algorithms:
        known = ", ".join(accelerator.algorithms)
        raise InputError(f"{name} does not run {algorithm!r}; it runs {known}")
    if graph.weighted and not accelerator.weights:
        raise InputError(
            f"{name} reads edges without weights, but the graph has some: drop them, as with "
            "tg.Graph.from_csr(g.indptr, g.indices, directed=g.directed), or use another accelerator"
        )


def _permuted(graph: Graph, seed: int | None) -> tuple[Graph, np.ndarray]:
    """The graph with its vertices renumbered, and what each was called before."""
    if seed is None or not graph.n:
        return graph, np.arange(graph.n)
    labels = np.random.default_rng(seed).permutation(graph.n)
    new = np.empty_like(labels)
    new[labels] = np.arange(graph.n)
    sources = new[np.repeat(np.arange(graph.n), graph.degrees)]
    made = Graph.from_edges(sources, new[graph.indices], graph.weights, n=graph.n,
                            directed=graph.directed, symmetrize=False)  # fmt: skip
    return made, labels


def _values(algorithm: str, values: np.ndarray) -> np.ndarray:
    """As the exact algorithm gives them."""
    if algorithm == "bfs":
        return np.where(np.isfinite(values), values, -1).astype(np.int32)
    if algorithm == "wcc":
        return values.astype(np.int64 if values.size > 2**31 - 1 else np.int32)
    return values


def _result(
    task: Problem,
    accelerator: Accelerator,
    stats: MemoryResult,
    done: list[PhaseResult],
    layout: Layout,
    values: np.ndarray,
    wall: float,
) -> Simulation:
    tick = stats.seconds / stats.cycles
    requests: dict[str, int] = {}
    for phase in done:
        for kind, many in phase.requests.items():
            requests[kind] = requests.get(kind, 0) + many
    edges = task.graph.arcs
    fields = ("reads", "writes", "row_hits", "row_misses", "row_conflicts")
    trace = {
        "iteration": [p.iteration for p in done],
        "phase": [p.name for p in done],
        "seconds": [(p.end - p.begin) * tick for p in done],
        **{name: [getattr(p, name) for p in done] for name in fields},
    }
    return Simulation(
        task.algorithm,
        {
            NAMES[task.algorithm]: _values(task.algorithm, values),
            "iterations": task.done,
            "requests": requests,
            "memory": stats,
            "accelerator": type(accelerator).__name__,
            "parameters": accelerator.settings,
            "expected_error": EXPECTED_ERROR.get(task.algorithm, MEAN_ERROR),
            "reps": edges * task.done / stats.seconds,
            "teps": edges / stats.seconds,
            "bytes": stats.bytes,
            "memory_used": layout.bytes,
            "rate": stats.requests / wall,
        },
        seconds=stats.seconds,
        trace=Trace(trace),
        provenance="simulated",
    )
