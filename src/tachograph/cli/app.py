"""``tacho``: which commands there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from .help import Group
from .options import Dedupe, Directed, GraphFile, Json, Relabel, load, measured, out, print_json

__all__ = ["app"]

app = typer.Typer(
    name="tacho",
    cls=Group,
    help="Runs graph algorithms fast and decides how to run them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        print(f"tacho {__version__}")
        raise typer.Exit


@app.callback()
def tacho(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Runs graph algorithms fast and decides how to run them."""


@app.command()
def info(
    graph: GraphFile,
    directed: Directed = None,
    relabel: Relabel = False,
    json: Json = False,
) -> None:
    """Measure a graph: counts, degrees, skew, loops, reciprocity, diameter, weights.

    [bold]Examples[/bold]

    tacho info web-NotreDame.txt.gz

    tacho info roads.gr --json | jq .diameter
    """
    loaded = load(graph, directed=directed, relabel=relabel)
    if json:
        print_json({"graph": graph, "directed": loaded.directed, **measured(loaded)})
        return
    from .show import features_table, histogram

    console = out()
    console.print(repr(loaded), style="bold")
    measured(loaded)
    console.print(features_table(loaded))
    console.print(histogram(loaded.features.degree_counts))


@app.command()
def convert(
    graph: GraphFile,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")],
    directed: Directed = None,
    relabel: Relabel = False,
    dedupe: Annotated[Dedupe, typer.Option(help="What happens to parallel edges.")] = Dedupe.keep,
    drop_self_loops: Annotated[bool, typer.Option("--drop-self-loops")] = False,
) -> None:
    """Convert a graph file to another format.

    Formats: .txt .el .wel .gr .max .graph .mtx .sg .wsg .tntp .parquet .arrow .csv .npz .tgraph;
    text formats also with .gz .bz2 .xz .zst behind.

    [bold]Examples[/bold]

    tacho convert web-NotreDame.txt.gz web.tgraph

    tacho convert roads.gr roads.parquet --undirected --dedupe min
    """
    from ..graph.files import write

    loaded = load(
        graph,
        directed=directed,
        relabel=relabel,
        dedupe=dedupe.value,
        drop_self_loops=drop_self_loops,
    )
    write(loaded, output)
    typer.echo(f"{output}: {loaded!r}", err=True)


@app.command()
def datasets(
    json: Json = False,
    local: Annotated[bool, typer.Option("--local", help="Only those on this machine.")] = False,
) -> None:
    """List the data sets that can be used by name, and where they are.

    Directories in $TACHOGRAPH_DATA are searched first; other data sets are downloaded when used.

    [bold]Examples[/bold]

    TACHOGRAPH_DATA=~/graphs tacho datasets --local

    tacho info soc-Slashdot0902
    """
    from dataclasses import asdict

    from ..graph.datasets import datasets as known

    found = {k: d for k, d in known().items() if d.file is not None or not local}
    if json:
        print_json([{**asdict(d), "file": d.file and str(d.file)} for d in found.values()])
        return
    from .show import datasets_table

    console = out()
    console.print(datasets_table(found.values(), console.width))


@app.command()
def tour(
    graph: Annotated[
        str | None, typer.Argument(metavar="[GRAPH]", help="Default: a generated graph.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page.")] = Path("tour.html"),
) -> None:
    """Show on one graph what Tachograph does, and write a page about it.

    [bold]Examples[/bold]

    tacho tour

    tacho tour roads.gr
    """
    from .tour.guide import run

    run(graph, output)


from . import dram, generate, journal, run, scale, train  # noqa: E402  (their commands are added)
from .bench import bench  # noqa: E402
from .devices import devices  # noqa: E402
from .nx_profile import nx_profile  # noqa: E402
from .plan import plan, what_if  # noqa: E402
from .report import report  # noqa: E402
from .reproduce import reproduce  # noqa: E402
from .simulate import simulate  # noqa: E402
from .warm import warm  # noqa: E402

app.command()(warm)
app.command()(bench)
app.command()(devices)
app.command()(plan)
app.command()(what_if)
app.command()(report)
app.command("nx-profile")(nx_profile)
app.command()(reproduce)
app.command()(simulate)
app.add_typer(dram.app, name="dram")
app.add_typer(generate.app, name="generate")
app.add_typer(journal.app, name="journal")
app.add_typer(run.app, name="run")
app.add_typer(scale.app, name="scale")
app.add_typer(train.app, name="train")
