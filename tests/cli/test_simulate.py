from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.journal import journal
from tachograph.util.errors import InputError
from tests.cli.command import tacho

simulations = import_module("tachograph.simulation.accelerators.simulate")  # not the function


@pytest.fixture
def graph():
    tg.write(tg.kronecker(8, rng=1), "k.tgraph")
    tg.write(tg.kronecker(8, rng=1, directed=True), "d.tgraph")
    return "k.tgraph"


def test_side_by_side(graph):
    done = tacho("simulate", "wcc", graph, "--memory", "ddr3-1600k,hbm", "--partition-size", "64,256",
                 "--json", "--workers", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert len(rows) == 8
    assert {row["task"] for row in rows} == {"connected_components"}
    g = tg.read(graph)
    for row in rows:
        design = {"hitgraph": tg.HitGraph, "accugraph": tg.AccuGraph}[row["accelerator"]]
        result = tg.simulate("wcc", g, design(**row["settings"]), row["memory"])
        assert row["result"]["seconds"] == result.seconds
        assert row["result"]["iterations"] == result.iterations
    people = tacho("simulate", "wcc", graph, "--memory", "own,hbm", "--workers", "1",
                   COLUMNS="160")  # fmt: skip
    assert people.returncode == 0, people.stderr
    for words in ("hitgraph [DDR3-1600K]", "accugraph [hbm]", "GREPS", "█",
                  "accugraph [hbm]: not validated", "validated on 1 graph, 11 % off", "clock_mhz=200.0", "Inferred"):  # fmt: skip
        assert words in people.stdout


def test_a_sweep_names_its_design_once_and_what_was_validated(graph):
    sweep = ["--accelerator", "accugraph", "--set", "clock_mhz=100,150,200", "--workers", "1"]
    done = CliRunner().invoke(app, ["simulate", "wcc", graph, *sweep], env={"COLUMNS": "200"})
    assert done.exception is None, done.output
    said = "all: validated on 1 graph, 11 % off, but with the design's own parameters"
    assert said in done.stdout
    both = ["--accelerator", "accugraph,hitgraph", "--set", "edge_pipelines=8,16"]
    shown = (
        CliRunner().invoke(app, ["simulate", "wcc", graph, *both], env={"COLUMNS": "200"}).stdout
    )
    assert "\naccugraph: validated on 1 graph" in shown


def test_roots_sweeps_and_plots(graph):
    pytest.importorskip("matplotlib")
    done = tacho("simulate", "bfs", graph, "--accelerator", "accugraph", "--memory", "ddr4-2400r",
                 "--channels", "1,2", "--set", "edge-pipelines=8,16", "--roots", "2", "--workers", "1",
                 "--plot", "p.png", COLUMNS="160")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "coefficient of variation" in done.stdout
    assert "accugraph edge_pipelines=16 [ddr4-2400r, channels 2]" in done.stdout
    assert Path("p.png").stat().st_size > 1000


@pytest.mark.parametrize(("arguments", "message"), [
    (["wcc", "d.tgraph"], "undirected graphs only"),
    (["colour", "k.tgraph"], "there is no task 'colour'"),
    (["wcc", "k.tgraph", "--accelerator", "gpu"], "unknown accelerator 'gpu'"),
    (["wcc", "k.tgraph", "--set", "speed=3"], "no accelerator here has a parameter 'speed'"),
    (["wcc", "k.tgraph", "--set", "pipelins=3"], "did you mean pipelines?"),
    (["wcc", "k.tgraph", "--set", "speed"], "write name=value"),
    (["wcc", "k.tgraph", "--set", "pipelines=fast"], "pipelines = 'fast'"),
    (["wcc", "k.tgraph", "--channels", "2"], "changes a named memory"),
    (["wcc", "k.tgraph", "--memory", "hbm", "--channels", "two"], "whole numbers"),
    (["wcc", "k.tgraph", "--roots", "2"], "connected_components has no source"),
    (["bfs", "k.tgraph", "--roots", "2", "--source", "1"], "not both"),
    (["bfs", "k.tgraph"], "bfs needs a source"),
    (["wcc", "k.tgraph", "--memory", "ddr7"], "unknown memory 'ddr7'"),
])  # fmt: skip
def test_mistakes_are_explained(graph, arguments, message):
    done = CliRunner().invoke(app, ["simulate", *arguments, "--workers", "1"])
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_values_are_verified(graph, monkeypatch):
    words = ["simulate", "wcc", graph, "--accelerator", "accugraph", "--verify"]
    done = CliRunner().invoke(app, words)
    assert "they agree" in done.stdout, done.output
    monkeypatch.setattr(simulations.Job, "run", lambda self, g: wrong)
    wrong = SimpleNamespace(answer=np.full(tg.read(graph).n, 7))
    assert isinstance(CliRunner().invoke(app, words).exception, tg.VerificationError)


def test_one_road(graph, monkeypatch):
    """A run finds its design once and leaves one record in the journal."""
    real, found = simulations.accelerator_named, []
    monkeypatch.setattr(
        simulations, "accelerator_named", lambda name: found.append(name) or real(name)
    )
    arguments = ["simulate", "wcc", graph, "--accelerator", "hitgraph"]
    for _ in range(2):  # the second time from the journal
        found.clear()
        assert CliRunner().invoke(app, arguments).exception is None
        assert found == ["hitgraph"]
        (run,) = journal().runs()
        assert run.task == "connected_components on hitgraph"
        assert journal().kinds() == []


def test_help_loses_nothing_to_markup(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    for arguments, command in ((["simulate"], "simulate"), (["dram", "run"], "run"),
                               (["dram", "compare"], "compare")):  # fmt: skip
        shown = CliRunner().invoke(app, [*arguments, "--help"]).stdout
        group = get_command(app)
        for name in arguments:
            group = group.commands[name]
        assert group.name == command
        for option in group.params:
            assert all(text in shown for text in option.opts if text.startswith("--"))
            assert (option.help or "") in " ".join(shown.split())


def test_a_mistake_is_not_a_traceback(graph):
    done = tacho("simulate", "bfs", graph)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "tacho: bfs needs a source, such as --source 0\n",
    )


def test_settings_of_gpus_are_taken_and_what_they_lack_is_refused(graph):
    words = ["simulate", "bfs", graph, "--source", "3", "--gpu", "v100", "--json"]
    done = CliRunner().invoke(app, [*words, "--set", "launch_us=5,50"])
    few, many = json.loads(done.stdout)
    assert (few["set"], many["set"]) == ({"launch_us": 5.0}, {"launch_us": 50.0})
    wanted = tg.simulate("bfs", tg.read(graph), tg.GPU("v100", launch_us=50), source=3)
    assert few["seconds"] < many["seconds"] == wanted.seconds
    for told, why in (
        (["--set", "pipelines=8"], "no parameter 'pipelines'"),
        (["--memory", "hbm"], "--memory is for accelerators"),
        (["--roots", "3"], "--roots is for accelerators"),
    ):
        with pytest.raises(InputError, match=why):
            CliRunner().invoke(app, [*words, *told], catch_exceptions=False)


@pytest.mark.parametrize("machine", ["accugraph", "v100"])
def test_a_vertex_by_its_name(machine):
    """Names that are numbers are no ids."""
    g = tg.Graph.from_edges([7, 5, 2], [5, 2, 0], relabel=True)
    found = tg.simulate("bfs", g, machine, source=5)
    assert found.levels.tolist() == tg.bfs(g, 5).levels.tolist()
    if machine == "v100":
        made = tg.plan("bfs", g, source=5, device="v100").run("v100 (simulated)")
        assert made.levels.tolist() == found.levels.tolist()


RULE = "def rule(state):\n    return state.m_f > state.m_u / 20\n"


def test_gpus_are_drawn_and_take_policies_of_files(graph):
    Path("my.py").write_text(RULE)
    words = ["simulate", "bfs", graph, "--gpu", "v100", "--direction", "push,my.py:rule"]
    done = CliRunner().invoke(app, [*words, "--plot", "gpus.svg"], catch_exceptions=False)
    assert "from vertex" in done.stdout  # which one, as none was given
    assert "v100 my.py:rule balanced" in Path("gpus.svg").read_text()
    push, mine = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    g = tg.read(graph)
    space = {}
    exec(RULE, space)
    told = {"source": int(g.degrees.argmax())}
    assert mine["seconds"] == tg.simulate("bfs", g, "v100", direction=space["rule"], **told).seconds
    assert push["seconds"] == tg.simulate("bfs", g, "v100", direction="push", **told).seconds
    with pytest.raises(InputError, match="--direction my.py:rul: .* did you mean rule"):
        CliRunner().invoke(app, [*words[:-1], "my.py:rul"], catch_exceptions=False)


def test_what_was_inferred_is_told_in_few_words(graph):
    words = ["simulate", "wcc", graph, "--accelerator", "hitgraph,accugraph"]
    shown = CliRunner().invoke(app, [*words, "--set", "clock_mhz=150"]).stdout
    lines = shown.partition("Inferred")[2]
    assert "\nhitgraph: edge_bytes=None" in lines  # on a line of its own
    assert "clock_mhz" not in lines  # it was chosen
