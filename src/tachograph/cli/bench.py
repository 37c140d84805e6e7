"""``tacho bench``: every algorithm beside the peers that are installed."""

from __future__ import annotations

import json as text
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import load, out

if TYPE_CHECKING:
    from rich.table import Table

    from ..graph.graph import Graph
    from ..peers.bench import Row

__all__ = ["bench"]

FULL = 20  # the scale at which the road graph has 1500 x 1500 crossings


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
    plot: Annotated[Path | None, typer.Option(help="Draw the ratios: .png or .svg.")] = None,
) -> None:
    """Run every algorithm beside the peers that are installed; print the ratios of the times.

    Peers: NetworKit, igraph, SciPy and python-graphblas if they can be imported (pip install
    'tachograph[bench]'), and GAPBS if $GAPBS names the directory of its binaries. They take turns in
    one run, and only times of results that agree with ours are shown.

    [bold]Examples[/bold]

    tacho bench

    GAPBS=~/gapbs tacho bench --scale 20 --json bench.json --plot bench.svg

    tacho bench roads.gr web.txt.gz --rounds 9
    """
    from ..kernels.runtime.launch import threads as using
    from ..kernels.runtime.launch import threads_available
    from ..peers.bench import NOTES, TASKS, installed, rows
    from ..util.progress import bar

    if plot is not None:
        _matplotlib(plot)  # before the work
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
                    shown.note(f"{name}, {row.algorithm} done")
                    shown.advance(1)
        used = threads_available()
    console = out()
    console.print(_table(measured, used, rounds))
    for note in NOTES:
        console.print(note, style="dim")
    if json is not None:
        about = {"threads": used, "rounds": rounds, "machine": platform.platform(),
                 "python": platform.python_version(),
                 "peers": {peer.name: peer.version() for peer in installed()}}  # fmt: skip
        _write_json({**about, "rows": [row.to_dict() for row in measured]}, json)
    if plot is not None:
        _draw(measured, plot)


def _generators(scale: int) -> dict[str, Callable[[], Graph]]:
    """A Kronecker graph, a uniform one (both with 16 edges for each vertex), a grid with holes."""
    from ..graph import generate

    side = round(1500 * 2 ** ((scale - FULL) / 2))
    return {
        f"kron-{scale}": lambda: generate.kronecker(scale, 16, rng=1, weights=True),
        f"urand-{scale}": lambda: generate.uniform(1 << scale, 16, rng=1, weights=True),
        f"road-{side}": lambda: generate.road(side, side, deleted=0.15, rng=1, weights=True),
    }


def _table(measured: list[Row], threads: int, rounds: int) -> Table:
    """A row for each algorithm on each graph, a column for each peer: milliseconds and the ratio."""
    from rich.table import Table

    from ..peers.bench import OURS, installed

    table = Table(title=f"median ms of {rounds} rounds (ratio of ours to it), {threads} threads")
    table.add_column("graph")
    table.add_column("algorithm")
    table.add_column(OURS, justify="right")
    names = [peer.name for peer in installed()]
    for name in names:
        table.add_column(name, justify="right")
    for row in measured:
        cells = []
        for name in names:
            if name in row.differs:
                cells.append(f"differs: {row.differs[name]}")
            elif name in row.seconds:
                ratio = row.ratio(name)
                colour = "green" if ratio < 1 else "red"
                cells.append(f"{row.median(name) * 1e3:.2f} ([{colour}]{ratio:.2f}[/])")
            else:
                cells.append("")
        table.add_row(row.graph, row.algorithm, f"{row.median(OURS) * 1e3:.2f}", *cells)
    return table


def _write_json(value: Any, path: Path) -> None:
    from ..graph.files.streams import aside

    with aside(path) as temporary:
        temporary.write_text(text.dumps(value, indent=2) + "\n", encoding="utf-8")


def _matplotlib(path: Path) -> None:
    """Refuse what could not be drawn."""
    from importlib.util import find_spec

    from ..util.errors import InputError, MissingDependencyError

    if path.suffix not in (".png", ".svg"):
        raise InputError(f"--plot {path}: pictures are .png or .svg files")
    if find_spec("matplotlib") is None:
        raise MissingDependencyError(
            "--plot needs matplotlib: python -m pip install 'tachograph[bench]'"
        )


def _draw(measured: list[Row], path: Path) -> None:
    """A panel for each graph, a group of bars for each algorithm: how many times faster we are."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    from ..graph.files.streams import aside
    from ..peers.bench import installed

    graphs = list(dict.fromkeys(row.graph for row in measured))
    names = [peer.name for peer in installed()]
    figure, axes = pyplot.subplots(
        len(graphs), 1, figsize=(8, 2.6 * len(graphs)), squeeze=False, layout="constrained"
    )
    for axis, graph in zip(axes[:, 0], graphs, strict=True):
        mine = [row for row in measured if row.graph == graph]
        for number, name in enumerate(names):
            at = [i + (number + 0.5) / len(names) * 0.8 for i in range(len(mine))]
            height = [1 / row.ratio(name) if name in row.seconds else float("nan") for row in mine]
            axis.bar(at, [h - 1 for h in height], 0.8 / len(names), bottom=1, label=name)
        axis.set_yscale("log")
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xticks([i + 0.4 for i in range(len(mine))], [row.algorithm for row in mine])
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.yaxis.set_minor_formatter(lambda value, _: "")
        axis.set_ylabel("their time / ours")
        axis.set_title(graph)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    with aside(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], dpi=150)
    pyplot.close(figure)
