"""Graph tasks on simulated GPUs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms.bfs import vertices
from ...algorithms.result import Trace
from ...decisions.approximation.rules import EXACT, Approximation
from ...graph.graph import Graph
from ...kernels.runtime.launch import clock
from ...util.errors import InputError
from ...util.names import canonical
from . import bfs as search
from .chip import Chip, shares
from .constants import QUEUED_US, errors_of, origin_of
from .gpu import GPU, gpu_named
from .policy import chosen
from .result import Band, GpuSimulation
from .rounds import independent, preflow
from .similarity import by_search
from .sssp import bellman_ford
from .warps import BALANCES

__all__ = ["PROGRAMS", "band_of", "fast_path_band", "sent_bytes", "simulate", "timed"]

OF_SEARCHES = ("frontier_vertices", "frontier_edges", "unvisited")
#: Levels take more than this share of the time: the run waits for launches.
LAUNCH_BOUND_SHARE = 0.5
#: How ``constants.toml`` calls what is known of a GPU, the best known first.
SEEN = {"gpu": "GPU seen", "architecture": "architecture seen", "every": "GPU unseen"}
TIMES = ("seconds", "launch", "issue", "l2", "dram")
VALIDATED = ("bfs", "sssp")
UNLIKE = "GPU unlike those with runs"
VALIDATED_BALANCE = "balanced"  # the mode of the published runs whose errors are known


@dataclass(frozen=True)
class Question:
    """What a program is told."""

    task: str
    source: int | None = None
    sink: int | None = None
    direction: Any = "auto"
    approximation: Approximation = EXACT
    rng: int = 0

    def start(self, graph: Graph) -> int:
        """Return the vertex to begin at."""
        if self.source is None:
            raise InputError(f"{self.task} needs a source, such as source=0")
        first = vertices(graph, self.source, "source")
        if first.size != 1:
            raise InputError("a simulated GPU begins at one vertex")
        return int(first[0])


Program = Callable[[Chip, Question], dict[str, Any]]


def _bfs(chip: Chip, question: Question) -> dict[str, Any]:
    first = question.start(chip.graph)
    policy = chosen(question.direction, chip.gpu, chip.graph)
    return {"levels": search.search(chip, first, policy)}


def _sssp(chip: Chip, question: Question) -> dict[str, Any]:
    first = question.start(chip.graph)
    return {"distances": bellman_ford(chip, first, question.approximation)}


def _similarity(chip: Chip, question: Question) -> dict[str, Any]:
    return by_search(chip, question.task)


def _independent(chip: Chip, question: Question) -> dict[str, Any]:
    return independent(chip, question.rng)


def _flow(chip: Chip, question: Question) -> dict[str, Any]:
    return preflow(chip, question.source, question.sink)


#: The tasks whose device kernels have request generators.
PROGRAMS: dict[str, Program] = {
    "bfs": _bfs,
    "sssp": _sssp,
    **dict.fromkeys(("jaccard", "cosine", "overlap", "sorensen"), _similarity),
    "maximal_independent_set": _independent,
    "maximum_flow": _flow,
}


WEIGHTED = ("sssp", "maximum_flow")  # whose weights are on the GPU, too


def simulate(
    task: str,
    graph: Graph,
    gpu: GPU | str,
    *,
    balance: str = "balanced",
    source: int | None = None,
    sink: int | None = None,
    direction: Any = "auto",
    approximation: Approximation = EXACT,
    rng: int = 0,
) -> GpuSimulation:
    """Run a task on a simulated GPU, by the sectors that its warps ask for.

    Parameters
    ----------
    task
        ``"bfs"``, ``"sssp"`` (Bellman-Ford), a similarity such as ``"jaccard"``,
        ``"maximal_independent_set"`` or ``"maximum_flow"`` (in rounds of kernels).
    graph
        The graph; it must fit into the GPU's memory.
    gpu
        A name of the catalogue (``tacho gpus``), the path of a TOML file, or a :class:`GPU`.
    balance
        How ``bfs`` and ``sssp`` give work to warps: ``"vertex"`` (a work-item for each vertex),
        ``"warp"`` (a warp for each vertex), ``"balanced"`` (32 arcs for each warp) or ``"degree"`` (a
        warp for each long row, a work-item for each short one).
    source, sink
        Where a search or a flow begins, and where a flow ends.
    direction
        What chooses between push and pull in ``bfs``: ``"auto"`` takes what is predicted to be
        faster on this GPU; others are the names of policies, and functions of the state.
    approximation
        What ``sssp`` leaves out.
    rng
        The seed of an independent set.

    Returns
    -------
    GpuSimulation
        Exact values, simulated seconds, how far they may be off, and a trace of the launches.

    Raises
    ------
    InputError
        For a GPU that is not known, a task without generators, a graph that does not fit.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(8, rng=1)
    >>> found = tg.simulate("bfs", g, "v100", source=1)
    >>> bool((found.levels == tg.bfs(g, 1).levels).all()), found.provenance
    (True, 'simulated')
    """
    name, begin = canonical(task), clock()
    if name not in PROGRAMS:
        raise InputError(
            f"no GPU kernels of {task!r} can be simulated: choose {', '.join(PROGRAMS)}"
        )
    if balance not in BALANCES:
        raise InputError(f"balance = {balance!r}: choose {', '.join(BALANCES)}")
    if not isinstance(approximation, Approximation):
        raise InputError(f"approximation = {approximation!r}: give a tg.Approximation")
    if not isinstance(rng, int | np.integer):
        raise InputError(f"rng = {rng!r}: a simulated GPU needs a whole number")
    chip = Chip(gpu_named(gpu), graph, balance)
    question = Question(name, source, sink, direction, approximation, rng)
    values = PROGRAMS[name](chip, question)
    trace = timed(chip)
    seconds, launch = (float(trace[k].sum()) for k in ("seconds", "launch"))
    for value in values.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    accesses = float(trace["sectors"].sum()) if len(trace) else 0.0
    answer = sum(v.nbytes for v in values.values() if isinstance(v, np.ndarray))
    return GpuSimulation(
        task=name,
        gpu=chip.gpu.name,
        seconds=seconds,
        copy_seconds=chip.gpu.copy_seconds(sent_bytes(name, graph)) + chip.gpu.copy_seconds(answer),
        iterations=int(trace["iteration"].max(initial=-1)) + 1 if len(trace) else 0,
        band=band_of(
            name,
            graph,
            chip.gpu,
            launch,
            seconds,
            published=balance == VALIDATED_BALANCE and approximation == EXACT,
        ),
        trace=trace,
        values=values,
        memory_used=chip.used,
        accesses_per_second=accesses / max(clock() - begin, 1e-9),
    )


def sent_bytes(task: str, graph: Graph) -> int:
    """Return the bytes of a graph that a task needs on the GPU; searches pull over the transpose."""
    weights = graph.weights if task in WEIGHTED else None
    size = sum(a.nbytes for a in (graph.indptr, graph.indices, weights) if a is not None)
    return 2 * size if task == "bfs" and graph.directed else size


def timed(chip: Chip) -> Trace:
    """Return the chip's launches with their simulated seconds."""
    if not chip.rows:
        return Trace({name: np.empty(0) for name in ("iteration", "kernel", *TIMES)})
    counts = chip.counts()
    parts = shares(chip.gpu, chip.constants, counts)
    kernels = [row["kernel"] for row in chip.rows]
    launch = np.array([chip.constants.launch_seconds(chip.gpu, k) for k in kernels])
    launch += 1e-6 * QUEUED_US * np.array([row.get("queued", 0) for row in chip.rows])
    columns: dict[str, object] = {"iteration": [row["iteration"] for row in chip.rows]}
    columns["kernel"] = kernels
    in_rounds = ("items", "host_seconds") if "host_seconds" in chip.rows[0] else ()
    for name in (*OF_SEARCHES, *in_rounds, "scaled_by"):
        if name in chip.rows[0]:
            columns[name] = [row[name] for row in chip.rows]
    columns["seconds"] = launch + parts["work"]
    columns |= {"launch": launch, "issue": parts["issue"], "l2": parts["l2"], "dram": parts["dram"]}
    columns |= {name: counts[name].astype(np.int64) for name in counts if name != "pull"}
    return Trace(columns)


