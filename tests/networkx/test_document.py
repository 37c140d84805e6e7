"""The documentation has the list of functions that the code has."""

from __future__ import annotations

from pathlib import Path

from tachograph.networkx.document import TITLES, functions_list
from tachograph.networkx.functions import FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "networkx.md"


def test_the_page_has_the_list():
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition("## Functions\n\n")[2] == functions_list()


def test_every_function_is_in_it():
    assert {function.module for function in FUNCTIONS.values()} == set(TITLES)
    rows = [line for line in functions_list().splitlines() if line.startswith("| `")]
    assert len(rows) == len(FUNCTIONS)
