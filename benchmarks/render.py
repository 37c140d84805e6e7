"""Puts the tables of benchmarks/results into the documents: python benchmarks/render.py [--check]

A document says where: everything between a line ``<!-- results NAME -->`` and the next line
``<!-- end -->`` is written anew from NAME.json; ``<!-- results NAME 0 2 -->`` takes only the first and
the third table of it, ``brief`` at the end leaves out spreads. Numbers in sentences have places, too
(``references.py``). Below a table stands what it is worth: measured, stale or kept. ``--check`` changes
nothing, and fails if a document shows anything else.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import references
import result_file
from references import number
from result_file import ROOT

PLACE = re.compile(r"<!-- results ([\w-]+)((?: \d+)*)( brief)? -->\n.*?<!-- end -->", re.DOTALL)


def documents() -> list[Path]:
    """Return all pages for users."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def rendered(text: str) -> str:
    """Return a document with its tables and numbers as they were measured."""

    def place(found: re.Match[str]) -> str:
        name, numbers, brief = found[1], found[2], found[3] or ""
        begin = f"<!-- results {name}{numbers}{brief} -->"
        row = result_file.commands().get(name)
        if row is not None and result_file.state_of(name) == result_file.NEVER:
            never = f"<small>**{result_file.NEVER}**, `{row.command}`</small>"
            return "\n\n".join([begin, never, "<!-- end -->"])
        kept = result_file.read(name)
        tables = kept["tables"]
        shown = [tables[int(k)] for k in numbers.split()] if numbers else tables
        many = len(shown) > 1 or not numbers
        parts = [table(each, title=many, spread=not brief) for each in shown]
        return "\n\n".join([begin, *parts, source(kept), "<!-- end -->"])

    return PLACE.sub(place, references.render(text))


def table(one: dict[str, Any], title: bool, spread: bool = True) -> str:
    """A table in Markdown, its title above and its notes below."""
    columns = one["columns"]
    words = [
        all(isinstance(row[k], str | None) for row in one["rows"]) for k in range(len(columns))
    ]
    lines = [f"**{one['title']}**", ""] if title else []
    lines.append(f"| {' | '.join(columns)} |")
    lines.append(f"|{'|'.join('---' if w else '---:' for w in words)}|")
    lines += [f"| {' | '.join(cell(value, spread) for value in row)} |" for row in one["rows"]]
    if one["notes"]:
        lines += ["", f"<small>{'<br>'.join(one['notes'])}</small>"]
    return "\n".join(lines)


def cell(value: Any, spread: bool) -> str:
    """Rounds as their median and spread; numbers with three digits."""
    if value is None:
        return ""
    if isinstance(value, list):
        if len(value) == 1 or not spread:
            return number(statistics.median(value))
        return f"{number(statistics.median(value))} ({number(min(value))}–{number(max(value))})"
    return number(value) if isinstance(value, int | float) else str(value)


def source(kept: dict[str, Any]) -> str:
    """Say in a line where numbers come from, and what they are worth."""
    machine = kept["machine"]
    day = (kept.get("end") or kept["date"])[:10]
    when = f"{day}, commit {kept['commit']}" + (
        " and uncommitted code" if kept.get("dirty") else ""
    )
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB"
    if "load" in kept:
        where += f", load {kept['load'][0]:g} before"
    line = f"**{result_file.state(kept)}**, `{kept['command']}`: {when}; {where}; "
    line += f"{', '.join(concerned(kept))}."
    if kept.get("kept"):
        line += f" {kept['kept']}"
    return f"<small>{line}</small>"


def concerned(kept: dict[str, Any]) -> list[str]:
    """Python, Numba and the packages that the tables mention, with their versions."""
    words = json.dumps(kept["tables"]).lower()
    aliases = {"python-graphblas": "graphblas"}
    always = ("python", "numba")
    return [
        f"{name} {version}"
        for name, version in kept["versions"].items()
        if name in always or (name != "tachograph" and aliases.get(name, name) in words)
    ]


def main() -> None:
    stale = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        made = rendered(text)
        if made != text:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(made, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"not as measured: {', '.join(stale)}; run python benchmarks/render.py")
    print(*stale, sep="\n")


if __name__ == "__main__":
    main()
