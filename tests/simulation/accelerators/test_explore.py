"""The analytical model beside simulations, and the search that uses it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from statistics import median

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.accelerators.activity import activity
from tachograph.simulation.accelerators.analytical import coefficients, modelled
from tachograph.simulation.accelerators.base import Accelerator, Size
from tachograph.simulation.accelerators.explore import (
    Exploration,
    Limits,
    candidates,
    explore,
    modelled_run,
)
from tachograph.simulation.accelerators.problem import Question
from tachograph.simulation.accelerators.simulate import ACCELERATORS
from tachograph.util.errors import InputError
from tests.cli.test_cli import tacho

G = tg.kronecker(9, rng=5)


@pytest.fixture(autouse=True)
def _one_process(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")


def test_every_design_has_formulas():
    without = [name for name, kind in ACCELERATORS.items() if kind.terms is Accelerator.terms]
    assert without == ["scalabfs"]
    for name, kind in ACCELERATORS.items():
        if name in without:
            continue
        for task in ("bfs", "connected_components", "pagerank"):
            assert (kind.__name__, "any", task) in coefficients(), name
        terms = kind().terms(Size(1000, 9000, "pagerank", 3, kind().memory()))
        known = coefficients()[kind.__name__, "any", "pagerank"]
        assert set(terms) | {"error"} == set(known)


def test_formulas_are_near_simulations_of_new_graphs():
    """Graphs, settings and memories that were not fitted; the bound is loose, as they are few."""
    off = []
    for design, memory, seed in itertools.product(
        (tg.HitGraph(partition_size=300), tg.AccuGraph(), tg.ForeGraph(partition_size=500)),
        ("DDR4-2400R", "HBM"), (11, 12),
    ):  # fmt: skip
        g = tg.uniform(4000 * (seed - 10), 9, rng=seed)
        done = tg.simulate("pagerank", g, design, memory, iterations=2)
        active = activity(g, Question("pagerank"))
        size = Size(g.n, g.arcs, "pagerank", 2, tg.Memory(memory), g.indptr, active)
        off.append(abs(modelled(design, size).seconds / done.seconds - 1))
    assert median(off) < 0.25


def test_neighbours_in_one_bank_take_longer_in_the_model_too():
    """Two vertices pull from eight sources: even ones are in one of two banks, 0 to 7 half in each."""
    sources = np.concatenate([np.arange(2, 18, 2), np.arange(8)])
    g = tg.Graph.from_edges(sources, np.repeat([0, 1], 8), n=20, directed=True)
    active = activity(g, Question("pagerank"))
    assert active.fullest(8, 2) == (8 + 4) / 2 / 8
    assert active.fullest(100, 2) == (8 + 4) / 16  # fewer edges than a group
    even = tg.Graph.from_edges(np.tile(np.arange(0, 64, 2), 64), np.repeat(np.arange(64), 32), n=64)
    taken = []
    for stalls in (True, False):
        design, told = tg.AccuGraph(stalls=stalls), activity(even, Question("pagerank"))
        size = Size(64, even.arcs, "pagerank", 1, design.memory(), even.indptr, told)
        taken.append(design.terms(size)["edge cycles"])
    share = np.bincount(even.to_edges()[0] % 16, minlength=16).max() / even.arcs
    assert taken[0] == pytest.approx(taken[1] * share * 16)


def test_banks_make_the_model_wait_where_the_simulation_waits():
    """Arcs out of every sixteenth vertex read one bank; the same arcs turned round read all of them."""
    random = np.random.default_rng(1)
    few, every = 16 * random.integers(0, 32, 8000), random.integers(0, 512, 8000)
    for arcs, waits in (((few, every), True), ((every, few), False)):
        g = tg.Graph.from_edges(*arcs, n=512, directed=True)
        simulated, by_formulas = [], []
        for stalls in (True, False):
            design = tg.AccuGraph(stalls=stalls)
            active = activity(g, Question("pagerank"))
            size = Size(g.n, g.arcs, "pagerank", 1, design.memory(), g.indptr, active)
            simulated.append(tg.simulate("pagerank", g, design, iterations=1).seconds)
            by_formulas.append(modelled(design, size).seconds)
        for with_stalls, without in (simulated, by_formulas):
            assert (with_stalls > 5 * without) == waits


def test_a_bank_serves_one_neighbour_in_a_cycle_whatever_is_known_of_the_graph():
    size = Size(100, 6400, "pagerank", 1, tg.AccuGraph().memory())
    taken = {
        (banks, stalls): tg.AccuGraph(cache_banks=banks, stalls=stalls).terms(size)["edge cycles"]
        for banks in (4, 16)
        for stalls in (True, False)
    }
    assert taken[4, True] == 4 * taken[16, True]
    assert taken[4, False] == taken[16, False] == taken[16, True]  # of 16 edge pipelines


def test_iterations_are_counted_without_requests():
    done = tg.simulate("wcc", G, "hitgraph")
    guess = modelled_run("wcc", G, "hitgraph")
    task, memory = "connected_components", tg.HitGraph().memory()
    active = activity(G, Question(task))
    size = Size(G.n, G.arcs, task, done.iterations, memory, G.indptr, active)
    assert guess.seconds == modelled(tg.HitGraph(), size).seconds


def test_a_search_finds_the_enhancements_of_the_paper():
    found = explore(Question("wcc"), G, ["accugraph"])
    for before, part in itertools.product((False, True), repeat=2):
        known = tg.AccuGraph(prefetch_skipping=before, partition_skipping=part)
        assert found.best.seconds <= tg.simulate("wcc", G, known).seconds
    assert found.best.seconds == tg.simulate("wcc", G, found.best.job.accelerator).seconds
    assert found.finished


def test_a_design_without_formulas_is_simulated():
    assert modelled_run("bfs", G, "scalabfs", source=1) is None
    found = explore(Question("bfs", source=1), G, ["scalabfs"])
    assert found.best.seconds == tg.simulate("bfs", G, "scalabfs", source=1).seconds


def test_a_front_has_what_none_beats():
    found = explore(Question("pagerank"), G, ["accugraph", "foregraph"], [tg.Memory("DDR4-2400R")])
    costs = [p.cost for p in found.front]
    for cost in costs:
        assert not any(all(np.array(o) <= cost) and o != cost for o in costs)
    assert found.best.cost == min(p.cost for p in found.found)
    assert found.best.joules is None or found.best.joules > 0


def test_iterations_that_were_asked_for_count_in_full():
    best = explore(Question("pagerank", iterations=6), G, ["accugraph"]).best
    assert best.seconds == tg.simulate("pagerank", G, best.job.accelerator, iterations=6).seconds


def test_energy_that_is_not_known_is_no_merit():
    """A memory without a model of energy neither beats others by it nor keeps a limit."""
    memories = [tg.Memory("DDR4-2400R"), tg.Memory("LPDDR5-6400")]
    found = explore(Question("wcc"), G, ["foregraph"], memories)
    known = {p.joules is not None for p in found.found}
    assert known == {True, False}
    asked = Limits(joules=max(p.joules or 0.0 for p in found.found))
    kept = explore(Question("wcc"), G, ["foregraph"], memories, limits=asked).found
    assert all(p.joules is not None for p in kept)
    unknown = next(p for p in found.found if p.joules is None)
    other = next(p for p in found.found if p.joules is not None)
    same = other._replace(seconds=unknown.seconds, on_chip=unknown.on_chip)
    found = Exploration(found.question, found.tried, (unknown, same), True)
    assert set(found.front) == {unknown, same}


def test_limits():
    question = Question("connected_components")
    small = candidates(question, tg.path(5000), ["accugraph"], [None], Limits(on_chip=5000))
    assert {p.job.accelerator.partition_size for p in small} == {1024}
    assert all(p.on_chip <= 5000 for p in small)
    with pytest.raises(InputError, match="no design for connected_components is within the limits"):
        candidates(question, G, ["hitgraph"], [None], Limits(channels=1))
    with pytest.raises(InputError, match="none is known to take at most 0.0 J"):
        explore(
            Question("wcc"), G, ["foregraph"], [tg.Memory("DDR4-2400R")], limits=Limits(joules=0.0)
        )


def test_a_budget_that_runs_out_and_a_rerun():
    first = explore(Question("wcc"), G, ["accugraph"], budget=0.0)
    assert not first.finished
    assert 0 < len(first.found) < len(first.tried)
    again = explore(Question("wcc"), G, ["accugraph"])
    assert again.finished
    assert again.best.seconds <= first.best.seconds


def test_the_command():
    tg.write(G, "k.tgraph")
    done = tacho("explore", "wcc", "k.tgraph", "--design", "accugraph", "--budget", "1min", "--plot", "f.svg",
                 "--json", "--workers", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["candidates"] >= len(found["found"]) > 0
    assert any(row["front"] for row in found["found"])
    assert "<svg" in Path("f.svg").read_text(encoding="utf-8")
    people = tacho(
        "explore", "wcc", "k.tgraph", "--design", "accugraph", "--workers", "1", COLUMNS="160"
    )
    assert "front  accugraph" in people.stdout
    assert "candidates by formulas" in people.stdout
    alike = [p for p in range(len(found["found"])) if found["found"][p]["front"]]
    assert people.stdout.count("front  ") < len(alike)  # settings that make no difference, once
    wrong = tacho("explore", "wcc", "k.tgraph", "--budget", "soon")
    assert wrong.returncode != 0
    assert "--budget soon" in wrong.stderr


def test_what_is_too_large_is_modelled(monkeypatch):
    monkeypatch.setattr("tachograph.tasks.what_if.SIMULATED_UP_TO_ARCS", 0)
    (row,) = tg.what_if("wcc", G, ["accugraph@ddr4-2400r"]).rows
    assert (row.provenance, row.how) == ("modelled", "too large to be simulated here")
    assert row.low < row.seconds < row.high
