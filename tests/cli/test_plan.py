from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.util.errors import InputError


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "g.tgraph"
    tg.write(tg.kronecker(11, rng=1, weights=True), path)
    return str(path)


def tacho(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_a_plan_as_text_and_as_json(graph):
    shown = tacho("plan", "sssp", graph, "--max-error", "5%")
    assert shown.exit_code == 0
    assert "comes first" in shown.output
    made = json.loads(
        tacho("plan", "sssp", graph, "--max-error", "0.05", "--source", "3", "--json").output
    )
    assert made["candidates"][0]["error_bound"] <= 0.05
    assert made["arguments"] == {"max_error": 0.05, "source": 3}
    assert "one thread" in tacho("plan", "components", graph).output


def test_machines_that_cannot_do_it_are_left_out_unless_they_are_named(tmp_path):
    path = str(tmp_path / "d.tgraph")
    tg.write(tg.kronecker(6, rng=1, directed=True), path)
    two = tacho("what-if", "bfs", path, "--machine", "host,accugraph@hbm", "--json")
    assert [row["name"] for row in json.loads(two.stdout)["machines"]] == ["host", "accugraph@hbm"]
    usual = json.loads(tacho("what-if", "wcc", path, "--json").stdout)["machines"]
    assert "host" in [row["name"] for row in usual]
    assert "accugraph" not in [row["name"] for row in usual]
    with pytest.raises(
        InputError, match=r"graph.to_undirected\(\) makes one, or set along_arcs=True"
    ):
        tacho("what-if", "wcc", path, "--machine", "accugraph")


def test_what_if_as_text_and_as_json(graph):
    shown = tacho("what-if", "wcc", graph, "--machine", "host,accugraph@ddr4-2400r")
    assert "measured" in shown.output
    assert "simulated" in shown.output
    spaced = tacho("what-if", "wcc", graph, "--machine", "host, accugraph@ddr4-2400r", "--json")
    assert len(json.loads(spaced.stdout)["machines"]) == 2
    both = json.loads(tacho("what-if", "bfs", graph, "--device", "host", "--json").stdout)
    assert [row["name"] for row in both["machines"]] == ["host"]
    made = json.loads(tacho("what-if", "bfs", graph, "--machine", "hitgraph", "--json").stdout)
    assert [row["name"] for row in made["machines"]] == ["hitgraph"]


def test_a_run_with_a_budget_and_an_audit(graph):
    found = json.loads(
        tacho(
            "run", "sssp", graph, "--source", "3", "--max-error", "20%", "--audit", "--json"
        ).stdout
    )
    assert found["audit"]["sample"] == found["audit"]["vertices"]
    assert found["budget"]["bound"] <= 0.2


def test_what_is_left_out_by_hand(graph):
    options = ["--algorithm", "dijkstra", "--iterations", "1", "--audit", "--json"]
    found = json.loads(tacho("run", "sssp", graph, "--source", "3", *options).stdout)
    assert found["left out"] == "iterations=1"
    assert found["audit"]["error"] > 0
    text = tacho("run", "sssp", graph, "--source", "3", "--fraction", "50%", "--audit").output
    assert "fraction=0.5" in text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--max-error", "x%"], "is not a share: write 5%"),
        (["--max-error", "0%"], "max_error = 0.0 is a share"),
        (["--max-error", "150%"], "max_error = 1.5 is a share"),
        (["--fraction", "0"], "above 0"),
        (["--min-degree", "5", "--max-degree", "2"], "leave no vertex"),
        (["--max-error", "5%", "--iterations", "2"], "give either"),
        (["--no-atomics", "--algorithm", "delta-stepping"], "atomics"),
    ],
)
def test_bad_options(graph, options, problem):
    with pytest.raises(InputError, match=problem):
        tacho("run", "sssp", graph, "--source", "3", *options)


def test_training_says_what_is_missing():
    with pytest.raises(
        InputError, match="0 graphs were measured, and 5 graphs are needed: name more"
    ):
        tacho("train", "approximation", "--budget", "0s")
    with pytest.raises(InputError, match="there is no graph 'nonsense': name a file.*kronecker-11"):
        tacho("train", "approximation", "--graphs", "nonsense")
    with pytest.raises(InputError, match="size = 3.0 is a share"):
        tacho("train", "approximation", "--size", "3")
