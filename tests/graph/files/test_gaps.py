"""Files whose ids have gaps say so."""

from __future__ import annotations

from pathlib import Path

import pytest

import tachograph as tg

TEXT = "# Nodes: 3 Edges: 2\n0 5\n5 9\n"


def test_ids_that_do_not_occur_are_told():
    Path("gaps.txt").write_text(TEXT)
    with pytest.warns(
        tg.TachographWarning, match="up to 9, but the file promises 3 nodes.*relabel"
    ):
        assert tg.read("gaps.txt").n == 10
    found = tg.read("gaps.txt", relabel=True)
    assert found.n == 3
    assert found.names.tolist() == [0, 5, 9]


def test_files_without_gaps_say_nothing():
    Path("whole.txt").write_text("# Nodes: 4 Edges: 2\n0 1\n1 2\n")
    assert tg.read("whole.txt").n == 4
