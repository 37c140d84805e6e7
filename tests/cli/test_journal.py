from __future__ import annotations

import json

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.util.errors import InputError


@pytest.fixture
def graph(tmp_path, monkeypatch):
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path / "home"))
    path = tmp_path / "g.tgraph"
    tg.write(tg.kronecker(9, rng=1), path)
    return str(path)


def tacho(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).output


def test_runs_are_shown_exported_and_forgotten(graph, tmp_path):
    assert "no runs yet" in tacho("journal")
    number = json.loads(tacho("run", "bfs", graph, "--source", "1", "--json"))["run"]
    tacho("run", "triangles", graph)
    shown = tacho("journal")
    assert "bfs" in shown
    assert "triangles" in shown
    found = json.loads(tacho("journal", "--json", "--task", "bfs"))
    assert [run["id"] for run in found["runs"]] == [number]
    assert found["runs"][0]["predicted"] > 0
    assert found["tasks"][0]["runs"] == 1
    tacho("journal", "export", str(tmp_path / "out"))
    with pytest.raises(tg.InputError, match="name a directory"):
        CliRunner().invoke(app, ["journal", "export", "runs.csv"], catch_exceptions=False)
    names = ("runs", "trace-bfs", "trace-triangles")
    tables = {n: parquet.read_table(tmp_path / "out" / f"{n}.parquet") for n in names}
    assert tables["runs"]["task"].to_pylist() == ["bfs", "triangles"]
    assert tables["runs"]["graph_name"].to_pylist() == [graph, graph]
    assert tables["runs"]["way"].to_pylist() == ["auto", "auto"]
    assert tables["runs"]["option_source"].to_pylist() == [1, None]
    reached = tg.bfs(tg.read(graph), 1).facts()["reached"]
    assert tables["runs"]["fact_reached"].to_pylist() == [reached, None]
    trace = tables["trace-bfs"]
    assert trace["run"].to_pylist() == [number] * len(trace)
    assert trace["frontier_vertices"].to_pylist()[0] == 1
    assert tacho("journal", "prune", "--older-than", "1").startswith("0 runs")
    assert tacho("journal", "prune", "--older-than", "-1").startswith("2 runs")


def test_a_journal_that_is_off(graph, monkeypatch):
    monkeypatch.setenv("TACHOGRAPH_JOURNAL", "off")
    assert "run" not in json.loads(tacho("run", "bfs", graph, "--source", "1", "--json"))
    with pytest.raises(InputError, match="the journal is off"):
        tacho("journal")


def test_sampled_runs_are_said(graph):
    from tachograph.journal import Run, journal

    journal().record(Run("bfs", {"name": "a"}, 1.0, plan={"way": "auto"}))
    assert "stand for" not in tacho("journal")
    journal().record(Run("bfs", {"name": "a"}, 1.0, plan={"way": "auto", "one_of": 100}))
    assert "1 runs stand for 100 each: above 100 an hour" in " ".join(tacho("journal").split())


def test_a_page_is_no_other_kind_of_file(graph):
    tacho("run", "triangles", graph)
    with pytest.raises(InputError, match=r"--output x.pdf: a page is written: name it .html"):
        tacho("report", "last", "-o", "x.pdf")
