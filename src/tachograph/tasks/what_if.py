"""How long would it take elsewhere? One table of this machine, simulated accelerators and GPUs."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..graph.convert import as_graph
from ..graph.graph import Graph
from ..plots.numbers import factor
from ..plots.numbers import seconds as form
from ..simulation.gpus.gpu import is_gpu
from ..util.errors import InputError, TachographWarning
from ..util.printed import explained, wrapped
from ..util.text import did_you_mean
from .decide import on_machine
from .elsewhere import options_of
from .question import Question, ask, by_id, check
from .road import execute, run
from .table import task_named

__all__ = ["Row", "WhatIf", "accelerator_options", "bounds_of", "off_by", "what_if"]

MEASURING_SECONDS = 1.0  # what the runs on one machine may take together, about
MOST_RUNS = 5  # on one machine
USUAL_MACHINES = ("host", "hitgraph", "accugraph", "v100")  # those of them that can do a task
LONGEST_RUN_SECONDS = 30.0  # what is predicted to take longer is not run, but modelled
#: Arcs above which nothing is simulated: an analytical model tells the time.
SIMULATED_UP_TO_ARCS = 20_000_000


@dataclass(frozen=True)
class Row:
    """A machine: its seconds with bounds, whether measured, modelled or simulated, and how.

    ``bounds`` says what lies between ``low`` and ``high``: "all runs" that were measured, "90 %" of
    such runs, or times that are off by no more than a "mean error", a "median error" or the "error on
    1 graph", which are no intervals that many runs keep to.
    """

    name: str
    seconds: float
    low: float | None  # None where the simulation was not validated
    high: float | None
    provenance: str
    how: str
    bounds: str = ""


@dataclass(frozen=True, repr=False)
class WhatIf:
    """A comparison; print it."""

    task: str
    graph: Graph
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()  # usual machines that cannot do it, and why

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the heads and cells of the table."""
        best = min(row.seconds for row in self.rows)
        cells = []
        for r in self.rows:
            over = "the fastest" if r.seconds == best else f"{factor(r.seconds / best)} the fastest"
            how = f"{r.how}; {over}"
            known = r.low is not None and r.high is not None
            between = f"{form(r.low)} to {form(r.high)}, {r.bounds}" if known else ""
            cells.append([r.name, form(r.seconds), between, r.provenance, how])
        return ["machine", "time", "between", "", "how"], cells

    def __str__(self) -> str:
        head, cells = self._table()
        how = (head[-1], [row[-1] for row in cells])
        lines = explained(head[:-1], [row[:-1] for row in cells], how, right=(1, 2))
        below = [line for why in self.left_out for line in wrapped(f"Left out: {why}.")]
        about = wrapped(f"{self.task} on {self.graph!r}")
        return "\n".join([*about, "", *lines, *([""] if below else []), *below])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ..plots.tables import table_html

        return table_html(f"{self.task} on {self.graph!r}", *self._table())

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON can hold it."""
        return {"task": self.task, "machines": [asdict(row) for row in self.rows]}


def what_if(
    task: str, graph: Graph, machines: Sequence[str] | None = None, **arguments: Any
) -> WhatIf:
    """Compare how long a task takes on machines that are here and on simulated ones.

    Parameters
    ----------
    task
        As for :func:`plan`; accelerators run ``bfs``, ``sssp``, ``connected_components`` and
        ``pagerank``.
    graph
        The graph to run it on.
    machines
        ``"host"`` and OpenCL devices (``"opencl:0"``) are measured, the host modelled if that would
        take more than half a minute; ``"hitgraph@ddr3-1600k"`` and ``"accugraph@hbm"`` are simulated,
        an accelerator at a memory (without one: its own), or modelled on very large graphs. GPUs are
        simulated, too (``"v100"``; ``tacho gpus`` lists them, and a TOML file describes your own). By
        default the host and those of two accelerators and a GPU that can do the task.
    arguments
        The arguments that the task needs, such as ``source``. PageRank is compared over as many
        iterations as the host needs, unless ``max_iter`` is given.

    Returns
    -------
    WhatIf
        Print it. Each row says what its bounds are: all runs of a measured time; nine of ten runs of a
        modelled host and of GPUs; the error of an accelerator's design, memory family and task on the
        graphs where they were validated, or the median error of formulas; elsewhere there are none.

    Raises
    ------
    InputError
        For a machine that does not exist, or a task that it cannot do.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(10, rng=1)
    >>> found = tg.what_if("wcc", g, ["host", "accugraph@ddr4-2400r"])
    >>> [row.provenance for row in found.rows]
    ['measured', 'simulated']
    """
    kind = task_named(task)
    listed = isinstance(machines, Sequence) and all(isinstance(name, str) for name in machines)
    if machines is not None and (isinstance(machines, str) or not (listed and machines)):
        raise InputError(
            "what_if needs names of machines, such as ['host', 'hitgraph@ddr3-1600k']; tg.simulate "
            "takes designs, memories and GPUs with parameters of their own"
        )
    graph = as_graph(graph, f"what_if({task!r})")
    check(kind, graph, arguments)
    if graph.named:
        arguments = by_id(kind, graph, (), arguments)[1]
    question = ask(kind, graph, **arguments)
    rows, refused = [], dict[str, list[str]]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TachographWarning)  # so many iterations were asked for
        for name in machines or USUAL_MACHINES:
            first = name.partition("@")[0].partition(":")[0]
            here = first in ("host", "opencl")
            if not here and (meant := did_you_mean(first, ("host", "opencl"))):
                raise InputError(f"there is no machine {name!r}{meant}")
            answer = _measured if here else _on_gpu if is_gpu(name) else _simulated
            try:
                rows.append(answer(question, name))
            except InputError as error:
                if machines or here:
                    raise
                refused.setdefault(str(error), []).append(name)
    left_out = tuple(f"{', '.join(names)}: {why}" for why, names in refused.items())
    return WhatIf(kind.name, graph, tuple(rows), left_out)


def _measured(question: Question, name: str) -> Row:
    """Run it here a few times, and take the median."""
    candidate = on_machine(question, name)
    guess = candidate.estimate
    if guess.seconds is not None and guess.seconds > LONGEST_RUN_SECONDS:
        low, high = guess.low or 0.0, guess.high or 0.0
        return Row(name, guess.seconds, low, high, "modelled", "too long to be run here", "90 %")

    def seconds() -> float:
        return execute(question, candidate, "what if", keep=False).seconds

    first = seconds()  # compiles, and copies the graph
    count = max(1, min(MOST_RUNS, int(MEASURING_SECONDS / max(first, 1e-6))))
    taken = [seconds() for _ in range(count)]
    how = f"{candidate.name}, median of {count} run{'s' * (count > 1)}"
    return Row(name, statistics.median(taken), min(taken), max(taken), "measured", how, "all runs")


def _on_gpu(question: Question, name: str) -> Row:
    from ..simulation.gpus.simulate import PROGRAMS, simulate

    task = question.task.name
    if task not in PROGRAMS:
        raise InputError(f"{task} does not run on {name}: leave it out")
    made = simulate(task, question.graph, name, **options_of(question))
    copies = f"; copies {form(made.copy_seconds)} more" if made.copy_seconds else "; no copies"
    low, high = made.interval or (None, None)
    how = f"{made.iterations} rounds{copies}; {made.band}"
    return Row(name, made.seconds, low, high, "simulated", how, "90 %" if made.interval else "")


def _simulated(question: Question, name: str) -> Row:
    from ..simulation.accelerators.explore import modelled_run
    from ..simulation.accelerators.simulate import simulate

    task, graph = question.task.name, question.graph
    accelerator, _, memory = name.partition("@")
    options = accelerator_options(question)
    if graph.arcs > SIMULATED_UP_TO_ARCS:
        guess = modelled_run(task, graph, accelerator, memory or None, **options)
        if guess is not None:
            about = ("modelled", "too large to be simulated here", "median error")
            return Row(name, guess.seconds, *off_by(guess.seconds, guess.error), *about)
    made = simulate(task, graph, accelerator, memory or None, **options)
    how = f"{made.iterations} iterations; {made.error_band}"
    bounds = off_by(made.seconds, made.expected_error)
    return Row(name, made.seconds, *bounds, "simulated", how, bounds_of(made.graphs_validated))


def bounds_of(graphs: int) -> str:
    """Return what the error of an accelerator is that was found on some graphs: of one, it is no mean.

    >>> bounds_of(6), bounds_of(1), bounds_of(0)
    ('mean error', 'error on 1 graph', '')
    """
    return {0: "", 1: "error on 1 graph"}.get(graphs, "mean error")


def accelerator_options(question: Question) -> dict[str, Any]:
    """Return what an accelerator is told of a question: PageRank takes as many steps as the host."""
    options = {k: v for k, v in question.what.items() if k in ("source", "damping")}
    if question.task.name == "pagerank":
        told = {k: v for k, v in question.what.items() if k != "personalization"}
        options["iterations"] = run("pagerank", question.graph, keep=False, **told).iterations
    return options


def off_by(seconds: float, error: float | None) -> tuple[float | None, float | None]:
    """Return seconds that are off by ``error`` per cent to either side; None if that is not known."""
    off = 1 + (error or 0.0) / 100
    return (seconds / off, seconds * off) if error else (None, None)
