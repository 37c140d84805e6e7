"""Plans and comparisons as text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..util.memory import human

if TYPE_CHECKING:
    from .plan import Candidate, Plan

__all__ = ["columns", "duration", "html", "text"]

WIDTH, LEAST = 120, 36  # of a line, and of the reasons in it


def duration(seconds: float | None) -> str:
    """Return seconds as text for people.

    >>> duration(0.0032), duration(250e-6), duration(None)
    ('3.20 ms', '250 µs', '?')
    """
    if seconds is None:
        return "?"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size or unit == "µs":
            value = seconds / size
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    raise AssertionError("unreachable")


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 2) -> list[str]:
    """Return the lines of a table; the first ``left`` columns are aligned to the left.

    >>> columns(["", "way", "time"], [["0", "push", "3 ms"]], left=2)
    ['   way   time', '0  push  3 ms']
    """
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    return [
        "  ".join(
            cell.ljust(w) if k < left else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]


def text(plan: Plan) -> str:
    """Return a plan as a table, with a note that says where its times come from."""
    errors = any(c.error_bound for c in plan.candidates)
    head = ["", "way", "time", "between", *(["error"] if errors else []), "memory"]
    lines = columns(head, [_cells(k, c, errors) for k, c in enumerate(plan.candidates)])
    width = max(map(len, lines))
    table = [f"{lines[0].ljust(width)}   why"]
    for line, candidate in zip(lines[1:], plan.candidates, strict=True):
        why = textwrap.wrap(candidate.reason, max(WIDTH - width - 3, LEAST))
        table += [
            f"{line.ljust(width)}   {why[0]}",
            *(" " * (width + 3) + more for more in why[1:]),
        ]
    told = "".join(f", {k}={v}" for k, v in plan.arguments.items() if not hasattr(v, "__len__"))
    below = [f"{plan.chosen.name} comes first: {plan.reason}.",
             f"Times are predictions with 90 % intervals, {'; '.join(plan.notes)}.",
             *(f"Refused: {refusal}." for refusal in plan.refused)]  # fmt: skip
    wrapped = [line for text in below for line in textwrap.wrap(text, WIDTH)]
    return "\n".join([f"{plan.task} on {plan.graph!r}{told}", "", *table, "", *wrapped])


def html(plan: Plan) -> str:
    """Return a plan as a table for a notebook, with the chosen way first."""
    from ..plots.notebook import table_html

    errors = any(c.error_bound for c in plan.candidates)
    head = ["", "way", "time", "between", *(["error"] if errors else []), "memory", "why"]
    rows = [[*_cells(k, c, errors), c.reason] for k, c in enumerate(plan.candidates)]
    note = f"{plan.chosen.name} comes first: {plan.reason}."
    return table_html(f"{plan.task} on {plan.graph!r}", head, rows, note)


def _cells(place: int, c: Candidate, errors: bool) -> list[str]:
    e = c.estimate
    between = (
        f"{duration(e.low)} to {duration(e.high)}" if e.seconds is not None else "not measured"
    )
    cells = [str(place), c.name, duration(e.seconds), between]
    if errors:
        cells.append("exact" if not c.error_bound else f"{c.error:.1%} (< {c.error_bound:.1%})")
    return [*cells, "?" if e.memory is None else human(e.memory)]
