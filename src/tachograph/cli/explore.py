"""``tacho explore``: search for an accelerator and a memory that run a task fast."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..plots.numbers import count, seconds
from ..util.printed import explained
from .options import Crew, GraphInput, Json, duration, flat, option, out, print_json, split
from .simulate import Start

if TYPE_CHECKING:
    from ..simulation.accelerators.explore import Exploration, Point

__all__ = ["explore"]

HEADS = ("", "design", "memory", "time", "by formulas", "mJ", "KB on chip")
SHOWN_CANDIDATES = 20  # in the table


@dataclass(frozen=True)
class Bounds:
    """How long to search, and what a design may use."""

    budget: str = option("10m", "How long simulations may begin, such as 90s, 30min or 2h.")
    bram: int | None = option(None, "Bytes of on-chip memory (default: each design's own).", min=1)
    max_channels: int | None = option(None, "Channels of memory, at most.", min=1)
    max_joules: float | None = option(None, "Energy of the memory for a run, at most.")


@flat
def explore(
    task: Annotated[
        str, typer.Argument(help="bfs, sssp, connected_components (wcc), pagerank or spmv.")
    ],
    graph: GraphInput,
    start: Start,
    bounds: Bounds,
    crew: Crew,
    design: Annotated[str, typer.Option(help="Designs, with commas.")] = "hitgraph,accugraph",
    memory: Annotated[
        str, typer.Option(help="Names from tacho dram list, with commas; own is the design's.")
    ] = "own",
    plot: Annotated[Path | None, typer.Option(help="Draw what was found: .png or .svg.")] = None,
    json: Json = False,
) -> None:
    """Search designs, their parameters and memories for what runs a task fast.

    Formulas rank all candidates; the promising ones are simulated, for a part of their iterations
    first.
    Results are kept: a search that was stopped, or whose budget ran out, goes on where it was.

    [bold]Examples[/bold]

    tacho explore wcc friends.txt.gz --undirected --budget 30min

    tacho explore bfs roads.gr --source 0 --design hitgraph,accugraph,thundergp --memory ddr4,hbm2

    tacho explore pagerank web.txt.gz --design accugraph --bram 2000000 --plot front.svg
    """
    from ..plots.drawing import check_picture
    from ..simulation.accelerators.explore import Limits
    from ..simulation.accelerators.explore import explore as search
    from ..simulation.accelerators.problem import Question
    from ..simulation.dram import Memory
    from ..util.names import canonical

    if plot is not None:
        check_picture(plot)
    loaded = graph.load()
    question = Question(canonical(task), start.vertex(loaded), start.iterations, start.along_arcs)
    memories = [None if m.lower() == "own" else Memory(m) for m in split(memory)]
    limits = Limits(bounds.bram, bounds.max_channels, bounds.max_joules)
    budget = duration(bounds.budget)
    with crew.executor() as chosen:
        found = search(
            question, loaded, split(design), memories, limits=limits, budget=budget, executor=chosen
        )
    if plot is not None:
        found.plot().save(plot)
    if json:
        front = found.front
        rows = [{**_plain(p), "front": p in front} for p in found.found]
        print_json({"candidates": len(found.tried), "finished": found.finished, "found": rows})
        return
    show(repr(loaded), found)


def _plain(point: Point) -> dict[str, object]:
    numbers = {"seconds": point.seconds, "modelled": point.guess, "joules": point.joules}
    return {**point.job.to_dict(), **numbers, "on_chip_bytes": point.on_chip}


def show(graph: str, found: Exploration) -> None:
    """Print the fastest, which of them are on the front, and how many there were."""
    from ..simulation.accelerators.explore import describe

    console, front = out(), found.front
    console.print(graph, style="bold")
    rows, chosen = [], []
    for point in plainest([*front, *sorted(found.found, key=lambda p: p.cost)])[:SHOWN_CANDIDATES]:
        memory = point.job.memory or point.job.accelerator.memory()
        times = [seconds(t) if t else "" for t in (point.seconds, point.guess)]
        energy = "" if point.joules is None else count(1e3 * point.joules)
        names = [point.job.name.rpartition(":")[2], f"{memory.name} x{memory.channels}"]
        mark = "front" if point in front else ""
        rows.append([mark, *names, *times, energy, f"{point.on_chip / 1e3:,.0f}"])
        chosen.append(describe(point.job.accelerator))
    for line in explained(HEADS, rows, ("chosen", chosen), right=(3, 4, 5, 6)):
        console.print(line, soft_wrap=True)
    rest = "" if found.finished else " The budget ran out: run it again to go on."
    console.print(
        f"{len(found.tried)} candidates by formulas, {len(found.found)} of them simulated to the end. "
        "Of settings without a difference the plainest is shown. "
        f"front: no other is better in time, energy and on-chip memory.{rest}",
        style="dim",
    )


def plainest(points: list[Point]) -> list[Point]:
    """Return points in their order, of those that differ in nothing but settings the plainest one."""
    from ..simulation.accelerators.explore import describe

    kept: dict[tuple[object, ...], Point] = {}
    for point in points:
        memory = point.job.memory or point.job.accelerator.memory()
        same = (point.job.name, repr(memory), *point.cost)
        before = kept.setdefault(same, point)
        kept[same] = min(before, point, key=lambda p: len(describe(p.job.accelerator)))
    return list(kept.values())
