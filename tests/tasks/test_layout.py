"""Layouts that are prepared once: their price is told, and they pay after some runs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.bfs_on_host import has_hubs
from tachograph.algorithms.result import Lazy
from tachograph.tasks.candidate import Candidate
from tachograph.tasks.estimate import Estimate
from tachograph.tasks.layout import pays_after, total


def candidate(name, seconds, once=0.0):
    made = Estimate(seconds, seconds / 2, seconds * 2)
    prepare = (lambda: None) if once else None
    return Candidate(name, {}, "a reason", Lazy(lambda: made), once=once, prepare=prepare)


def test_a_layout_pays_as_soon_as_it_has_saved_its_price():
    plain, dear = candidate("plain", 1.0), candidate("dear", 0.75, once=5.0)
    others = [plain, dear]
    runs = pays_after(dear, others)
    assert total(dear, runs) <= total(plain, runs)
    assert total(dear, runs - 1) > total(plain, runs - 1)
    slower = candidate("slower", 1.5, once=5.0)
    assert pays_after(slower, [plain, slower]) is None


def test_many_runs_choose_the_layout_and_one_does_not():
    graph = tg.kronecker(13, rng=5)
    few, many = (tg.plan("bfs", graph, source=1, reuse=n) for n in (1, 1_000_000))
    assert few.chosen.name == "auto"
    assert many.chosen.name == "hubs first"
    assert "1,000,000 runs" in many.reason
    told = {c["name"]: c for c in json.loads(json.dumps(many.to_dict()))["candidates"]}
    assert told["hubs first"]["once"] > 0
    assert 1 < told["hubs first"]["pays_after"] < 1_000_000
    assert "pays after" in str(many)
    assert not has_hubs(graph), "a plan prepares nothing"
    result = many.run()
    assert has_hubs(graph)
    assert np.array_equal(result.levels, tg.bfs(tg.kronecker(13, rng=5), 1).levels)
    again = tg.plan("bfs", graph, source=1, reuse=1_000_000)
    assert again.chosen.name == "auto", "what is there has no price any more"


def test_arcs_that_must_be_turned_round_are_paid_once():
    graph = tg.kronecker(10, rng=5, directed=True)
    first = tg.plan("pagerank", graph, reuse=3).chosen
    assert first.once > 0
    graph.transpose  # noqa: B018
    assert tg.plan("pagerank", graph, reuse=3).chosen.once == 0


@pytest.mark.parametrize(("told", "says"), [
    ({"reuse": 0}, "at least one run"),
    ({"reuse": 2, "probe": False}, "needs a probe"),
    ({"reuse": "many"}, "reuse"),
])  # fmt: skip
def test_odd_numbers_of_runs_are_refused(told, says):
    with pytest.raises(tg.TachographError, match=says):
        tg.plan("bfs", tg.path(3), source=0, **told)
