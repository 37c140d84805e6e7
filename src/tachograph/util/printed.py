"""Tables and numbers as text for a Python prompt, as wide as its terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Sequence

from .text import plain

__all__ = ["cells_of", "columns", "explained", "three_digits", "wrapped"]

#: Cells of a line at most, also where there is no terminal; the least that an explanation needs
#: beside a table, else it stands below its row; how far it is then set in.
WIDTH, LEAST_BESIDE, INDENT = 120, 36, 3


def explained(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    about: tuple[str, Sequence[str]],
    right: Collection[int],
) -> list[str]:
    r"""Return the lines of a table with an explanation of each row: its head, and the texts.

    >>> print(*explained(["way", "time"], [["push", "3 ms"]], ("why", ["few arcs"]), [1]), sep="\n")
    way   time   why
    push  3 ms   few arcs
    """
    lines, (title, texts) = columns(head, rows, right), about
    width = max(map(cells_of, lines))
    room = _width() - width - INDENT
    beside = room >= LEAST_BESIDE
    made = [f"{_padded(lines[0], width)}{' ' * INDENT}{title}" if beside else lines[0]]
    for line, text in zip(lines[1:], texts, strict=True):
        told = textwrap.wrap(text, room if beside else max(_width() - INDENT, 1)) or [""]
        inset = " " * (width + INDENT if beside else INDENT)
        made.append(_padded(line, width) + " " * INDENT + told.pop(0) if beside else line)
        made += [inset + more for more in told]
    return made


def wrapped(text: str) -> list[str]:
    """Return a text in lines that fit."""
    return textwrap.wrap(text, _width())


def cells_of(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> cells_of("roads"), cells_of("道路")
    (5, 4)
    """
    from rich.cells import cell_len

    return cell_len(plain(text))


def three_digits(value: float) -> str:
    """Return a number with three digits, or a whole one if it has more.

    >>> three_digits(0.01234), three_digits(1998.004)
    ('0.0123', '1,998')
    """
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def _padded(text: str, width: int, right: bool = False) -> str:
    blank = " " * (width - cells_of(text))
    return blank + text if right else text + blank


def _width() -> int:
    return min(shutil.get_terminal_size((WIDTH, 0)).columns, WIDTH)


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]
) -> list[str]:
    """Return the lines of a table; the columns with these numbers are aligned to the right.

    >>> columns(["", "way", "time"], [["0", "push", "3 ms"]], right=[2])
    ['   way   time', '0  push  3 ms']
    """
    widths = [max(map(cells_of, cells)) for cells in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        places = enumerate(zip(row, widths, strict=True))
        cells = [_padded(cell, width, k in right) for k, (cell, width) in places]
        lines.append("  ".join(cells).rstrip())
    return lines
