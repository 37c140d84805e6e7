"""Peers are timed only if they agree with us."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.peers import bench, facts
from tachograph.peers.libraries import SciPy
from tachograph.peers.peer import Case, Peer
from tachograph.util.names import canonical
from tests.cli.test_cli import tacho
from tests.devices.support import any_device, needs_pyopencl

GRAPHS = {
    "kronecker": lambda: tg.kronecker(8, rng=1, weights=True),
    "road": lambda: tg.road(12, 9, rng=1),
    "directed": lambda: tg.kronecker(8, rng=2, directed=True),
    "parts": lambda: tg.disjoint_union(tg.path(9), tg.complete(6), tg.star(3)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_all_installed_peers_agree_on_graphs_of_every_kind(name, tmp_path):
    graph = GRAPHS[name]()
    found = {r.task: r for r in bench.rows(name, graph, 2, 2, tmp_path)}
    assert set(found) == set(bench.TASKS) - (
        {"triangles", "maximal_independent_set"} if graph.directed else set()
    )
    for task, row in found.items():
        # its sets are not always maximal
        luby = {"NetworKit": "sets"} if task == "maximal_independent_set" else {}
        assert row.differs.items() <= luby.items(), task
        assert "SciPy" in row.seconds or not hasattr(SciPy, task)
        assert all(len(times) == 2 and min(times) > 0 for times in row.seconds.values())


@needs_pyopencl
def test_ours_on_a_device_beside_ours(tmp_path, monkeypatch):
    any_device()
    monkeypatch.setattr(bench, "PEERS", ())
    found = {r.task: r for r in bench.rows("road", GRAPHS["road"](), 1, 1, tmp_path, "opencl")}
    assert {task for task, row in found.items() if "opencl" in row.seconds} == {
        "bfs", "sssp", "connected_components", "pagerank", "maximal_independent_set", "maximum_flow",
    }  # fmt: skip
    assert not any(row.differs for row in found.values())


def test_tasks_have_the_names_that_they_have_everywhere():
    for task in bench.TASKS:
        assert canonical(task) == task
        assert any(hasattr(peer, task) for peer in bench.PEERS)
        assert callable(getattr(tg, task))


class Liar(Peer):
    name, module = "liar", "numpy"

    def bfs(self) -> Case:
        return Case(lambda: 0, lambda _: facts.levels(np.zeros(self.job.graph.n)))

    def connected_components(self) -> Case:
        return Case(lambda: 0, lambda _: {"count": 1})


def test_a_peer_that_differs_has_no_time(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "PEERS", (Liar,))
    found = {r.task: r for r in bench.rows("path", tg.path(5), 1, 3, tmp_path)}
    assert found["bfs"].differs == {"liar": "levels"}
    assert set(found["bfs"].seconds) == {bench.OURS}
    assert found["connected_components"].differs == {}  # here it is right
    assert found["connected_components"].ratio("liar") > 0


def test_ours_are_whole_calls(monkeypatch, tmp_path):
    def slow(job):
        time.sleep(0.02)
        return tg.bfs(job.graph, job.source)

    monkeypatch.setattr(bench, "PEERS", ())
    task = bench.TASKS["bfs"]._replace(run=slow)
    monkeypatch.setattr(bench, "TASKS", {"bfs": task})
    (row,) = bench.rows("path", tg.path(5), 1, 1, tmp_path)
    assert min(row.seconds[bench.OURS]) >= 0.02


def test_what_counts_as_the_same():
    ours = {"count": 3, "scores": np.array([0.5, 0.25, 0.25])}
    assert bench.difference(ours, {"count": 3}, 0) is None
    assert bench.difference(ours, {"count": 4}, 0) == "count"
    assert bench.difference(ours, {"scores": np.array([0.5, 0.25, 0.26])}, 0.02) is None
    assert bench.difference(ours, {"scores": np.array([0.5, 0.25, 0.30])}, 0.02) == "scores"
    assert bench.difference(ours, {"scores": np.array([0.5, 0.5])}, 1) == "scores"
    assert facts.components([7, 7, 2, 7, 9, 2])["labels"].tolist() == [0, 0, 2, 0, 4, 2]


def test_the_command():
    done = tacho("bench", "--scale", "6", "--rounds", "1", "--json", "b.json", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "kron-6" in done.stdout
    assert "SciPy" in done.stdout
    rows = json.loads(Path("b.json").read_text())["rows"]
    assert {row["graph"] for row in rows} == {"kron-6", "urand-6", "road-12"}
    for row in rows:
        assert row["differs"] == {}
        for peer, ratio in row["ratios"].items():
            mine, theirs = row["seconds"][bench.OURS], row["seconds"][peer]
            assert ratio == pytest.approx(mine[0] / theirs[0])
    tg.write(tg.Graph.from_edges([], []), "empty.tgraph")
    for words, said in [
        (["nowhere.txt"], "no such file"),
        (["empty.tgraph"], "has no vertices"),
        (["--plot", "b.gif"], "a picture is written as"),
    ]:
        wrong = tacho("bench", *words)
        assert (wrong.returncode, said in wrong.stderr) == (1, True), wrong.stderr


def test_the_picture():
    tg.write(tg.complete(9), "c.tgraph")
    done = tacho("bench", "c.tgraph", "--rounds", "1", "--plot", "c.svg")
    assert done.returncode == 0, done.stderr
    assert Path("c.svg").read_text().startswith("<svg")
    assert [p.name for p in Path().glob("*c.svg*")] == ["c.svg"]
