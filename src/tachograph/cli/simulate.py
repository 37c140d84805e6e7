"""``tacho simulate``: graph tasks on simulated accelerators."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..util.errors import InputError
from .options import Crew, GraphInput, Json, flat, option, out, print_json

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..simulation.dram import Memory

__all__ = ["simulate"]


Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter as name=value; name=a,b sweeps over the values."),
]


@dataclass(frozen=True)
class Designs:
    """Accelerators, and the values of their parameters."""

    accelerator: str = option(
        "hitgraph,accugraph", "hitgraph, accugraph or package.module:Class; several with commas."
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

    source: int | None = option(None, "Where bfs and sssp start.")
    roots: int | None = option(None, "So many sources, drawn as the paper drew its 20.", min=1)
    iterations: int | None = option(None, "Iterations of pagerank and spmv: default 1.")
    along_arcs: bool = option(False, "Let wcc pass labels along directed edges.", "--along-arcs")

    def sources(self, task: str, graph: Graph) -> list[int]:
        """Return the sources that ``--roots`` asks for."""
        from ..simulation.accelerators.compare import roots

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
        str, typer.Argument(help="bfs, sssp, connected_components (wcc), pagerank or spmv.")
    ],
    graph: GraphInput,
    designs: Designs,
    memories: Memories,
    start: Start,
    crew: Crew,
    plot: Annotated[Path | None, typer.Option(help="Draw the comparison: .png or .svg.")] = None,
    json: Json = False,
) -> None:
    """Simulate graph accelerators by their memory requests, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho simulate wcc friends.txt.gz --undirected

    tacho simulate wcc roads.gr --accelerator hitgraph --memory ddr4-2400r,hbm --set pipelines=8,16

    tacho simulate sssp web.txt.gz --accelerator hitgraph --roots 20
    """
    from ..simulation.accelerators import compare
    from ..simulation.accelerators.problem import Question
    from ..util.names import canonical

    loaded = graph.load()
    question = Question(canonical(task), start.source, start.iterations, start.along_arcs)
    todo = compare.jobs(
        question,
        split(designs.accelerator),
        memories.made(),
        settings=designs.settings(),
        sources=start.sources(question.task, loaded),
    )
    with crew.executor() as chosen:
        found = dict(compare.compare(loaded, todo, chosen, graph.graph))
    done = [(todo[i], found[i]) for i in sorted(found)]
    if plot is not None:
        from .show_simulate import drawn

        drawn(done).save(plot)
    if json:
        print_json([{**job.to_dict(), "result": numbers} for job, numbers in done])
        return
    from .show_simulate import show

    show(out(), repr(loaded), done)


def split(text: str) -> list[str]:
    """Return the parts of a list with commas."""
    return [part.strip() for part in text.split(",")]
