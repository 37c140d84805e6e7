"""The panel What if: formulas at once, simulations that can be watched and stopped. No browser."""

from __future__ import annotations

import json
import shlex
import time
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.simulation.accelerators.explore import modelled_run
from tests.lab.conftest import WAIT, until
from tests.lab.test_graph import HOSTILE

GRAPH = "kronecker?scale=7&rng=1"


def asked(client, endpoint, machine="accugraph", task="bfs", graph=GRAPH, **told):
    return client.post(f"what_if/{endpoint}", source=graph, task=task, machine=machine, **told)


def ended(client, job):
    """Listen to the events of a simulation until its end; return all that was told."""
    lines = [line for block in client.stream(f"what_if/watch?job={job}") for line in block]
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def test_formulas_answer_at_once(client):
    status, told = asked(client, "row", memories=["", "HBM-1000"], told={"source": "3"})
    assert status == 200
    g = tg.kronecker(7, rng=1)
    for cell, memory in zip(told["cells"], (None, "HBM-1000"), strict=True):
        wanted = modelled_run("bfs", g, "accugraph", memory, source=3)
        assert cell["seconds"] == pytest.approx(wanted.seconds)
        assert cell["provenance"] == "modelled"
    assert told["ends"] == {"source": "3"}
    assert told["command"].splitlines()[-1] == (
        "tacho what-if bfs graph.tgraph --source 3 --machine accugraph --machine accugraph@HBM-1000"
    )
    _, host = asked(client, "row", "host", memories=[""])
    assert host["cells"][0]["provenance"] == "modelled"
    _, gpu = asked(client, "row", "v100", memories=[""])
    assert gpu["cells"][0]["seconds"] > 0
    _, none = asked(client, "row", "v100", "pagerank", memories=[""])
    assert "does not run pagerank" in none["cells"][0]["why"]
    _, later = asked(client, "row", "v100", "sssp", memories=[""])
    assert later["cells"][0] == {"memory": "", "seconds": None}  # it has to be simulated


def test_a_simulation_is_that_of_the_library(client):
    chosen = {"memory": "DDR4-2400R"}
    _, before = asked(client, "cell", chosen=chosen, told={"source": "3"})
    assert not before["simulated"]
    _, started = asked(client, "simulate", chosen=chosen, told={"source": "3"})
    assert ended(client, started["job"])[-1]["status"] == "done"
    _, told = asked(client, "cell", chosen=chosen, told={"source": "3"})
    wanted = tg.simulate("bfs", tg.kronecker(7, rng=1), "accugraph", "DDR4-2400R", source=3)
    assert told["cell"]["seconds"] == pytest.approx(wanted.seconds)
    assert told["cell"]["provenance"] == "simulated"
    facts = dict(told["detail"]["facts"])
    assert facts["requests"] == f"{wanted.memory.requests:,}"
    assert facts["row hits"] == f"{wanted.memory.row_hit_rate * 100:.3g} %"
    assert "DRAM bandwidth over time" in told["detail"]["charts"][0]
    names: dict = {}
    exec(told["python"].replace("print(result)", ""), names)
    assert names["result"].seconds == pytest.approx(wanted.seconds)
    _, row = asked(client, "row", memories=["DDR4-2400R"], told={"source": "3"})
    assert row["cells"][0]["provenance"] == "simulated"


def test_a_sweep(client):
    chosen = {"parameter": "edge_pipelines"}
    _, told = asked(client, "cell", chosen=chosen)
    assert told["sweep"]["values"] == ["8", "16", "32"]
    assert told["sweep"]["values"][told["sweep"]["value"]] == "16"  # as published
    _, started = asked(client, "simulate", chosen=chosen, every=True)
    events = ended(client, started["job"])
    assert (events[-1]["status"], events[-1]["done"], events[-1]["of"]) == ("done", 3, 3)
    _, told = asked(client, "cell", chosen={**chosen, "value": 0})
    assert told["sweep"]["simulated"] == 3
    g = tg.kronecker(7, rng=1)
    source = int(g.degrees.argmax())
    wanted = tg.simulate("bfs", g, tg.AccuGraph(edge_pipelines=8), source=source)
    assert told["cell"]["seconds"] == pytest.approx(wanted.seconds)
    assert "--set edge_pipelines=8" in told["command"]
    assert "tg.AccuGraph(edge_pipelines=8)" in told["python"]
    _, usual = asked(client, "cell", chosen=chosen)  # the usual value is the machine itself
    _, row = asked(client, "row", memories=[""])
    assert usual["cell"] == {k: v for k, v in row["cells"][0].items() if k != "memory"}
    assert usual["cell"]["provenance"] == "simulated"
    _, channels = asked(client, "cell", chosen={"parameter": "channels", "memory": "HBM-1000"})
    assert channels["sweep"]["chart"].startswith("<svg")


