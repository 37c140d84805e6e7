"""The accelerator of the guide works as it stands there, and is as short as promised."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.util.errors import InputError
from tests.simulation.accelerators.support import graphs, ranks, smallest_ancestor

GUIDE = Path(__file__).parents[3] / "docs" / "new-accelerator.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
made: dict = {"__name__": "guide"}
exec(compile(BLOCKS[0], str(GUIDE), "exec"), made)
ForeGraph = made["ForeGraph"]
designs = st.builds(ForeGraph, interval=st.sampled_from([1, 3, 100]), skipping=st.booleans(),
                    permute_ids=st.sampled_from([None, 5]))  # fmt: skip


def test_it_is_short_and_its_examples_run(capsys):
    assert len(BLOCKS[0].splitlines()) < 200
    exec(compile(BLOCKS[1], str(GUIDE), "exec"), made)
    assert capsys.readouterr().out.count("iterations") == 3


@settings(max_examples=40, deadline=None)
@given(graphs(), designs, st.data())
def test_values(g, design, data):
    source = data.draw(st.integers(0, g.n - 1))
    assert (
        tg.simulate("bfs", g, design, source=source).levels.tolist()
        == tg.bfs(g, source).levels.tolist()
    )
    labels = tg.simulate("wcc", g, design, along_arcs=True).labels
    assert labels.tolist() == smallest_ancestor(g).tolist()
    scores = tg.simulate("pagerank", g, design, iterations=3).scores
    assert np.allclose(scores, ranks(g, 3), atol=1e-12)


def test_requests_by_hand():
    g = tg.complete(256)
    result = tg.simulate("pagerank", g, ForeGraph(interval=64))
    block = [64 * 64, 64 * 63]  # edges of a block off and on the diagonal
    assert result.requests == {
        "writes": 4 * 4,
        "edges": 12 * -(-block[0] * 4 // 64) + 4 * -(-block[1] * 4 // 64),
        "sources": 16 * 4,
        "destination": 4 * 4,
    }


def test_it_fails_as_the_others_do():
    g = tg.path(4)
    with pytest.raises(InputError, match="ForeGraph has no parameter 'intervall'; known: interval"):
        ForeGraph(intervall=3)
    with pytest.raises(InputError, match="ForeGraph does not run 'spmv'"):
        tg.simulate("spmv", g, ForeGraph())
    with pytest.raises(InputError, match="bram_bytes"):
        tg.simulate("wcc", g, ForeGraph(bram_bytes=8))
