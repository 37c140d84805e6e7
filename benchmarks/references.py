"""Numbers in sentences: a document says where each one comes from, and ``render.py`` writes it there.

    <!--= result latency 0 "tg.bfs, 2,000 vertices" "median ms" -->0.142<!---->

takes a cell of a table of benchmarks/results: the table's number, the row's first cell (or its first
ones, with " / " between) and the column. ``max result NAME 0 * COLUMN`` takes the largest of a column;
``min``, ``mean``, ``median`` and ``count`` work alike. Other sources:

    <!--= published surf table-3 mean "saved surf" .1f -->97.6<!---->     a cell of papers/published
    <!--= published heterogeneous figure-12 "1.3 to 1.6" -->…<!---->      words of its text
    <!--= code tachograph.graph.features MARGIN x100 -->5<!---->          a constant, or road.deleted:
                                                                           an argument's default
    <!--= rows tests/simulation/dram/ramulator.csv -->95<!---->           lines below the head of a file

Words at the end may be a factor (x100), a number to add (+-1), and a format of Python (.1f). A number
from a file that is not ``measured`` is marked.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shlex
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import result_file

PLACE = re.compile(r"<!--= (.+?) -->(.*?)<!---->", re.DOTALL)
REDUCED: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "min": min,
    "mean": statistics.fmean,
    "median": statistics.median,
    "count": len,
}
OPTION = re.compile(r"x(?P<factor>-?[\d.e-]+)|\+(?P<summand>-?[\d.]+)|(?P<format>\.\d+[fg])")


@dataclass(frozen=True)
class Number:
    """A number in a sentence: how it is written, and what it is worth."""

    text: str
    source: str
    state: str
    kept: dict[str, Any] | None = None  # the result, if it comes from one


def render(text: str) -> str:
    """Return a document with the numbers in its sentences as their sources have them."""

    def place(found: re.Match[str]) -> str:
        number = resolve(found[1])
        mark = number.state.partition(":")[0]
        mark = "" if mark in ("measured", *SOURCES) else f"<sup>{mark}</sup>"
        return f"<!--= {found[1]} -->{number.text}{mark}<!---->"

    return PLACE.sub(place, text)


def resolve(reference: str) -> Number:
    """Return the number that a reference names.

    >>> resolve("published surf table-3 mean surf").text
    '94.96'
    """
    words = shlex.split(reference)
    reduce = words.pop(0) if words[0] in REDUCED else None
    options: dict[str, str] = {}
    while len(words) > 3 and (found := OPTION.fullmatch(words[-1])):
        options |= {key: value for key, value in found.groupdict().items() if value}
        words.pop()
    source, *where = words
    try:
        value, label, kept = SOURCES[source](reduce, *where)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise SystemExit(f"<!--= {reference} --> names nothing: {error!r}") from None
    text = str(value)  # published numbers have the digits of the paper
    if isinstance(value, int | float) and (options or source != "published"):
        if options.keys() - {"format"}:
            value = value * float(options.get("factor", 1)) + float(options.get("summand", 0))
        text = f"{value:{options['format']}}" if "format" in options else number(value)
    return Number(text, label, result_file.state(kept) if kept else source, kept)


def number(value: float) -> str:
    """Three digits, thousands apart."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _result(reduce: str | None, name: str, table: str, row: str, column: str) -> Any:
    kept = result_file.read(name)
    found = kept["tables"][int(table)]
    value = _cell(found["rows"], found["columns"], row, column, reduce)
    return value, f"results/{name}.json", kept


def _published(reduce: str | None, paper: str, table: str, row: str, column: str = "") -> Any:
    from tachograph.papers.published import published

    found = published(paper, table)
    label = f"{paper}, {found.where}"
    if not column:
        if row not in found.text:
            raise KeyError(f"{row!r} is not in the text of {paper} {table}")
        return row, label, None
    return _cell(found.rows, found.columns, row, column, reduce), label, None


def _code(reduce: str | None, module: str, name: str) -> Any:
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        if inspect.isfunction(value):
            value = inspect.signature(value).parameters[part].default
        else:
            value = value[part] if isinstance(value, dict) else getattr(value, part)
    value = getattr(value, "default", value)  # of a declared parameter
    return value, f"{module}.{name}", None


def _rows(reduce: str | None, file: str) -> Any:
    lines = (result_file.ROOT / file).read_text(encoding="utf-8").splitlines()
    return len(lines) - 1, file, None


SOURCES: dict[str, Callable[..., Any]] = {
    "result": _result,
    "published": _published,
    "code": _code,
    "rows": _rows,
}


def _cell(
    rows: Sequence[Sequence[Any]], columns: Sequence[str], row: str, column: str, reduce: str | None
) -> Any:
    at = list(columns).index(column)
    if reduce:
        cells = [_plain(r[at]) for r in rows if row in ("*", str(r[0])) and r[at] is not None]
        return REDUCED[reduce](cells)
    for cells in rows:
        names = list(map(str, cells))
        if row.split(" / ") == names[: row.count(" / ") + 1]:
            if cells[at] is None:
                raise KeyError(f"the cell of {row!r} and {column!r} is empty")
            return _plain(cells[at])
    raise KeyError(f"there is no row {row!r}")


def _plain(value: Any) -> Any:
    return statistics.median(value) if isinstance(value, list) else value
