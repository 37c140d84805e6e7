"""``tacho nx-profile``: which calls of NetworkX in a script would be faster here."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import Annotated

import typer

from .options import Json, out, print_json

__all__ = ["nx_profile"]


def nx_profile(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python script.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="What the script gets.")
    ] = None,
    sample: Annotated[int, typer.Option(help="Calls of each function that are tried.")] = 3,
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
    from dataclasses import asdict

    from ..util.errors import MissingDependencyError

    try:
        import networkx  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "NetworkX is not installed: pip install 'tachograph[networkx]'"
        ) from None
    from ..networkx.decide import in_words
    from ..networkx.profile import profile

    with redirect_stdout(sys.stderr) if json else nullcontext():
        found = profile(script, arguments or [], sample)
    if json:
        print_json([{**asdict(calls), "gain": calls.gain, "saved": calls.saved} for calls in found])
        return
    if not found:
        typer.echo("the script called no function that the backend has", err=True)
        return
    from rich.table import Table

    table = Table(title="Measured in NetworkX; the gain is measured on the calls that were tried")
    for column in (
        "function",
        "calls",
        "NetworkX",
        "tried",
        "gain",
        "would save",
        "chosen",
        "why not",
    ):
        table.add_column(column, justify="left" if column in ("function", "why not") else "right")
    for calls in found:
        saved = calls.saved
        table.add_row(
            calls.name, f"{calls.count:,}", in_words(calls.seconds), f"{calls.sampled}",
            "-" if calls.gain is None else f"{calls.gain:.2g}x",
            f"~{in_words(saved)}" if saved is not None and saved > 0 else "-",
            f"{calls.chosen} of {calls.sampled}", calls.reason,
        )  # fmt: skip
    out().print(table)
