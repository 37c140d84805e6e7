"""``tacho compare``: ways to decide, beside each other on graphs of your choice."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .options import Json, flat, load, option, out, print_json, table

if TYPE_CHECKING:
    from ..graph.graph import Graph

__all__ = ["app"]

app = typer.Typer(help="Compare ways to decide.", no_args_is_help=True)
USUAL = "auto,surf,gapbs,push"


@app.callback()
def compare() -> None:
    """Compare ways to decide, on graphs of your choice."""


@app.command("directions")
@flat
def directions(
    policy: list[str] = option(
        [], "A policy by name, or FILE.py:FUNCTION; several times. Default: some well-known ones."
    ),
    graphs: str = option(
        "kronecker 16 16,road 300 300", "Files, data sets or generators, by commas."
    ),
    searches: int = option(4, "From so many random vertices of each graph."),
    rounds: int = option(5, "Each search is timed so often, in turns; the best time counts."),
    output: Path | None = option(
        None, "Draw the table: .svg, .html, .png or .pdf.", "--output", "-o"
    ),
    json: Json = False,
) -> None:
    """Compare what chooses between push and pull in breadth-first searches: whole searches are timed.

    [bold]Examples[/bold]

    tacho compare directions --policy auto --policy gapbs --graphs 'web.txt,kronecker 14 16'

    tacho compare directions --policy my.py:rule --policy auto --graphs roads.gr -o policies.svg
    """
    from ..plots import charts
    from ..plots.drawing import check_picture
    from ..plots.numbers import factor, seconds

    if output is not None:
        check_picture(output)
    chosen = {name: policy_of(name) for name in policy or USUAL.split(",")}
    rows: list[dict[str, Any]] = []
    for name in (part.strip() for part in graphs.split(",")):
        times = timed(_graph(name), chosen, searches, rounds)
        best = min(times.values())
        rows += [
            {"graph": name, "policy": who, "seconds": taken, "times the best": taken / best}
            for who, taken in times.items()
        ]
    means = {
        who: math.exp(_mean([math.log(r["times the best"]) for r in rows if r["policy"] == who]))
        for who in chosen
    }
    if output is not None:
        shown = [(who, mean, "measured") for who, mean in means.items()]
        charts.bars(shown, "Time over that of the best policy", shown=factor).save(output)
    if json:
        print_json({"searches": rows, "times the best, mean": means})
        return
    cells = [
        [r["graph"], r["policy"], seconds(r["seconds"]), factor(r["times the best"])] for r in rows
    ]
    cells += [["all (geometric mean)", who, "", factor(mean)] for who, mean in means.items()]
    heads = ["graph", "policy", "time of a search", "times the best"]
    title = "Breadth-first search: whole searches, timed in turns"
    out().print(table(heads, cells, heads[:2], title))


def policy_of(name: str) -> Any:
    """Return a policy of ours by its name, or a function of a file."""
    from ..decisions.direction.model import policy_named
    from ..util.errors import InputError, MissingFileError

    file, colon, function = name.rpartition(":")
    if not colon:
        return policy_named(name)
    if not Path(file).exists():
        raise MissingFileError(f"--policy {name}: there is no file {file}")
    spec = importlib.util.spec_from_file_location("policy", file)
    if spec is None or spec.loader is None:
        raise InputError(f"--policy {name}: {file} is not a file of Python (.py)")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found: Callable[..., object] = getattr(module, function)
    except AttributeError:
        raise InputError(f"--policy {name}: there is no function {function} in {file}") from None
    except (ImportError, SyntaxError) as error:
        raise InputError(f"--policy {name}: {file} cannot be imported: {error}") from None
    return policy_named(found)


def _graph(name: str) -> Graph:
    """Read a file or data set, or generate a graph."""
    from ..decisions.graphs import graph_named

    return load(name) if Path(name).exists() else graph_named(name)


def timed(graph: Graph, policies: dict[str, Any], searches: int, rounds: int) -> dict[str, float]:
    """Return the mean over searches of the best time by each policy; they take turns."""
    from ..decisions.direction.train import sources_of
    from ..tasks.road import run

    best: dict[tuple[str, int], float] = {}
    for source in sources_of(graph, searches).tolist():
        for _ in range(rounds):
            for who, policy in policies.items():
                found = run("bfs", graph, source, direction=policy, keep=False, trace=False)
                best[who, source] = min(best.get((who, source), math.inf), found.seconds)
    return {who: _mean([t for (w, _), t in best.items() if w == who]) for who in policies}


def _mean(values: list[float]) -> float:
    return sum(values) / max(len(values), 1)