def named_graph(client, tmp_path, monkeypatch):
    content = b"source,target\nx y,b\nb,c\nc,x y\n"
    (tmp_path / "names.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return client.upload("names.csv", content)[1]["source"] + "?relabel=true"


@pytest.mark.parametrize(
    ("machine", "chosen"),
    [("accugraph", {"parameter": "channels", "value": 1}), ("accugraph", {"memory": "HBM-1000"}),
     ("v100", {"parameter": "sms", "value": 0}), ("host", {})],
)  # fmt: skip
def test_what_is_copied_does_the_same_with_names(client, tmp_path, monkeypatch, machine, chosen):
    told = {"source": "x y"}
    graph = named_graph(client, tmp_path, monkeypatch)
    _, started = asked(client, "simulate", machine, graph=graph, chosen=chosen, told=told)
    assert ended(client, started["job"])[-1]["status"] == "done"
    _, cell = asked(client, "cell", machine, graph=graph, chosen=chosen, told=told)
    names: dict = {}
    exec(cell["python"], names)
    words = shlex.split(cell["command"].splitlines()[-1])
    done = CliRunner().invoke(app, [*words[1:], "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    if machine != "host":
        found = json.loads(done.stdout)[0]
        seconds = found.get("result", found)["seconds"]
        assert seconds == names["result"].seconds == pytest.approx(cell["cell"]["seconds"])


def test_gpus_and_this_machine(client):
    for machine, task in (("v100", "bfs"), ("v100", "maximal_independent_set"), ("host", "bfs")):
        _, started = asked(client, "simulate", machine, task)
        assert ended(client, started["job"])[-1]["status"] == "done"
        _, told = asked(client, "cell", machine, task)
        wanted = "measured" if machine == "host" else "simulated"
        assert told["cell"]["provenance"] == wanted
        assert bool(told["detail"]) == (machine != "host")
    _, told = asked(client, "cell", "v100", chosen={"parameter": "sms", "value": 0})
    assert told["sweep"]["values"] == ["20", "40", "80", "160", "320"]
    assert "tg.GPU('v100', sms=20)" in told["python"]


def test_simulations_are_stopped_and_block_nobody(client):
    large = "kronecker?scale=16&rng=1"
    client.post("graph/describe", source=large)
    _, first = asked(client, "simulate", "thundergp", "connected_components", large)
    _, second = asked(client, "simulate", "hitgraph", "connected_components", large)
    until(lambda: client.lab.kept["simulation"].job(first["job"]).status == "running")
    began = time.monotonic()
    assert client.get("what_if/start")[0] == 200
    assert time.monotonic() - began < WAIT / 4
    _, cell = asked(client, "cell", "hitgraph", "connected_components", large)
    assert cell["job"] == second["job"]  # a page that comes later follows it
    assert client.post("what_if/stop", job=second["job"])[1]["status"] == "stopped"
    client.post("what_if/stop", job=first["job"])
    assert ended(client, first["job"])[-1]["status"] == "stopped"
    assert ended(client, second["job"])[-1]["status"] == "stopped"
    _, told = asked(client, "cell", "thundergp", "connected_components", large)
    assert not told["simulated"]
    assert told["job"] is None


@pytest.mark.parametrize(
    "told",
    [{"machine": "none"}, {"machine": "os:system"}, {"machine": "/etc/gpu.toml"}, {"task": "none"},
     {"graph": "none"}, {"chosen": {"memory": "/etc/memory.toml"}}, {"chosen": {"memory": "<b>"}},
     {"machine": "v100", "chosen": {"memory": "HBM-1000"}}, {"chosen": {"parameter": "colour"}},
     {"chosen": {"parameter": "edge_pipelines", "value": 99}}, {"told": {"source": "999"}},
     {"chosen": {"parameter": "edge_pipelines", "value": "1"}}, {"told": {"colour": "red"}}],
)  # fmt: skip
def test_bad_input_is_explained(client, told):
    for endpoint in ("cell", "simulate"):
        status, answer = asked(client, endpoint, **told)
        assert status == 400, answer
        assert answer["error"]
    assert client.post("what_if/stop", job=99)[0] == 400
    assert client.get("what_if/watch?job=x")[0] == 400


def test_what_cannot_be_simulated_says_why(client, monkeypatch):
    directed = "uniform?n=100&degree=3&directed=true"
    _, told = asked(client, "row", "hitgraph", "connected_components", directed, memories=[""])
    assert "undirected" in told["cells"][0]["why"]
    _, started = asked(client, "simulate", "hitgraph", "connected_components", directed)
    assert "undirected" in ended(client, started["job"])[-1]["error"]
    monkeypatch.setattr("tachograph.lab.elsewhere.SIMULATED_UP_TO_ARCS", 10)
    _, started = asked(client, "simulate", "hitgraph")
    assert "too many" in ended(client, started["job"])[-1]["error"]


def test_graphs_with_hostile_names(client):
    _, file = client.upload(quote(HOSTILE), b"source,target\n<b>x</b>,y\ny,z\n")
    told = {"source": "<b>x</b>"}
    source = file["source"] + "?relabel=true"
    status, row = asked(client, "row", graph=source, memories=[""], told=told)
    assert status == 200
    assert row["ends"] == {"source": "<b>x</b>"}
    _, started = asked(client, "simulate", graph=source, told=told)
    assert ended(client, started["job"])[-1]["status"] == "done"
