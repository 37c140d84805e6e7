"""Tables at a Python prompt, beside odd names and in odd terminals."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tachograph.util.printed import columns, explained, wrapped

NAMES = ["北京大学.toml", "u\u0308ber.toml", "host"]  # two cells for a letter, none, one


def test_columns_stand_below_each_other_whatever_the_names():
    lines = columns(["machine", "time"], [[name, "7 ms"] for name in NAMES], right=[1])
    assert len({cell_len(line) for line in lines}) == 1
    lines = explained(["machine"], [[name] for name in NAMES], ("why", ["so"] * 3), right=[0])
    assert len({cell_len(line) for line in lines[1:]}) == 1


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_no_terminal_is_too_narrow(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = explained(["way"], [["push"]], ("why", ["few arcs"]), right=[])
    assert "".join("".join(lines).split()) == "waypushfewarcs"
    assert max(map(len, wrapped("few arcs"))) <= width
