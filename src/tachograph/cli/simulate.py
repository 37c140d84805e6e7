"""``tacho simulate``: graph tasks on simulated accelerators and GPUs, as tables and charts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..plots.numbers import seconds
from ..util.errors import InputError
from .gpus import OnGpus, simulated
from .options import Crew, GraphInput, Json, flat, option, out, print_json, split, vertex_of
from .tables import table

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..plots.drawing import Drawing
    from ..simulation.accelerators import Job
    from ..simulation.accelerators.problem import Numbers
    from ..simulation.dram import Memory

__all__ = ["simulate"]

#: A job and what came of it.
Done: TypeAlias = "tuple[Job, Numbers]"
LONGEST_BAR, LONGEST_TIME = 40, 9  # characters, also of spaces around
SHOWN_COLUMNS: dict[str, Callable[[Done], str]] = {
    "source": lambda d: str(d[0].question.options.get("source", "")),
    "time": lambda d: seconds(d[1]["seconds"]),
    "iterations": lambda d: str(d[1]["iterations"]),
    "requests": lambda d: f"{sum(d[1]['requests'].values()):,}",
    "GB/s": lambda d: f"{d[1]['gbps']:.2f}",
    "of peak": lambda d: f"{d[1]['peak_share']:.0%}",
    "row hits": lambda d: f"{d[1]['row_hit_rate']:.1%}",
    "GREPS": lambda d: f"{d[1]['reps'] / 1e9:.3g}",
    "GTEPS": lambda d: f"{d[1]['teps'] / 1e9:.3g}",
    "M/s": lambda d: f"{d[1]['rate'] / 1e6:.2f}",
}

Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter as name=value; name=a,b sweeps over the values."),
]


@dataclass(frozen=True)
class Designs:
    """Accelerators, and the values of their parameters."""

    accelerator: str = option(
        "hitgraph,accugraph",
        "hitgraph, accugraph, thundergp, foregraph, scalabfs or package.module:Class; with commas.",
    )
    partition_size: str | None = option(None, "Vertices of a partition; several with commas.")
    parameters: Set = None

    def settings(self) -> dict[str, list[str]]:
        """Return the values of every parameter that was named."""
        size = [f"partition_size={self.partition_size}"] if self.partition_size else []
        made: dict[str, list[str]] = {}
        for text in [*(self.parameters or []), *size]:
            name, found, values = text.partition("=")
            if not found or not values:
                raise InputError(f"--set {text}: write name=value, or name=a,b to sweep")
            made[name.strip().replace("-", "_")] = split(values)
        return made


@dataclass(frozen=True)
class Memories:
    """Memories, and their sizes."""

    memory: str = option(
        "own", "Names from tacho dram list, with commas; own is the accelerator's."
    )
    channels: str | None = option(None, "Channels of the named memories; several with commas.")
    ranks: str | None = option(None, "Ranks of each channel; several with commas.")
    density: str | None = option(None, "Density of a device, such as 8Gb.")
    width: int | None = option(None, "Width of a device, such as 16.")

    def made(self) -> list[Memory | None]:
        """Return every combination, None for the accelerator's own memory."""
        from ..simulation.dram import Memory

        names = split(self.memory)
        sizes: dict[str, list[int]] = {}
        for name in ("channels", "ranks"):
            if (text := getattr(self, name)) is not None:
                try:
                    sizes[name] = [int(part) for part in text.split(",")]
                except ValueError:
                    raise InputError(f"--{name} {text}: write whole numbers, as in 1,2") from None
        device = {k: v for k in ("density", "width") if (v := getattr(self, k)) is not None}
        changed = [*sizes, *device]
        if changed and any(name.lower() == "own" for name in names):
            raise InputError(f"--{changed[0]} changes a named memory: give --memory, too")
        made: list[Memory | None] = []
        combinations = list(itertools.product(*sizes.values()))
        for name, values in itertools.product(names, combinations):
            chosen = {**device, **dict(zip(sizes, values, strict=True))}
            made.append(None if name.lower() == "own" else Memory(name, **chosen))
        return made


