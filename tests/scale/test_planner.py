"""Forecasts follow their model, are labelled, and refuse what makes no sense."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tachograph as tg
from tachograph.scale import planner
from tachograph.scale.planner import Cluster, Costs, forecast, measure, scaling
from tachograph.util import memory

COSTS = Costs("pagerank", 10, 1e-3, 1e-9, 8.0, 1.0, "by hand")


def test_time_is_work_messages_and_rounds():
    made = forecast(COSTS, 10**6, 10**9, Cluster(4, 1e12, 1e9, 0.5))
    assert made.parts == 4
    assert made.work_seconds == pytest.approx(10 * (1e-3 + 2e9 / 4 * 1e-9))
    # with so many arcs every vertex of the other parts is a ghost
    assert made.message_seconds == pytest.approx(10 * 0.75e6 * 8 / 1e9)
    assert made.latency_seconds == pytest.approx(5.0)
    assert made.seconds == made.work_seconds + made.message_seconds + made.latency_seconds
    assert made.provenance == made.to_dict()["provenance"] == "modelled"


def test_little_memory_means_more_parts_one_after_the_other():
    roomy = forecast(COSTS, 10**8, 10**9, Cluster(4, 1e12))
    tight = forecast(COSTS, 10**8, 10**9, Cluster(4, 2e9))
    assert tight.parts > roomy.parts == 4
    assert tight.part_bytes <= 1e9
    assert tight.work_seconds >= roomy.work_seconds


def test_one_machine_is_enough_for_what_fits(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    assert not forecast(COSTS, 10**5, 10**6, Cluster(2)).needs_more
    assert forecast(COSTS, 10**8, 10**9, Cluster(2)).needs_more


def test_the_same_graph_gets_faster_and_a_growing_one_hardly_slower():
    strong = [f.seconds for f in scaling(COSTS, 10**8, 10**9, Cluster(1), [1, 2, 4, 8])]
    assert strong == sorted(strong, reverse=True)
    weak = scaling(COSTS, 10**7, 10**8, Cluster(1), [1, 10, 100], weak=True)
    assert [f.m for f in weak] == [10**8, 10**9, 10**10]
    assert weak[2].work_seconds == pytest.approx(weak[0].work_seconds)


def test_more_supersteps_cost_more():
    usual, twice = (forecast(COSTS, 10**6, 10**7, Cluster(2), supersteps=s) for s in (10, 20))
    assert twice.seconds == pytest.approx(2 * usual.seconds)


def test_costs_are_measured_and_explain_the_run_they_come_from(monkeypatch):
    monkeypatch.setattr(planner, "SMALL_SCALE", 6)
    parts = tg.scale.partition(tg.kronecker(12, rng=2), parts=2, directory="parts")
    costs = measure("components", parts)
    assert costs.supersteps > 1
    assert costs.ghosts == pytest.approx(1.0, abs=0.8)  # hubs make fewer of them than chance would
    # most labels are that of the largest component, which takes a bit, others a place and a number
    assert 1 / 8 <= costs.ghost_bytes * costs.supersteps <= 2 * 8 * costs.supersteps
    again = forecast(costs, parts.n, parts.m, Cluster(2, latency=1e-9, bandwidth=1e15))
    measured = costs.supersteps * (costs.fixed_seconds + costs.arc_seconds * max(parts.arcs))
    assert again.work_seconds == pytest.approx(measured, rel=0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure("flow"), "task = 'flow'"),
        (lambda: Cluster(0), "workers = 0"),
        (lambda: Cluster(1, bandwidth=-1.0), "bandwidth"),
        (lambda: forecast(COSTS, 0, 1, Cluster(1)), "at least one vertex"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(tg.InputError, match=message):
        call()


def test_directed_and_weighted_graphs_take_more():
    plain = forecast(COSTS, 10**6, 10**8, Cluster(2))
    weighted = forecast(COSTS, 10**6, 10**8, replace(Cluster(2)), weighted=True)
    assert weighted.one_machine_bytes > plain.one_machine_bytes
    directed = forecast(COSTS, 10**6, 10**8, Cluster(2), directed=True)
    assert directed.one_machine_bytes == plain.one_machine_bytes  # arcs one way, but kept both ways
