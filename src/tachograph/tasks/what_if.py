"""What would it take elsewhere? One table over this machine and simulated accelerators."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..graph.graph import Graph
from ..util.errors import InputError
from .plan import check, plan
from .show import columns, duration
from .table import Task, task_named

__all__ = ["Machine", "WhatIf", "what_if"]

LONG, MOST = 1.0, 5  # seconds that measuring a machine may take, about, and runs
LONGEST = 30.0  # what is predicted to take longer is not run, but modelled
SIMULATED = {"components": "wcc"}  # names that accelerators use


@dataclass(frozen=True)
class Machine:
    """A row: seconds and their interval, whether measured, modelled or simulated, and how."""

    name: str
    seconds: float
    low: float
    high: float
    provenance: str
    how: str


@dataclass(frozen=True)
class WhatIf:
    """A comparison; print it."""

    task: str
    graph: Graph
    rows: tuple[Machine, ...]

    def __str__(self) -> str:
        head = ["machine", "time", "between", "", "how"]
        best = min(row.seconds for row in self.rows)
        cells = [
            [r.name, duration(r.seconds), f"{duration(r.low)} to {duration(r.high)}", r.provenance,
             f"{r.how}; {r.seconds / best:.2f} times the fastest"]
            for r in self.rows
        ]  # fmt: skip
        return "\n".join([f"{self.task} on {self.graph!r}", "", *_table(head, cells)])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"task": self.task, "machines": [asdict(row) for row in self.rows]}


def _table(head: list[str], cells: list[list[str]]) -> list[str]:
    lines = columns(head[:-1], [row[:-1] for row in cells], left=1)
    width = max(map(len, lines))
    return [f"{line.ljust(width)}  {last}".rstrip() for line, last in
            zip(lines, [head[-1], *(row[-1] for row in cells)], strict=True)]  # fmt: skip


def what_if(task: str, graph: Graph, machines: Sequence[str], **arguments: Any) -> WhatIf:
    """How long a task takes on machines that are here, and would take on some that are not.

    Parameters
    ----------
    task
        As for :func:`plan`; accelerators run ``bfs``, ``sssp``, ``components`` (``"wcc"``) and
        ``pagerank``.
    graph
        On what.
    machines
        ``"host"`` and OpenCL devices (``"opencl:0"``) are measured, the host modelled if that would
        take more than half a minute; ``"hitgraph@ddr3-1600k"`` and ``"accugraph@hbm"`` are simulated,
        an accelerator at a memory (without one: its own).
    arguments
        What the task needs to be told, such as ``source``. PageRank is compared over as many
        iterations as the host needs, unless ``max_iter`` is given.

    Returns
    -------
    WhatIf
        Print it. The interval of a measured time is that of its runs; of a simulated one it is the mean
        error of the simulation against hardware, where the accelerator's paper gives measurements.

    Raises
    ------
    InputError
        For a machine that does not exist or a task that it can't do.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(10, rng=1)
    >>> found = tg.what_if("wcc", g, ["host", "accugraph@ddr4-2400r"])
    >>> [row.provenance for row in found.rows]
    ['measured', 'simulated']
    """
    kind = task_named(task)
    check(kind, graph, arguments)
    if not machines:
        raise InputError("what_if needs machines: ['host', 'hitgraph@ddr3-1600k']")
    rows = []
    for name in machines:
        first = name.partition("@")[0].partition(":")[0]
        if first in ("host", "opencl"):
            rows.append(_measured(kind, graph, name, arguments))
        else:
            rows.append(_simulated(kind, graph, name, arguments))
    return WhatIf(kind.name, graph, tuple(rows))


def _measured(kind: Task, graph: Graph, name: str, arguments: dict[str, Any]) -> Machine:
    """The median of a few runs here."""
    if name == "host":
        ways = [way for way in kind.ways if way.where == "host"][:1]
    else:
        ways = [way for way in kind.ways if way.where != "host"][:1]
    if not ways:
        raise InputError(f"{kind.name} does not run on {name}: leave it out")
    if name == "host":
        guess = plan(kind.name, graph, **arguments).chosen.estimate
        if guess.seconds is not None and guess.low is not None and guess.seconds > LONGEST:
            how = "too long to be run here"
            return Machine(name, guess.seconds, guess.low, guess.high or 0.0, "modelled", how)
    options = {**arguments, **ways[0].on(name)}
    first = kind.function(graph, **options)  # compiles, and copies the graph
    count = max(1, min(MOST, int(LONG / max(first.seconds, 1e-6))))
    taken = [kind.function(graph, **options).seconds for _ in range(count)]
    how = f"{ways[0].name}, median of {count} run{'s' * (count > 1)}"
    return Machine(name, statistics.median(taken), min(taken), max(taken), "measured", how)


def _simulated(kind: Task, graph: Graph, name: str, arguments: dict[str, Any]) -> Machine:
    from ..simulation.accelerators.compare import design
    from ..simulation.accelerators.simulate import simulate

    accelerator, _, memory = name.partition("@")
    options = {k: v for k, v in arguments.items() if k in ("source", "damping")}
    if kind.name == "pagerank":
        told = {k: v for k, v in arguments.items() if k != "personalization"}
        options["iterations"] = kind.function(graph, **told).iterations
    if graph.weighted and kind.name in ("bfs", "components"):  # which do not look at them
        graph = Graph.from_csr(graph.indptr, graph.indices, directed=graph.directed)
    made = simulate(
        SIMULATED.get(kind.name, kind.name), graph, design(accelerator)(), memory or None, **options
    )
    off = made.expected_error / 100 if made.expected_error is not None else None
    how = f"{made.iterations} iterations" if off is None else (
        f"{made.iterations} iterations; {made.expected_error:.0f} % off hardware in the mean"
    )  # fmt: skip
    spread = off or 0.0
    return Machine(name, made.seconds, made.seconds / (1 + spread), made.seconds * (1 + spread),
                   "simulated", how)  # fmt: skip