def band_of(
    task: str, graph: Graph, gpu: GPU, launch: float, seconds: float, published: bool = True
) -> Band:
    """Return what validation found for runs of this kind: launch-bound or not, GPU seen or not.

    Searches were validated, and shortest paths where all weights are the same, both with the arcs of a
    frontier side by side and nothing left out: ``published`` says whether this is such a run.
    A GPU that is unlike all that were measured has twice the error (as a logarithm) of one that was
    left out: a guess, and its kind says so.
    """
    bound = "launch-bound" if launch > LAUNCH_BOUND_SHARE * seconds else "work-bound"
    origin, head = origin_of(gpu), "" if task == "bfs" else f"{task}, "
    kind = f"{head}{bound}, {SEEN.get(origin, UNLIKE)}"
    if task not in VALIDATED or not published or (task == "sssp" and weights_differ(graph)):
        return Band(kind, None, None)
    # GPUs were left out while their graphs were known, so what a new graph adds is known of seen GPUs
    known = list(SEEN).index(origin) + 1 if origin in SEEN else len(SEEN)
    found = [errors_of(f"{head}{bound}, {word}") for word in list(SEEN.values())[:known]]
    median, most = (max((f[k] for f in found if k in f), default=None) for k in ("median", "most"))
    if origin not in SEEN and median is not None and most is not None:
        return Band(f"{kind}, error guessed", median**2, most**2)
    return Band(kind, median, most)


def weights_differ(graph: Graph) -> bool:
    """Return whether some arcs are longer than others."""
    weights = graph.weights
    return weights is not None and bool(weights.size) and bool(weights.min() != weights.max())


def fast_path_band(launch: float, seconds: float) -> Band:
    """Return how far the fast path was from the simulator, for searches of this kind."""
    bound = "launch-bound" if launch > LAUNCH_BOUND_SHARE * seconds else "work-bound"
    found = errors_of(f"fast path, {bound}")
    return Band(f"fast path, {bound}", found.get("median"), found.get("most"))
