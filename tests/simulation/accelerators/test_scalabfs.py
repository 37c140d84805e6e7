"""ScalaBFS: requests by hand, and what decides its time."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.accelerators.streams_of_scalabfs import Rows, port_count
from tachograph.util.errors import InputError

PUSH = tg.ScalaBFS(push_to_pull=0, pull_to_push=0)


def test_rows_are_padded_to_beats():
    """Degrees 5, 1, 0, 4 are 2, 1, 0 and 1 beats; with two ports each has every other vertex."""
    g = tg.Graph.from_edges([0] * 5 + [1] + [3] * 4, [1, 2, 3, 4, 5, 0, 0, 1, 2, 4], n=6)
    rows = Rows.of(g.indptr, g.indices, 2)
    assert rows.beats.tolist() == [2, 1, 0, 1, 0, 0]
    assert rows.begins.tolist() == [0, 0, 2, 1, 2, 2]
    assert (rows.size(0), rows.size(1)) == (32, 32)


def test_requests_by_hand():
    """A hub with 100 neighbours: 25 beats in 13 lines; then each of them: a beginning and a row."""
    star = tg.star(101)
    pushed = tg.simulate("bfs", star, PUSH, source=0)
    assert pushed.requests == {"beginnings": 101, "neighbours": 13 + 100}
    assert pushed.trace["phase"].tolist() == ["push", "push"]
    # the second level is pulled: nobody is unvisited any more
    pulled = tg.simulate("bfs", star, tg.ScalaBFS(), source=0)
    assert pulled.requests == {"beginnings": 1, "neighbours": 13}
    # both: all 100 leaves look for a parent and find it
    both = tg.simulate("bfs", star, tg.ScalaBFS(push_to_pull=0, pull_to_push=2), source=0)
    assert both.requests == {"beginnings": 100, "neighbours": 100}
    assert (both.levels == pushed.levels).all()


def test_a_port_receives_a_beat_in_a_cycle():
    """A row of 4,000 ids is 1,000 beats at one port, whatever the memory could do."""
    star = tg.star(4001)
    result = tg.simulate("bfs", star, tg.ScalaBFS(), source=0)
    cycles = float(result.trace["seconds"][0]) * 90e6
    assert 1000 <= cycles < 1100


def test_elements_take_two_ids_in_a_cycle():
    """All ids belong to one element of 64: two a cycle, instead of four at the port."""
    ids = 64 * np.arange(1, 2001)
    g = tg.Graph.from_edges(np.zeros(2000, int), ids, n=64 * 2001)
    result = tg.simulate("bfs", g, PUSH, source=0, iterations=1)
    cycles = float(result.trace["seconds"][0]) * 90e6
    scan = 2 * (64 * 2001 // 4096)
    assert 1000 <= cycles < 1000 + scan + 100
    wide = tg.ScalaBFS(push_to_pull=0, pull_to_push=0, pe_inputs=4)
    faster = tg.simulate("bfs", g, wide, source=0, iterations=1)
    assert faster.seconds < 0.7 * result.seconds


def test_pseudo_channels_are_ports():
    memory = tg.ScalaBFS().memory()
    assert port_count(memory) == 32
    assert memory.capacity == 8 << 30
    assert port_count(tg.Memory("DDR4-2400R", channels=4)) == 4
    g = tg.kronecker(11, 16, rng=1)
    result = tg.simulate("bfs", g, tg.ScalaBFS(), source=int(np.argmax(g.degrees)))
    assert not result.notes  # all channels have requests
    gteps = g.arcs / result.trace["seconds"].sum() / 1e9
    assert result.measures["GTEPS"] == pytest.approx(gteps)
    assert result.expected_error is None or result.expected_error < 50


def test_mistakes():
    with pytest.raises(InputError, match="need values together"):
        tg.simulate("bfs", tg.path(4), tg.ScalaBFS(push_to_pull=2), source=0)
    with pytest.raises(InputError, match="does not run 'pagerank'; it runs bfs"):
        tg.simulate("pagerank", tg.path(4), "scalabfs")
    with pytest.raises(InputError, match="bitmaps and levels"):
        tg.simulate("bfs", tg.path(4000), tg.ScalaBFS(bram_bytes=100), source=0)
    wide = tg.Memory("HBM", channels=64)
    with pytest.raises(InputError, match="32 ports at most: use fewer than 64 channels"):
        tg.simulate("bfs", tg.path(4), tg.ScalaBFS(), wide, source=0)
