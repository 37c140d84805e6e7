"""Whether a graph needs more than one machine, and what a cluster would take: modelled, never measured.

A superstep takes as long as its slowest worker works, and as its messages and the round through the
scheduler take. What work and messages cost is measured here, on two graphs, which tells what a
superstep costs in any case and what each arc adds; for another graph and cluster that is scaled with
its arcs and ghosts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from ..algorithms.result import Result
from ..util import memory
from ..util.errors import InputError
from ..util.files import scratch
from . import TASKS, task_named
from .manifest import Partition

__all__ = ["Cluster", "Costs", "Forecast", "costs_of", "forecast", "measure", "scaling"]

SMALL_SCALE, LARGE_SCALE = 10, 16  # of the Kronecker graphs that costs are measured on
MEMORY_SHARE = 0.5  # of a worker that a part may take: the rest is for Python and messages
ARC_BYTES = 4  # in a piece
VERTEX_BYTES = 24  # offset, state before and after


@dataclass(frozen=True)
class Cluster:
    """A cluster by its shape: workers, bytes of memory of each, bytes per second from or to each, and
    seconds for a round of tasks through the scheduler.
    """

    workers: int
    memory: float = 16e9
    bandwidth: float = 1.25e9
    latency: float = 0.03

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value > 0:
                raise InputError(f"{name} = {value}: it must be above 0")


@dataclass(frozen=True)
class Costs:
    """What supersteps of a task cost where they were measured.

    ``fixed_seconds``: of any superstep of a part; ``arc_seconds``: what each of its arcs adds;
    ``ghost_bytes``: what is sent for each ghost; ``ghosts``: how many of them there were for each that
    the model expects.
    """

    task: str
    supersteps: int
    fixed_seconds: float
    arc_seconds: float
    ghost_bytes: float
    ghosts: float
    measured_on: str


@dataclass(frozen=True)
class Forecast:
    """What a run would take. All numbers are modelled."""

    task: str
    n: int
    m: int
    cluster: Cluster
    one_machine_bytes: float
    one_machine_free: float | None
    parts: int
    part_bytes: float
    supersteps: int
    work_seconds: float
    message_seconds: float
    latency_seconds: float
    provenance: str = "modelled"

    @property
    def seconds(self) -> float:
        return self.work_seconds + self.message_seconds + self.latency_seconds

    @property
    def needs_more(self) -> bool:
        """Whether the graph does not fit into this machine's free memory."""
        return self.one_machine_free is not None and self.one_machine_bytes > self.one_machine_free

    def to_dict(self) -> dict[str, object]:
        """Return all of it, for JSON."""
        return {**asdict(self), "seconds": self.seconds, "needs_more": self.needs_more}


def _expected_ghosts(n: float, arcs: float, parts: int) -> float:
    """Return how many vertices of other parts a part's arcs would end in, if drawn at random."""
    others = n * (1 - 1 / parts)
    return others * -math.expm1(-arcs / parts / n) if n and parts > 1 else 0.0


def costs_of(
    small: tuple[Result, Partition], large: tuple[Result, Partition], measured_on: str
) -> Costs:
    """Return the costs that two runs tell: of a graph with hardly any arcs, and of a larger one."""
    # the mean over all supersteps of the seconds of the slowest part
    traces = small[0].trace, large[0].trace
    fixed, slower = (float((t["work_seconds"] + t["write_seconds"]).mean()) for t in traces)
    result, partition = large
    rounds, arcs, ghosts = len(result.trace), sum(partition.arcs), sum(partition.ghosts)
    expected = _expected_ghosts(partition.n, arcs, partition.parts) * partition.parts
    arc_seconds = max(slower - fixed, 0.0) / max(max(partition.arcs), 1)
    ghost_bytes = float(result.trace["message_bytes"].sum()) / rounds / max(ghosts, 1)
    share = ghosts / expected if expected else 1.0
    return Costs(result.task, rounds, fixed, arc_seconds, ghost_bytes, share, measured_on)