@dataclass(frozen=True)
class Start:
    """Where and how long a task runs."""

    source: str | None = option(None, "Where bfs and sssp start: an id, or a name.")
    roots: int | None = option(None, "So many sources, drawn as the paper drew its 20.", min=1)
    iterations: int | None = option(None, "Iterations of pagerank and spmv: default 1.")
    along_arcs: bool = option(False, "Let wcc pass labels along directed edges.", "--along-arcs")

    def vertex(self, graph: Graph) -> int | None:
        """Return the source, if one was given."""
        return None if self.source is None else vertex_of(graph, self.source)

    def sources(self, task: str, graph: Graph) -> list[int]:
        """Return the sources that ``--roots`` asks for."""
        from ..simulation.accelerators.problem import roots

        if self.roots is None:
            return []
        if self.source is not None:
            raise InputError("give --source or --roots, not both")
        if task not in ("bfs", "sssp"):
            raise InputError(f"{task} has no source: leave --roots out")
        return roots(graph.n, self.roots)


@flat
def simulate(
    task: Annotated[
        str,
        typer.Argument(help="bfs, sssp, connected_components (wcc), pagerank or spmv; see --gpu."),
    ],
    graph: GraphInput,
    designs: Designs,
    memories: Memories,
    start: Start,
    gpus: OnGpus,
    crew: Crew,
    plot: Annotated[Path | None, typer.Option(help="Draw the comparison: .png or .svg.")] = None,
    verify: bool = option(False, "Compare the values with those of the exact algorithm."),
    json: Json = False,
) -> None:
    """Simulate graph accelerators, or GPUs, by their memory requests, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho simulate wcc friends.txt.gz --undirected

    tacho simulate wcc roads.gr --accelerator hitgraph --memory ddr4-2400r,hbm --set pipelines=8,16

    tacho simulate sssp web.txt.gz --accelerator hitgraph --roots 20

    tacho simulate bfs web.txt.gz --source 0 --gpu v100,k40c --direction surf,gunrock,auto
    """
    from ..plots.drawing import check_picture
    from ..simulation.accelerators.problem import Question
    from ..simulation.accelerators.simulate import compare, jobs
    from ..simulation.accelerators.verify import check_answer
    from ..util.names import canonical

    if plot is not None:
        check_picture(plot)
    loaded = graph.load()
    source = start.vertex(loaded)
    if gpus.gpu is not None:
        if verify:
            raise InputError("--verify: a simulated GPU gets its values from the exact algorithm")
        for given in (designs, memories, start):  # or the answer would leave them out
            told = [f.name for f in fields(given) if getattr(given, f.name) != f.default]
            for name in set(told) - {"parameters", "source"}:
                flag = name.replace("_", "-")
                raise InputError(f"--{flag} is for accelerators: leave it or --gpu out")
        simulated(task, loaded, gpus, designs.settings(), source, plot, json)
        return
    question = Question(canonical(task), source, start.iterations, start.along_arcs)
    todo = jobs(
        question,
        split(designs.accelerator),
        memories.made(),
        settings=designs.settings(),
        sources=start.sources(question.task, loaded),
    )
    for job in todo if verify else ():
        check_answer(job.question, loaded, job.run(loaded).answer)
    with crew.executor() as chosen:
        found = dict(compare(loaded, todo, chosen, graph.graph))
    done = [(todo[i], found[i]) for i in sorted(found)]
    if plot is not None:
        drawn(done).save(plot)
    if json:
        print_json([{**job.to_dict(), "result": numbers} for job, numbers in done])
        return
    show(repr(loaded), done)
    if verify:
        out().print("The values were compared with those of the exact algorithm: they agree.")


def label(job: Job, fixed: Iterable[str] = ()) -> str:
    """Return what tells a job from others, without its source and settings that all share."""
    memory = job.memory or job.accelerator.memory()
    settings = [f"{k}={v}" for k, v in job.accelerator.given.items() if k not in fixed]
    sizes = [f"{k} {v}" for k, v in memory.given.items() if job.memory and k not in fixed]
    name, within = job.name.rpartition(":")[2], ", ".join([memory.name, *sizes])
    return " ".join([name, *settings, f"[{within}]"])


def drawn(done: Sequence[Done]) -> Drawing:
    """Draw run time, iterations, bandwidth and row hits of every job."""
    from ..plots import numbers as form
    from ..plots.charts import bars
    from ..plots.drawing import stacked

    names = []
    for job, _ in done:
        source = job.question.source
        names.append(label(job) + ("" if source is None else f" from {source}"))
    columns: list[tuple[str, list[float], Callable[[float], str]]] = [
        ("run time", [n["seconds"] for _, n in done], form.seconds),
        ("iterations", [float(n["iterations"]) for _, n in done], form.count),
        ("GB/s", [n["gbps"] for _, n in done], form.short),
        ("row hits", [n["row_hit_rate"] for _, n in done], form.percent),
    ]
    panels = []
    for title, values, shown in columns:
        rows = [(name, v, "simulated") for name, v in zip(names, values, strict=True)]
        panels.append(bars(rows, f"{done[0][0].question.task}, simulated: {title}", shown=shown))
    return stacked(panels)


