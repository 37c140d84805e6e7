"""What the scripts here share: their options, how candidates are timed, and their tables."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import render


@dataclass(frozen=True)
class Table:
    """What was measured. A cell that is a list has a number for each round."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()


def seconds(call: Callable[[], object]) -> float:
    """Time one call; a float that it returns, or the ``seconds`` of its result, are its own time."""
    begin = time.perf_counter()
    outcome = call()
    taken = time.perf_counter() - begin
    return float(outcome if isinstance(outcome, float) else getattr(outcome, "seconds", taken))


def in_turns(
    candidates: Mapping[str, Callable[[], object]], rounds: int, once: float = float("inf")
) -> dict[str, list[float]]:
    """Time candidates alternately, each round beginning with another one; the first round warms up.

    A candidate that takes longer than ``once`` seconds runs once.
    """
    names = list(candidates)
    first = {name: seconds(candidates[name]) for name in names}
    times = {name: [first[name]] if first[name] > once else [] for name in names}
    again = [name for name in names if first[name] <= once]
    for turn in range(rounds):
        for at in range(len(again)):
            name = again[(at + turn) % len(again)]
            times[name].append(seconds(candidates[name]))
    return times


def rounded(values: Sequence[float]) -> list[float]:
    """Round to four digits, which are more than a timing has."""
    return [float(f"{value:.4g}") for value in values]


def main(measure: Callable[..., Iterable[Table]], choices: Iterable[str] | None = None) -> None:
    """Run a script: its options are the arguments of ``measure``, whose tables are printed.

    An argument with a default is an option, a flag if it is false; one without is a word, and
    ``*words`` takes all others. ``choices`` are those for the first word.
    """
    raw = argparse.RawDescriptionHelpFormatter
    doc = sys.modules[measure.__module__].__doc__
    parser = argparse.ArgumentParser(description=doc, formatter_class=raw)
    words = []
    for key, parameter in inspect.signature(measure).parameters.items():
        option, default = f"--{key.replace('_', '-')}", parameter.default
        if default is False:
            parser.add_argument(option, action="store_true")
        elif default is not inspect.Parameter.empty:
            parser.add_argument(option, type=type(default), default=default)
        else:
            many = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            first = list(choices) if choices and not words else None
            parser.add_argument(key, nargs="*" if many else None, choices=first)
            words.append(key)
    parser.add_argument("--json", type=Path, help="write the tables to this file")
    given = vars(parser.parse_args())
    file = given.pop("json")
    named = [given.pop(key) for key in words]
    flat = [word for item in named for word in (item if isinstance(item, list) else [item])]
    tables = [asdict(table) for table in measure(*flat, **given)]
    for each in tables:
        print(f"\n{render.table(each, title=True)}")
    if file:
        file.write_text(json.dumps(tables), encoding="utf-8")
