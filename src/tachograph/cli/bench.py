"""``tacho bench``: every task beside the peers that are installed."""

from __future__ import annotations

import json as text
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import load, out

if TYPE_CHECKING:
    from rich.table import Table

    from ..graph.graph import Graph
    from ..peers.bench import Row
    from ..plots.drawing import Drawing

__all__ = ["bench"]

ROAD_SCALE = 20  # at which the road graph has 1500 x 1500 crossings


def bench(
    graphs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GRAPH]...", help="Files or data sets. Default: three generated."),
    ] = None,
    scale: Annotated[
        int, typer.Option(min=4, max=26, help="Of the generated graphs: 2**SCALE vertices.")
    ] = 18,
    rounds: Annotated[int, typer.Option(min=1, help="Times that every candidate runs.")] = 5,
    threads: Annotated[int | None, typer.Option(help="Default: all cores.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write all times to this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the ratios: .svg, .html, .png or .pdf.")
    ] = None,
) -> None:
    """Run every task beside the peers that are installed; print the ratios of the times.

    Peers: NetworKit, igraph, SciPy and python-graphblas if they can be imported (pip install
    'tachograph[bench]'), and GAPBS if $GAPBS names the directory of its binaries. They take turns in
    one run, and only times of results that agree with ours are shown.

    [bold]Examples[/bold]

    tacho bench

    GAPBS=~/gapbs tacho bench --scale 20 --json bench.json --plot bench.svg

    tacho bench roads.gr web.txt.gz --rounds 9
    """
    from ..graph.files.streams import aside
    from ..kernels.runtime.launch import threads as using
    from ..kernels.runtime.launch import threads_available
    from ..peers.bench import NOTES, TASKS, installed, rows
    from ..plots.drawing import check_picture
    from ..util.progress import bar

    if plot is not None:
        check_picture(plot)
    made = {} if graphs else _generators(scale)
    names = graphs or list(made)
    measured: list[Row] = []
    with using(threads), bar("measuring", len(names) * len(TASKS)) as shown:
        for name in names:
            shown.note(name)
            graph = made[name]() if made else load(name)
            with tempfile.TemporaryDirectory() as directory:
                for row in rows(name, graph, threads_available(), rounds, Path(directory)):
                    measured.append(row)
                    shown.note(f"{name}, {row.task} done")
                    shown.advance(1)
        used = threads_available()
    console = out()
    console.print(_table(measured, used, rounds))
    for note in NOTES:
        console.print(note, style="dim")
    if json is not None:
        about = {
            "threads": used,
            "rounds": rounds,
            "machine": platform.platform(),
            "python": platform.python_version(),
            "peers": {peer.name: peer.version() for peer in installed()},
        }
        found = {**about, "rows": [row.to_dict() for row in measured]}
        with aside(json) as temporary:
            temporary.write_text(text.dumps(found, indent=2) + "\n", encoding="utf-8")
    if plot is not None:
        _picture(measured).save(plot)


def _generators(scale: int) -> dict[str, Callable[[], Graph]]:
    """A Kronecker graph, a uniform one (both with 16 edges for each vertex), a grid with holes."""
    from ..graph import generate

    side = round(1500 * 2 ** ((scale - ROAD_SCALE) / 2))
    return {
        f"kron-{scale}": lambda: generate.kronecker(scale, 16, rng=1, weights=True),
        f"urand-{scale}": lambda: generate.uniform(1 << scale, 16, rng=1, weights=True),
        f"road-{side}": lambda: generate.road(side, side, deleted=0.15, rng=1, weights=True),
    }


def _table(measured: list[Row], threads: int, rounds: int) -> Table:
    """Return a row for each task on each graph: milliseconds of each peer, and the ratio of ours."""
    from rich.table import Table
    from rich.text import Text

    from ..peers.bench import OURS, installed

    table = Table(title=f"median ms of {rounds} rounds (ratio of ours to it), {threads} threads")
    names = [peer.name for peer in installed()]
    for name in ("graph", "task", OURS, *names):
        table.add_column(name, justify="left" if name in ("graph", "task") else "right")
    for row in measured:
        cells: dict[str, str | Text] = {k: f"differs: {fact}" for k, fact in row.differs.items()}
        for name, ratio in row.ratios.items():
            shown = (f"{ratio:.2f}", "green" if ratio < 1 else "red")
            cells[name] = Text.assemble(f"{row.median(name) * 1e3:.2f} (", shown, ")")
        ours = f"{row.median(OURS) * 1e3:.2f}"
        table.add_row(row.graph, row.task, ours, *(cells.get(name, "") for name in names))
    return table


def _picture(measured: list[Row]) -> Drawing:
    """Draw a panel for each graph: how many times as long each peer takes for each task."""
    from ..peers.bench import installed
    from ..plots.charts import ratios
    from ..plots.drawing import stacked

    graphs: dict[str, dict[str, dict[str, float]]] = {}
    for row in measured:
        times = {peer: 1 / ratio for peer, ratio in row.ratios.items()}
        if times:
            graphs.setdefault(row.graph, {})[row.task] = times
    names, label = [peer.name for peer in installed()], "their time / ours"
    return stacked([ratios(name, tasks, label, names) for name, tasks in graphs.items()])