def _busiest(partition: Partition) -> int:
    """Return a vertex with many arcs: a search from a vertex without any would tell nothing."""
    piece = partition.piece(0)
    return int(piece.ids[piece.own][piece.degrees[piece.own].argmax()])


def measure(task: str, partition: Partition | None = None) -> Costs:
    """Run a task in this process, on a partition or on a Kronecker graph in two parts."""
    from .. import scale
    from ..graph.generate import kronecker
    from .partitioning import partition as cut

    name = task_named(task)
    solve = getattr(scale, name)

    def run(parts: Partition) -> Result:
        found: Result = solve(parts, *([_busiest(parts)] if TASKS[name][1] else []))
        return found

    with scratch() as place:
        small = cut(kronecker(SMALL_SCALE, rng=1), parts=2, directory=place / "small")
        run(small)  # compiles, and fills caches
        about = f"kronecker({LARGE_SCALE})" if partition is None else str(partition.directory)
        if partition is None:
            partition = cut(kronecker(LARGE_SCALE, rng=1), parts=2, directory=place / "large")
        about = f"{about} in {partition.parts} parts"
        return costs_of((run(small), small), (run(partition), partition), about)


def forecast(
    costs: Costs,
    n: int,
    m: int,
    cluster: Cluster,
    *,
    directed: bool = False,
    weighted: bool = False,
    supersteps: int | None = None,
) -> Forecast:
    """Forecast a run on a graph of ``n`` vertices and ``m`` edges on a cluster.

    Parameters
    ----------
    costs
        From :func:`measure` or :func:`costs_of`.
    supersteps
        How many there will be; default: as many as where the costs were measured.

    Examples
    --------
    >>> costs = Costs("pagerank", 20, 1e-3, 2e-9, 8.0, 1.0, "by hand")
    >>> plan = forecast(costs, 10**9, 10**10, Cluster(workers=100))
    >>> plan.parts, round(plan.work_seconds, 2), plan.provenance
    (100, 8.02, 'modelled')
    """
    if n < 1 or m < 0:
        raise InputError(f"a graph of {n} vertices and {m} edges: at least one vertex is needed")
    arcs = float(m if directed else 2 * m)
    sides = 2 if directed else 1  # a directed piece has its arcs both ways round
    width = (ARC_BYTES if n < 2**31 else 2 * ARC_BYTES) + (4 if weighted else 0)
    one = n * VERTEX_BYTES + arcs * sides * width
    parts = cluster.workers
    while True:
        ghosts = costs.ghosts * _expected_ghosts(n, arcs * sides, parts)
        local = width - ARC_BYTES * (n >= 2**31)  # ids in a piece are short
        size = arcs / parts * sides * local + (n / parts + ghosts) * VERTEX_BYTES
        if size <= MEMORY_SHARE * cluster.memory or parts >= n:
            break
        parts *= 2
    turns = math.ceil(parts / cluster.workers)  # parts that a worker has one after the other
    rounds = supersteps or costs.supersteps
    work = rounds * turns * (costs.fixed_seconds + arcs / parts * costs.arc_seconds)
    messages = rounds * turns * ghosts * costs.ghost_bytes / cluster.bandwidth
    latency, free = rounds * cluster.latency, memory.available()
    return Forecast(
        costs.task, n, m, cluster, one, free, parts, size, rounds, work, messages, latency
    )


def scaling(
    costs: Costs, n: int, m: int, cluster: Cluster, workers: Sequence[int], *, weak: bool = False
) -> list[Forecast]:
    """Forecast for several numbers of workers.

    The graph is the same for all; with ``weak`` it grows with them, and ``n`` and ``m`` are those of a
    single worker.

    >>> costs = Costs("pagerank", 20, 0.0, 2e-9, 8.0, 1.0, "by hand")
    >>> made = scaling(costs, 10**8, 10**9, Cluster(1), [1, 10, 100])
    >>> [round(plan.work_seconds, 2) for plan in made]
    [80.0, 8.0, 0.8]
    """
    sizes = [(count, count if weak else 1) for count in workers]
    return [forecast(costs, n * t, m * t, replace(cluster, workers=w)) for w, t in sizes]
