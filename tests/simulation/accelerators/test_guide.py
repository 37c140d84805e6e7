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
Scratchpad = made["Scratchpad"]
designs = st.one_of(
    st.builds(Scratchpad, lanes=st.sampled_from([1, 8]), permute_ids=st.sampled_from([None, 5])),
    st.builds(tg.ForeGraph, partition_size=st.sampled_from([1, 3, 100]), block_skipping=st.booleans(),
              permute_ids=st.sampled_from([None, 5])),
)  # fmt: skip


def test_it_is_short_and_its_examples_run(capsys):
    assert len(BLOCKS[0].splitlines()) < 200
    exec(compile(BLOCKS[1], str(GUIDE), "exec"), made)
    assert capsys.readouterr().out.count("iterations") == 4


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
    result = tg.simulate("pagerank", g, tg.ForeGraph(partition_size=64))
    block = [64 * 64, 64 * 63]  # edges of a block off and on the diagonal
    assert result.requests == {
        "writes": 4 * 4,
        "edges": 12 * -(-block[0] * 4 // 64) + 4 * -(-block[1] * 4 // 64),
        "sources": 16 * 4,
        "destination": 4 * 4,
    }
    result = tg.simulate("pagerank", g, Scratchpad())
    assert result.requests == {"edges": 256 * 255 * 4 // 64, "values": 16, "writes": 16}


def test_banks_take_the_time_of_the_guide():
    """All edges to one vertex need one bank: a cycle each."""
    n = 1 << 12
    star = tg.Graph.from_edges(np.arange(1, n), np.zeros(n - 1, int), n=n)
    slow = tg.simulate("wcc", star, Scratchpad(), iterations=1, along_arcs=True)
    assert slow.trace["seconds"][0] * 1e9 > n - 1


def test_it_fails_as_the_others_do():
    g = tg.path(4)
    with pytest.raises(InputError, match="Scratchpad has no parameter 'lane'; known: clock_mhz"):
        Scratchpad(lane=3)
    for design, message in ((Scratchpad, "Scratchpad"), (tg.ForeGraph, "ForeGraph")):
        with pytest.raises(InputError, match=f"{message} does not run 'spmv'"):
            tg.simulate("spmv", g, design())
        with pytest.raises(InputError, match="bram_bytes"):
            tg.simulate("wcc", g, design(bram_bytes=8))
