"""``tacho plan TASK GRAPH``: what would be run, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import Confidence, Directed, GraphFile, Json, Relabel, load, out, print_json, share
from .run import vertex_of

if TYPE_CHECKING:
    from rich.table import Table

    from ..planning.plan import Plan

__all__ = ["app"]

app = typer.Typer(
    help="Show what would be run, and why.\n\n"
    "[bold]Example[/bold]  tacho plan sssp web.gr --source 0 --max-error 5%",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def plan() -> None:
    """Show what would be run, and why."""


@app.command()
def sssp(
    graph: GraphFile,
    max_error: Annotated[str, typer.Option(help="Mean relative error that is allowed, as 5%.")],
    source: Annotated[
        list[str] | None, typer.Option(help="A vertex; default: that of highest degree.")
    ] = None,
    confidence: Confidence = "90%",
    directed: Directed = None,
    relabel: Relabel = False,
    json: Json = False,
) -> None:
    """Shortest paths: the fastest way that keeps an error budget, and the alternatives.

    [bold]Examples[/bold]

    tacho plan sssp web.gr --max-error 5%

    tacho plan sssp roads.gr --source 17 --max-error 10% --confidence 95% --json
    """
    from ..planning.plan import plan as make

    loaded = load(graph, directed=directed, relabel=relabel)
    where = [vertex_of(loaded, s) for s in source or ()]
    made = make(
        "sssp",
        loaded,
        source=where or int(loaded.degrees.argmax()),
        max_error=share(max_error, "max-error"),
        confidence=share(confidence, "confidence"),
    )
    if json:
        print_json(made.to_dict())
        return
    console = out()
    console.print(repr(loaded), style="bold")
    console.print(f"run  {made.chosen.name}", markup=False)
    console.print(f"why  {made.reason}", markup=False)
    console.print(_table(made))


def _table(made: Plan) -> Table:
    from rich.table import Table

    table = Table(title="predictions", title_justify="left")
    for column in ("", "error", "at most", "times as fast", "at least"):
        table.add_column(column, justify="left" if not column else "right")
    for option in (made.chosen, *made.others):
        p = option.predicted
        table.add_row(
            option.name, f"{p['error']:.2%}", f"{p['error_bound']:.2%}", f"{p['gain']:.2f}",
            f"{p['gain_bound']:.2f}", style="bold" if option is made.chosen else None,
        )  # fmt: skip
    return table
