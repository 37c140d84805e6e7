"""The documentation has the list of functions that the code has."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tachograph.networkx.functions import FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "networkx.md"


def functions_list() -> str:
    """Return a table for each group of functions, in Markdown; for the page."""
    parts = []
    for title, functions in groupby(FUNCTIONS.values(), lambda f: f.group):
        lines = [f"### {title}", "", "| function | also takes | differs |", "|---|---|---|"]
        for f in sorted(functions):
            names = ", ".join(f"`{text.split(' : ')[0]}`" for text in f.parameters)
            lines.append(f"| `{f.name}` | {names} | {f.notes} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def test_the_page_has_the_list():
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition("## Functions\n\n")[2] == functions_list()
