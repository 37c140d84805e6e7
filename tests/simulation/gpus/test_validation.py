"""What the validation computes, on cells that are made up from constants that are known."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.gpus.analytic import looks_of
from tachograph.simulation.gpus.bfs import search
from tachograph.simulation.gpus.chip import Chip
from tachograph.simulation.gpus.constants import Constants
from tachograph.simulation.gpus.gpu import GPU
from tachograph.simulation.gpus.validation.bars import left_out
from tachograph.simulation.gpus.validation.directions import (
    Level,
    looks_of_known,
    shifted,
    times_of_levels,
)
from tachograph.simulation.gpus.validation.features import COUNTED, asked_of, features, scaled
from tachograph.simulation.gpus.validation.fit import (
    START,
    Fitted,
    Sample,
    _Problem,
    chosen,
    fit,
    predicted,
)
from tachograph.simulation.gpus.validation.graphs import Known
from tachograph.simulation.gpus.validation.runs import Cell
from tachograph.simulation.gpus.validation.validate import _carried_over, write

TRUE = Constants(40.0, 60.0, 0.6, 70.0, 5.0, 0.08, 0.3)


def sample(
    gpu: str, dataset: str, arcs: float, levels: float, slower: float = 1.0, pulls: bool = False
) -> Sample:
    """A cell whose time is what the true constants say, times ``slower``."""
    work = {"steps": arcs / 16, "far_sectors": arcs, "far_fetched": arcs / 4, "fetched": arcs / 2}
    rows = {name: np.array([work.get(name, 0.0)]) for name in COUNTED}
    rows |= {"pull": np.array([float(pulls)]), "launches": np.array([levels]), "share": np.ones(1)}
    ms = slower * predicted(GPU(gpu), TRUE, rows)
    sizes = (int(arcs) // 8, int(arcs), 0.0, 0.0, levels, (), ())
    return Sample(Cell(dataset, True, gpu, "LB_CULL", False, ms, ms, *sizes), rows)


GRAPHS = {"a": (1e3, 900.0), "b": (1e7, 6.0), "c": (1e8, 5.0), "d": (1e6, 30.0)}
SAMPLES = [
    sample(gpu, dataset, *GRAPHS[dataset])
    for gpu in ("k40c", "titan-xp", "v100")
    for dataset in GRAPHS
]


@pytest.mark.parametrize("by", ["gpu", "dataset"])
def test_what_is_left_out_is_predicted(by):
    found = left_out(SAMPLES, lambda cell: getattr(cell, by))
    assert sorted(found) == sorted(map(id, SAMPLES))
    assert all(0.85 < ratio < 1.18 for ratio in found.values())


def test_a_gpu_that_is_left_out_is_not_learned_from():
    """Runs of one GPU take three times as long: nobody who has not seen it can know."""
    odd = [sample("v100", dataset, *GRAPHS[dataset], slower=3.0) for dataset in GRAPHS]
    others = [s for s in SAMPLES if s.cell.gpu != "v100"]
    found = left_out([*others, *odd], lambda cell: cell.gpu)
    assert all(found[id(s)] < 0.6 for s in odd)


def test_what_is_chosen_is_what_made_the_times():
    """Times that add up cores and memory; then times that only know the longer of them."""
    memory = {"a": (1e6, 5.0), "b": (1e7, 5.0), "c": (1e8, 5.0), "d": (3e8, 5.0)}
    for overlap in (1.5, 6.0):
        true = TRUE._replace(overlap=overlap)
        made = []
        for name in memory:
            for gpu in ("k40c", "titan-xp", "v100"):
                for share in (0.02, 0.2, 1.0):  # of the sectors that are fetched
                    one = sample(gpu, f"{name}{share}", *memory[name])
                    rows = {**one.rows, "far_fetched": share * memory[name][0] * np.ones(1)}
                    rows["fetched"] = rows["far_fetched"]
                    ms = predicted(GPU(gpu), true, rows)
                    made.append(Sample(replace(one.cell, ms=ms), rows))
        choice = chosen(made, lambda cell: cell.dataset)
        assert choice.overlap == overlap
        assert fit(made, choice).of(GPU("v100")).overlap == pytest.approx(overlap)


@pytest.mark.parametrize(("overlap", "said"), [(6.0, True), (1.5, True), (3.0, False)])
def test_the_file_says_that_a_choice_was_the_last_one(overlap, said, tmp_path):
    every = TRUE._replace(overlap=overlap)._asdict()
    constants = {"every": every, "architecture": {}, "gpu": {}}
    write({"cells": {}, "constants": constants, "errors": {}}, tmp_path / "constants.toml")
    text = (tmp_path / "constants.toml").read_text(encoding="utf-8")
    assert ("at the end of those tried: 1.5, 3, 6." in text) == said
    assert tomllib.loads(text)["every"] == every


def test_paths_are_predicted_by_searches():
    paths = [sample(gpu, "b", 3e7, 12.0, slower=2.0) for gpu in ("k40c", "v100")]
    for by in ("gpu", "dataset"):
        found = _carried_over(SAMPLES, paths, by)
        assert all(0.4 < found[id(s)] < 0.6 for s in paths)


def test_slopes_of_a_fit_are_those_of_its_residuals():
    free = [0, 1, 3, 4, 5]
    problem = _Problem(SAMPLES, free, Fitted(START, {}, {}))
    at = problem.middle + np.random.default_rng(1).normal(0, 0.1, problem.middle.size)
    slopes = problem.slopes(at)
    for k in range(at.size):
        step = np.zeros(at.size)
        step[k] = 1e-5
        wanted = (problem.residuals(at + step) - problem.residuals(at - step)) / 2e-5
        assert np.allclose(slopes[:, k], wanted, rtol=1e-3, atol=1e-3)


def test_pulls_are_told_apart_and_do_not_spoil_pushes():
    pulls = [
        sample(gpu, dataset, *GRAPHS[dataset], pulls=True)
        for gpu in ("k40c", "titan-xp", "v100")
        for dataset in GRAPHS
    ]
    found, alone = (fit(those).of(GPU("v100")) for those in ([*SAMPLES, *pulls], SAMPLES))
    assert 0.2 < found.pull_work < 0.45
    assert found._replace(pull_work=1, pull_ratio=1) == alone._replace(pull_work=1, pull_ratio=1)


def test_gpus_without_runs_that_pull_take_what_is_known_of_pulls():
    """Those of V100 are known: GV100 is of its architecture, the others are not."""
    pulls = [sample("v100", dataset, *GRAPHS[dataset], pulls=True) for dataset in GRAPHS]
    others = [sample("gv100", dataset, *GRAPHS[dataset]) for dataset in GRAPHS]
    found, alone = fit([*SAMPLES, *others, *pulls]), fit([*SAMPLES, *others])
    for name, known in (
        ("gv100", found.architectures["volta"]),
        ("k40c", found.every),
        ("titan-xp", found.every),
    ):
        own, pushes = found.of(GPU(name)), alone.of(GPU(name))
        assert 0.2 < own.pull_work < 0.8  # in truth 0.3; nothing known: 1
        asked = Constants(*np.exp(known))
        assert own == pushes._replace(pull_work=asked.pull_work, pull_ratio=asked.pull_ratio)
    of_kepler = Constants(*np.exp(found.architectures["kepler"]))
    assert of_kepler.pull_work == found.of(GPU("k40c")).pull_work


@pytest.mark.parametrize("ahead", [-0.5, -0.2, 0.0, 0.3, 0.5])
def test_a_shifted_search_reaches_the_same(ahead):
    levels = [Level(1, 4), Level(30, 900), Level(700, 9000), Level(200, 300), Level(3, 3)]
    found = shifted(levels, ahead)
    for k in (0, 1):
        assert sum(level[k] for level in found) == pytest.approx(sum(t[k] for t in levels), 0.01)
    first = sum(level.vertices for level in found[:2])
    assert first == pytest.approx(31) if ahead == 0 else (first > 31) == (ahead > 0)


def test_a_search_that_is_not_shifted_is_the_same():
    levels = [Level(1, 4), Level(30, 900), Level(700, 9000), Level(200, 300)]
    assert np.allclose(shifted(levels, 0.0), levels)
    assert shifted(levels[:1], 0.3) == levels[:1]


@pytest.mark.parametrize(
    "graph",
    [tg.kronecker(12, 48, rng=5), tg.uniform(9000, 16, rng=1), tg.road(60, 60, rng=2)],
    ids=["kronecker", "uniform", "road"],
)
def test_looks_of_known_levels_are_those_of_the_simulator(graph):
    """A policy that does not know the next level expects up to 1.4 times as many."""
    chip, seen = Chip(GPU("gv100"), graph), []
    search(chip, int(graph.degrees.argmax()), lambda state: seen.append(state) or "pull")
    scanned = graph.n  # every vertex looks at its level
    looked = np.array([row["lanes"] for row in chip.rows], float) - scanned
    frontier, left, vertices_left, found = (
        np.array([getattr(s, name) for s in seen], float) for name in ("m_f", "m_u", "n_u", "n_f")
    )
    next_ones = np.append(found[1:], 0.0), np.append(frontier[1:], 0.0)
    known = looks_of_known(graph.arcs, frontier, left, *next_ones)
    guess = looks_of(float(graph.arcs), frontier, vertices_left, left)
    assert known.sum() == pytest.approx(looked.sum(), rel=0.08)
    assert abs(known - looked).sum() <= abs(guess - looked).sum()


def test_a_pull_that_finds_little_takes_as_long_as_all_arcs_do():
    """The second pull finds all that is left, in half the time of one that looks at everything."""
    levels = [Level(1.0, 1e6), Level(1e3, 1e6), Level(1e6, 1e8)]
    gpu = GPU("gv100")
    _, pull = times_of_levels(levels, 1001001.0, 1.02e8, gpu, TRUE, 1e-10)
    _, alone = times_of_levels(levels[:1], 1001001.0, 1.02e8, gpu, TRUE, 1e-10)
    assert pull[0] == pytest.approx(alone[0], rel=0.02)
    assert 1.7 < pull[0] / pull[1] < 2.1


def test_a_graph_is_loaded_once_for_all_that_is_asked(monkeypatch):
    graph, loaded = tg.road(8, 8, rng=1), []
    monkeypatch.setattr(Known, "load", lambda self: loaded.append(self.dataset) or graph)
    first = sample("k40c", "delaunay_n10", graph.arcs, 15.0).cell
    cells = [("bfs", first), ("sssp", first), ("bfs", replace(first, gpu="v100", mode="TWC"))]
    cells.append(("bfs", replace(first, optimised=True, do_a=0.1, do_b=-1.0)))
    found = features(cells)
    assert loaded == ["delaunay_n10"]
    rows = [scaled(found[c.dataset, asked_of(algorithm, c)], c) for algorithm, c in cells]
    assert all(r["launches"].sum() >= 8 for r in rows)  # from a vertex of a grid to the farthest
    assert [r["pull"].any() for r in rows] == [False, False, False, True]