def show(graph: str, done: Sequence[Done]) -> None:
    """Print the table, the chart, what varied with the source, and what was assumed."""
    from rich.table import Table

    from ..simulation.accelerators.problem import variation

    console, memories = out(), [job.memory.given if job.memory else {} for job, _ in done]
    chosen = [job.accelerator.given | own for (job, _), own in zip(done, memories, strict=True)]
    values = {name: {str(s.get(name)) for s in chosen} for s in chosen for name in s}
    same = {name: found.pop() for name, found in values.items() if len(found) == 1}
    labels = [label(job, same) for job, _ in done]
    console.print(graph, style="bold")
    if same:
        console.print("everywhere: " + ", ".join(f"{k}={v}" for k, v in same.items()))
    rows = [
        [text, *(cell(d) for cell in SHOWN_COLUMNS.values())]
        for text, d in zip(labels, done, strict=True)
    ]
    console.print(table(["accelerator", *SHOWN_COLUMNS], rows))
    times: dict[str, list[float]] = {}
    for text, (_, numbers) in zip(labels, done, strict=True):
        times.setdefault(text, []).append(numbers["seconds"])
    found = {text: variation(taken) for text, taken in times.items()}
    longest = max(v["mean"] for v in found.values())
    chart = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    chart.add_column(style="cyan")
    room = console.width - max(map(len, found)) - LONGEST_TIME - 2
    for text, v in found.items():
        bar = "█" * max(1, round(min(LONGEST_BAR, room) * v["mean"] / longest))
        chart.add_row(text, bar, seconds(v["mean"]))
    console.print(chart)
    if len(times) < len(done):
        rows = []
        for text, v in found.items():
            both = [seconds(v[name]) for name in ("mean", "deviation")]
            rows.append([text, str(len(times[text])), *both, f"{v['coefficient']:.2f}"])
        heads = ("accelerator", "sources", "mean", "deviation", "coefficient of variation")
        console.print(table(heads, rows, "over the sources"))
    noted: dict[str, list[str]] = {}
    for text, (_, numbers) in zip(labels, done, strict=True):
        for note in numbers.get("notes", []):
            noted.setdefault(note, []).append(text)
    for note, whose in noted.items():
        console.print(f"{named(whose, labels)}: {note}", style="yellow")
    bands: dict[str, list[str]] = {}
    for text, (job, numbers) in dict(zip(labels, done, strict=True)).items():
        band = numbers["error_band"]
        if job.accelerator.given and numbers["graphs_validated"]:
            band += ", but with the design's own parameters"
        bands.setdefault(band, []).append(text)
    console.print(
        "All numbers are simulated. REPS count the edges of all iterations, TEPS the graph's edges "
        "once; M/s are million requests simulated in a second here.",
        style="dim",
    )
    for band, whose in bands.items():
        console.print(f"{named(whose, labels)}: {band}", style="dim")
    lines = [line for line in map(assumed, {j.name: j for j, _ in done}.values()) if line]
    if lines:
        lines = ["Inferred, as descriptions leave it open (tacho report last says why):", *lines]
    for line in lines:
        console.print(line, style="dim")


def named(whose: Sequence[str], labels: Sequence[str]) -> str:
    """Name some of the labels, in one word where it is all of them, or all of a design.

    >>> named(["a x=1", "a x=2"], ["a x=1", "a x=2", "b [HBM]"]), named(["b [HBM]"], ["b [HBM]"])
    ('a', 'b [HBM]')
    """
    chosen = dict.fromkeys(whose)
    if len(chosen) > 1 and chosen.keys() >= set(labels):
        return "all"
    short: dict[str, None] = {}
    for text in chosen:
        design = text.partition(" ")[0]
        own = {other for other in labels if other.partition(" ")[0] == design}
        short[design if len(own) > 1 and own <= chosen.keys() else text] = None
    return ", ".join(short)


def assumed(job: Job) -> str:
    """Return what a design's description leaves open and nobody chose, with the values taken."""
    machine = job.accelerator
    taken = [
        f"{name}={machine.settings[name]}"
        for name, parameter in machine.declared().items()
        if "inferred" in parameter.source and name not in machine.given
    ]
    return f"{job.name.rpartition(':')[2]}: {', '.join(taken)}" if taken else ""
