"""``tacho compare``: ways to decide, beside each other on graphs of your choice."""

from __future__ import annotations

import dis
import importlib.util
import math
from itertools import pairwise
from pathlib import Path
from traceback import extract_tb
from types import CodeType
from typing import TYPE_CHECKING, Any

import typer

from ..util.files import is_there
from .options import Json, flat, load, option, out, print_json, split
from .tables import table

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
        [], "Policies by name, or FILE.py:FUNCTION, by commas. One alone meets well-known ones."
    ),
    graphs: str = option(
        "kronecker 16 16,road 300 300", "Files, data sets or generators, by commas."
    ),
    searches: int = option(4, "From so many random vertices of each graph."),
    rounds: int = option(5, "Each search is timed so often, in turns; the best time counts."),
    device: str = option("host", "Where searches run: host, or an OpenCL device such as opencl."),
    output: Path | None = option(
        None, "Draw the table: .svg, .html, .png or .pdf.", "--output", "-o", "--plot"
    ),
    json: Json = False,
) -> None:
    """Compare what chooses between push and pull in breadth-first searches: whole searches are timed.

    [bold]Examples[/bold]

    tacho compare directions --policy auto,gapbs --graphs 'web.txt,kronecker 14 16'

    tacho compare directions --policy my.py:rule --graphs roads.gr -o policies.svg

    tacho compare directions --device opencl
    """
    from ..plots import charts
    from ..plots.drawing import check_picture
    from ..plots.numbers import factor, seconds
    from ..util.errors import InputError

    if output is not None:
        check_picture(output)
    if searches < 1 or rounds < 1:
        raise InputError("--searches and --rounds must be 1 or more")
    named = [part for text in policy for part in split(text)]
    usual = USUAL.split(",") if len(named) < 2 else []
    chosen = {name: policy_of(name) for name in (*named, *usual)}
    rows: list[dict[str, Any]] = []
    for name in split(graphs):
        times = timed(_graph(name), chosen, searches, rounds, device)
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
    out().print(table(heads, cells, title, names=2))


def policy_of(name: str, option: str = "policy") -> Any:
    """Return a policy of ours, by its name, which means another model on another device, or a function
    of a file; ``option`` is where it was named.
    """
    from ..decisions.direction.model import POLICIES, policy_named
    from ..util.errors import InputError, MissingFileError
    from ..util.text import did_you_mean

    file, colon, function = name.rpartition(":")
    if not colon:
        known_names = (*POLICIES, "oracle")
        if name not in known_names:
            near = did_you_mean(name, known_names)
            known = f"choose {', '.join(known_names)}, or write FILE.py:FUNCTION"
            raise InputError(f"--{option} {name}: there is no such policy; {known}{near}")
        return name
    if not is_there(file):
        raise MissingFileError(f"--{option} {name}: there is no file {file}")
    spec = importlib.util.spec_from_file_location("policy", file)
    if spec is None or spec.loader is None:
        raise InputError(f"--{option} {name}: {file} is not a file of Python (.py)")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a file of somebody else does
        raise InputError(f"--{option} {name}: {_where(error, file, spec.origin)}") from None
    found = getattr(module, function, None)
    if not callable(found):
        near = did_you_mean(function, (word for word in vars(module) if not word.startswith("_")))
        raise InputError(f"--{option} {name}: there is no function {function} in {file}{near}")
    if unfit := wrong_with(found):
        raise InputError(f"--{option} {name}: {unfit}")
    return policy_named(found)


def wrong_with(function: Any) -> str:
    """Say whether a function raises errors or does not always answer; nothing if it does neither.

    Compiled, it would print errors at every level, and the search would go on.

    >>> wrong_with(lambda s: s.m_f > s.m_u), wrong_with(lambda s: None)
    ('', 'it may return nothing: let it return true to pull and false to push')
    """
    code: CodeType | None = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None:
        return ""
    steps = list(dis.get_instructions(code))
    for before, step in pairwise(steps):
        if step.opname == "RAISE_VARARGS":
            line = max(line for at, line in dis.findlinestarts(code) if line and at <= step.offset)
            return f"line {line} raises an error, which cannot stop a search that is compiled"
        given = before if step.opname == "RETURN_VALUE" else step  # RETURN_CONST: 3.12 and 3.13
        silent = given.opname in ("LOAD_CONST", "RETURN_CONST") and given.argval is None
        if silent and step.opname.startswith("RETURN"):
            return "it may return nothing: let it return true to pull and false to push"
    return ""


def _where(error: BaseException, file: str, whole: str | None) -> str:
    """Return what went wrong while a file was imported (its ``whole`` path), and in which line."""
    lines = [at.lineno for at in extract_tb(error.__traceback__) if at.filename == whole]
    said = str(error)
    if isinstance(error, SyntaxError) and error.filename == whole:
        lines, said = [error.lineno], error.msg
    line = f", line {lines[-1]}" if lines and lines[-1] else ""
    return f"{file}{line}: {type(error).__name__}: {said}"


def _graph(name: str) -> Graph:
    """Read a file or data set, or generate a graph."""
    from ..decisions.graphs import graph_named

    return load(name) if is_there(name) else graph_named(name)


def timed(
    graph: Graph, policies: dict[str, Any], searches: int, rounds: int, device: str = "host"
) -> dict[str, float]:
    """Return the mean over searches of the best time by each policy; they take turns."""
    from ..decisions.direction.train import sources_of
    from ..tasks.road import run

    best: dict[tuple[str, int], float] = {}
    for source in sources_of(graph, searches).tolist():
        for _ in range(rounds):
            for who, policy in policies.items():
                how = {"direction": policy, "device": device, "trace": False}
                found = run("bfs", graph, source, keep=False, **how)
                best[who, source] = min(best.get((who, source), math.inf), found.seconds)
    return {who: _mean([t for (w, _), t in best.items() if w == who]) for who in policies}


def _mean(values: list[float]) -> float:
    return sum(values) / max(len(values), 1)
