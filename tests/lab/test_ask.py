"""The panel Ask: plans by the library's own function, whatever an address holds. Without a browser."""

from __future__ import annotations

import shlex
from urllib.parse import quote

import pytest

import tachograph as tg
from tachograph.tasks.table import TASKS
from tests.lab.test_graph import HOSTILE

WEIGHTED = "kronecker?scale=7&rng=1&weights=true"


def asked(client, graph=WEIGHTED, task="sssp", **told):
    return client.post("ask/plan", source=graph, task=task, told=told)


def test_a_plan_is_that_of_the_library(client):
    status, told = asked(
        client, source="3", max_error=0.05, confidence="0.8", device="v100,rtx3080"
    )
    assert status == 200
    g = tg.kronecker(7, rng=1, weights=True)
    wanted = tg.plan(
        "sssp", g, source=3, max_error=0.05, confidence=0.8, device=["v100", "rtx3080"]
    )
    assert [c["name"] for c in told["candidates"]] == [c.name for c in wanted.candidates]
    assert told["reason"] == wanted.reason
    kinds = {c["name"]: c["provenance"] for c in told["candidates"]}
    assert kinds["v100 (simulated)"] == kinds["rtx3080 (simulated)"] == "simulated"
    assert kinds["dijkstra"] == "modelled"
    assert "v100 (simulated)" in told["chart"]
    assert told["pareto"].startswith("<svg")


def test_what_is_copied_does_the_same(client):
    _, told = asked(client, source="3", max_error=0.05, confidence=0.8, threads=1, device="v100")
    names: dict = {}
    exec(told["python"].replace("print(plan)", "").replace("plan.run()", "None"), names)
    assert [c.name for c in names["plan"].candidates] == [c["name"] for c in told["candidates"]]
    last = shlex.split(told["command"].splitlines()[-1])
    assert last[:4] == ["tacho", "plan", "sssp", "graph.tgraph"]
    options = dict(zip(last[4::2], last[5::2], strict=True))
    assert options["--max-error"] == "0.05"
    assert options["--confidence"] == "0.8"
    assert options["--device"] == "v100"
    assert options["--source"] == "3"


def test_a_deadline_is_that_of_the_library(client):
    _, told = asked(client, source="3", deadline="0.5")
    wanted = tg.plan("sssp", tg.kronecker(7, rng=1, weights=True), source=3, deadline=0.5)
    rows = wanted.to_dict()["candidates"]
    assert [c["in_time"] for c in told["candidates"]] == pytest.approx([c["in_time"] for c in rows])
    assert told["reason"] == wanted.reason
    assert "deadline=0.5" in told["python"]
    assert told["command"].endswith("--deadline 0.5")
    assert {c["in_time"] for c in asked(client, source="3")[1]["candidates"]} == {None}


def test_every_task_has_a_plan(client):
    for task in TASKS:
        status, told = asked(client, "kronecker?scale=5&rng=1", task)
        assert status == 200, told
        assert told["candidates"]
        assert told["about"].endswith(".")


def test_a_slider_of_what_a_task_does_not_have_is_ignored(client):
    status, told = asked(
        client, task="core_number", source="no vertex", max_error=0.1, device="v100"
    )
    assert status == 200
    assert "max_error=" not in told["python"]
    assert told["takes"] == ["deadline", "threads"]
    assert told["ends"] == {}


@pytest.mark.parametrize(
    "told",
    [{"task": "nothing"}, {"source": "128"}, {"source": "-1"}, {"source": "x"}, {"graph": "none"},
     {"max_error": "much"}, {"max_error": -1}, {"max_error": 0.1, "confidence": 7}, {"threads": 0},
     {"threads": -2}, {"threads": "inf"}, {"deadline": "soon"}, {"deadline": 0}, {"deadline": "nan"},
     {"device": "/etc/hosts.toml"}, {"device": "v100,<b>"}, {"colour": "red"}],
)  # fmt: skip
def test_bad_input_is_explained(client, told):
    status, answer = asked(client, **told)
    assert status == 400, answer
    assert answer["error"]


def test_graphs_without_vertices_and_hostile_names(client):
    assert asked(client, "uniform?n=0", "bfs")[0] == 400
    assert asked(client, "path?n=1", "bfs")[0] == 200
    text = b"source,target\n<b>x</b>,two words\ntwo words,'; rm -rf /\n"
    _, file = client.upload(quote(HOSTILE), text)
    source = file["source"] + "?relabel=true"
    status, told = asked(client, source, "bfs", source="two words")
    assert status == 200
    assert told["ends"] == {"source": "two words"}
    assert "'two words'" in told["command"]
    assert asked(client, source, "bfs", source="'; rm -rf /")[0] == 200
    assert asked(client, source, "bfs", source="nobody")[0] == 400


def test_what_a_page_can_choose(client):
    _, told = client.get("ask/start")
    assert "bfs" in told["tasks"]
    assert "v100" in [gpu["name"] for gpu in told["gpus"]]


def test_what_nobody_can_predict_is_not_drawn(client):
    _, told = asked(client, task="betweenness_centrality", max_error="0.05")
    assert {c["seconds"] for c in told["candidates"]} == {None}
    assert told["chart"] == told["pareto"] == ""
    assert not told["elsewhere"]  # no machine that is not here can do it
    assert asked(client)[1]["elsewhere"]
