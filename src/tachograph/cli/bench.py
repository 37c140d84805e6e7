"""``tacho bench`` and ``tacho nx-profile``: tasks beside other libraries."""

from __future__ import annotations

import json as text
import platform
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, flat, load, option, out, print_json, say
from .tables import Fitted, table

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..networkx.profile import Calls
    from ..peers.bench import Row
    from ..plots.drawing import Drawing

__all__ = ["bench", "nx_profile"]

ROAD_SCALE = 20  # at which the road graph has 1500 x 1500 crossings
GOT = "What the script gets."
DEFAULT = "Files or data sets. Default: three generated."
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[ARGS]...", help=GOT)]
Graphs = Annotated[list[str] | None, typer.Argument(metavar="[GRAPH]...", help=DEFAULT)]


@flat
def bench(
    graphs: Graphs = None,
    scale: int = option(18, "Of the generated graphs: 2**SCALE vertices.", min=4, max=26),
    rounds: int = option(5, "Times that every candidate runs.", min=1),
    threads: int | None = option(None, "Default: all cores."),
    device: str | None = option(None, "Run our tasks there, too: an OpenCL device such as opencl."),
    json: Path | None = option(None, "Write all times to this file."),
    plot: Path | None = option(None, "Draw the ratios: .svg, .html, .png or .pdf."),
) -> None:
    """Run every task beside the peers that are installed; print the ratios of the times.

    Peers: NetworKit, igraph, SciPy and python-graphblas if they can be imported (pip install
    'tachograph[bench]'), and GAPBS if $GAPBS names the directory of its binaries. They take turns in
    one run, and only times of results that agree with ours are shown.

    [bold]Examples[/bold]

    tacho bench

    GAPBS=~/gapbs tacho bench --scale 20 --json bench.json --plot bench.svg

    tacho bench roads.gr web.txt.gz --rounds 9

    tacho bench --scale 16 --device opencl
    """
    from ..kernels.runtime.launch import threads as using
    from ..kernels.runtime.launch import threads_available
    from ..peers.bench import NOTES, TASKS, installed, rows
    from ..plots.drawing import check_picture
    from ..util.files import aside, scratch
    from ..util.progress import bar

    if plot is not None:
        check_picture(plot)
    made = {} if graphs else _generators(scale)
    names = graphs or list(made)
    measured: list[Row] = []
    with using(threads), bar("measuring", len(names) * len(TASKS)) as shown:
        used = threads_available()
        for name in names:
            shown.note(name)
            graph = made[name]() if made else load(name)
            with scratch() as directory:
                for row in rows(name, graph, used, rounds, directory, device):
                    measured.append(row)
                    shown.note(f"{name}, {row.task} done")
                    shown.advance(1)
    console = out()
    title = f"median ms of {rounds} rounds (ratio of ours to it), {used} threads"
    console.print(_table(measured, title))
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


def _columns(measured: list[Row]) -> list[str]:
    """Return whatever runs beside ours: peers, and a device."""
    from ..peers.bench import OURS, installed

    every = [peer.name for peer in installed()]
    every += [name for row in measured for name in (*row.seconds, *row.differs)]
    return [name for name in dict.fromkeys(every) if name != OURS]


def _table(measured: list[Row], title: str) -> Fitted:
    """Return a row for each task on each graph: milliseconds of each peer, and the ratio of ours."""
    from rich.text import Text

    from ..peers.bench import OURS

    names, rows = _columns(measured), []
    for row in measured:
        cells: dict[str, str | Text] = {k: f"differs: {fact}" for k, fact in row.differs.items()}
        for name, ratio in row.ratios.items():
            shown = (f"{ratio:.2f}", "green" if ratio < 1 else "red")
            cells[name] = Text.assemble(f"{row.median(name) * 1e3:.2f} (", shown, ")")
        ours = f"{row.median(OURS) * 1e3:.2f}"
        rows.append([row.graph, row.task, ours, *(cells.get(name, "") for name in names)])
    return table(("graph", "task", OURS, *names), rows, title, names=2)


def _picture(measured: list[Row]) -> Drawing:
    """Draw a panel for each graph: how many times as long each peer takes for each task."""
    from ..plots.charts import ratios
    from ..plots.drawing import stacked

    graphs: dict[str, dict[str, dict[str, float]]] = {}
    for row in measured:
        times = {peer: 1 / ratio for peer, ratio in row.ratios.items()}
        if times:
            graphs.setdefault(row.graph, {})[row.task] = times
    names, label = _columns(measured), "their time / ours"
    return stacked([ratios(name, tasks, label, names) for name, tasks in graphs.items()])


@flat
def nx_profile(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python script.")],
    arguments: Arguments = None,
    sample: int = option(3, "Calls of each function that are tried."),
    json: Json = False,
) -> None:
    """Run a script and say which of its NetworkX calls would gain from this backend, and how much.

    Every call of a function that the backend has is timed as NetworkX runs it. The first few of each
    are made again by the backend, the conversion of the graph included, and their results thrown away.
    What all calls would save is estimated from those. With --json the script prints to stderr.

    [bold]Examples[/bold]

    tacho nx-profile analysis.py

    tacho nx-profile --sample 10 --json analysis.py graph.gml
    """
    from ..util.errors import MissingDependencyError

    try:
        import networkx  # noqa: F401
    except ImportError:
        install = "pip install 'tachograph[networkx]'"
        raise MissingDependencyError(f"NetworkX is not installed: {install}") from None
    from ..networkx.profile import profile

    with redirect_stdout(sys.stderr) if json else nullcontext():
        found = profile(script, arguments or [], sample)
    if json:
        print_json([{**asdict(calls), "gain": calls.gain, "saved": calls.saved} for calls in found])
    elif not found:
        say("the script called no function that the backend has")
    else:
        rows = [_calls(calls) for calls in found]
        title = "Measured in NetworkX; the gain is measured on the calls that were tried"
        cells = [list(row.values()) for row in rows]
        out().print(table(rows[0], cells, title))


def _calls(calls: Calls) -> dict[str, str]:
    """Return a row of the table, with the names of its columns."""
    from ..networkx.decide import in_words
    from ..plots.numbers import factor

    gain, saved = calls.gain, calls.saved
    return {
        "function": calls.name,
        "calls": f"{calls.count:,}",
        "NetworkX": in_words(calls.seconds),
        "tried": f"{calls.sampled}",
        "gain": "-" if gain is None else factor(gain),
        "would save": f"~{in_words(saved)}" if saved is not None and saved > 0 else "-",
        "chosen": f"{calls.chosen} of {calls.sampled}",
        "why not": calls.reason,
    }
