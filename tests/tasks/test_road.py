"""Every door takes one road: the same decision, the same record, a result that knows how it came about."""

from __future__ import annotations

import json
import pickle
import re
from contextlib import suppress

import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.algorithms.bfs import bfs
from tachograph.cli.run import app
from tachograph.devices.host import Host
from tachograph.journal import journal
from tachograph.tasks import decide, road
from tachograph.tasks.history import regrets
from tachograph.tasks.table import TASKS
from tachograph.util.names import ALIASES, NAMES, canonical

TOLD = {
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "similar_to": {"source": 0},
    "distances": {"source": 0},
    "spmv": {"vector": np.ones(256)},
}
TOLD |= {key: {"source": 0, "sink": 1} for key in ("maximum_flow", "minimum_cut")}


@pytest.fixture
def graph():
    return tg.kronecker(8, rng=1, weights=True)


def command(*words):
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_table_has_every_public_function_by_its_name():
    assert set(TASKS) == set(NAMES)
    for name, task in TASKS.items():
        call = getattr(tg, name)
        assert (call.__name__, call.__module__) == (name, "tachograph")
        assert call.__doc__ == task.function.__doc__
        assert {"threads", "trace", "verify"} <= set(task.parameters)
        assert pickle.loads(pickle.dumps(call)) is call
    for alias, name in ALIASES.items():
        assert canonical(alias) == canonical(alias.replace("_", "-")) == name
    with pytest.raises(tg.InputError, match="there is no task 'tsp'"):
        canonical("tsp")


@pytest.mark.parametrize("name", TASKS)
def test_a_result_knows_how_it_came_about(graph, name, monkeypatch):
    monkeypatch.setattr(road, "WORTH_KEEPING_SECONDS", float("inf"))  # whatever else runs here
    result = getattr(tg, name)(graph, **TOLD.get(name, {}))
    assert result.task == name
    assert result.run.way == TASKS[name].ways[0].name
    assert result.run.reason
    assert result.run.device == "host"
    assert result.run.number is None
    assert len(result.trace) > 0
    quiet = getattr(tg, name)(graph, **TOLD.get(name, {}), trace=False)
    assert len(quiet.trace) == 0
    again = pickle.loads(pickle.dumps(result))
    assert again.run.way == result.run.way
    with pytest.raises(AttributeError):
        result.run = None


@pytest.mark.parametrize("name", sorted(set(TASKS) - {"spmv"}))
def test_the_command_and_the_function_leave_the_same_record(graph, name, monkeypatch):
    tg.write(graph, "k.tgraph")
    told = TOLD.get(name, {})
    monkeypatch.setattr(road, "WORTH_KEEPING_SECONDS", 0.0)
    found = {"nanoseconds": 2.0, "further": 9.0, "common": 4.0}  # as measured, no two are the same
    monkeypatch.setattr("tachograph.kernels.features.probe", lambda *rows: found)
    getattr(tg, name)(tg.read("k.tgraph"), **told)
    words = [word for key, value in told.items() for word in (f"--{key}", str(value))]
    said = command(name, "k.tgraph", *words)
    first, second = journal().runs()
    assert (first.task, first.options) == (second.task, second.options) == (name, told)
    for field in ("way", "reason", "base", "how"):
        assert first.plan[field] == second.plan[field]
    assert first.plan["way"] == said["way"]
    assert (first.predicted is None) == (second.predicted is None)
    assert set(regrets([first, second])) == {first.id, second.id}  # one question


@pytest.mark.parametrize("name", ["sssp", "jaccard"])
def test_tacho_run_has_a_way_and_a_prediction(graph, name):
    tg.write(graph, "k.tgraph")
    command(name, "k.tgraph", *(["--source", "3"] if name == "sssp" else []))
    (run,) = journal().runs()
    assert run.plan["way"] == TASKS[name].ways[0].name
    assert run.predicted > 0


@pytest.mark.parametrize("wrong", ["2", b"2", [2], {}, (1,)])
@pytest.mark.parametrize("name", ["threads", "damping", "tol", "max_iter"])
def test_text_and_lists_for_numbers_are_refused_by_name(graph, name, wrong):
    with pytest.raises(tg.InputError, match=f"{name} = .*number is needed"):
        tg.pagerank(graph, **{name: wrong})


WRONG = [None, True, -1, 2**63, 10**5000, 1.5, np.nan, np.inf, "x", "\ud800", b"x", [], [1, 2], {}, object(),
         np.array(3), np.array([1, 2]), np.float32(1), np.int8(1), np.ma.masked, 1j,
         np.datetime64("2020-01-01"), np.uint64(2**64 - 1), 2**62, int, print]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TASKS)
def test_any_value_for_any_argument_is_used_or_refused_by_our_errors(graph, name):
    for argument in TASKS[name].parameters:
        for wrong in WRONG:
            with suppress(tg.TachographError), tg.limits(seconds=3, memory="1 GB"):
                getattr(tg, name)(graph, **{**TOLD.get(name, {}), argument: wrong})


def test_numbers_of_numpy_are_numbers(graph):
    found = tg.pagerank(graph, threads=np.int8(2), max_iter=np.uint8(250), damping=np.array(0.85))
    assert np.array_equal(found.scores, tg.pagerank(graph, threads=2, max_iter=250).scores)


@pytest.mark.parametrize("name", ["closeness", "harmonic", "betweenness"])
def test_a_confidence_is_a_share_whether_it_is_needed_or_not(graph, name):
    with pytest.raises(tg.InputError, match="confidence = 1.5 is a share"):
        getattr(tg, f"{name}_centrality")(graph, confidence=1.5)


def test_source_zero_is_part_of_the_question(graph, monkeypatch):
    monkeypatch.setattr(road, "WORTH_KEEPING_SECONDS", 0.0)
    for source in (0, [0], np.int32(0), 7, np.array([7])):
        tg.bfs(graph, source)
    runs = journal().runs()
    assert [run.options for run in runs] == [{"source": 0}] * 3 + [{"source": 7}] * 2
    assert len(set(regrets(runs))) == 5


def test_only_long_calls_are_kept(graph, monkeypatch):
    monkeypatch.setattr(road, "WORTH_KEEPING_SECONDS", float("inf"))
    tg.bfs(graph, 0)
    assert journal().runs() == []
    monkeypatch.setattr(road, "WORTH_KEEPING_SECONDS", 0.0)
    result = tg.bfs(graph, 5, verify=True)
    (run,) = journal().runs()
    assert (run.task, run.seconds, result.run.number) == ("bfs", result.seconds, run.id)
    assert run.options == {"source": 5}
    assert (run.graph["n"], run.plan["way"]) == (256, "auto")
    assert run.predicted == result.run.predicted > 0
    assert journal().trace(run.id)["direction"] == result.trace["direction"].tolist()


@pytest.mark.parametrize("door", ["function", "command"])
def test_with_a_device_apart_all_doors_take_the_same_route(graph, monkeypatch, door):
    asked = []

    def plan(question):
        asked.append(question.task.name)
        return decide.Choices([decide.on_machine(question, "host")], "made up")

    monkeypatch.setattr(decide, "known_device_apart", lambda: Host(2))
    monkeypatch.setattr(decide, "candidates", plan)
    if door == "function":
        reason = tg.bfs(graph, 0).run.reason
        assert tg.bfs(graph, 0, direction="push").run.reason == decide.ASKED_REASON
    else:
        tg.write(graph, "k.tgraph")
        reason = command("bfs", "k.tgraph", "--source", "0")["why"]
        command("bfs", "k.tgraph", "--source", "0", "--direction", "push")
    assert (reason, asked) == ("made up", ["bfs"])


def test_a_budget_costs_no_advice_and_the_result_says_why(graph, monkeypatch):
    from tachograph.decisions.approximation import model as advisor

    monkeypatch.setattr(advisor, "advise", None)
    result = tg.sssp(graph, 0, max_error=0.05, audit=True)
    assert result.run.reason == result.budget.how
    assert result.run.way == "within 0.05"
    assert result.audit.error <= result.budget.certain
    with pytest.raises(tg.InputError, match="give either"):
        tg.sssp(graph, 0, max_error=0.05, algorithm="dijkstra")


def test_ways_that_were_asked_for(graph):
    def way(**options):
        return tg.bfs(graph, 0, **options).run.way

    assert way() == way(direction="auto", cutoff=None) == "auto"
    assert way(direction="surf") == "surf"
    assert way(threads=1) == "one thread"
    assert way(direction="hbfs") == "direction=hbfs"
    assert tg.bfs(graph, 0, direction="hbfs").run.predicted is None
    assert tg.bfs(graph, 0, cutoff=2).run.predicted is None  # not the question that is modelled
    assert tg.jaccard(graph, "two_hop").run.predicted is None


def test_every_task_can_be_planned_with_a_number_of_threads(graph):
    for name in TASKS:
        plan = tg.plan(name, graph, threads=2, **TOLD.get(name, {}))
        assert "one thread" not in [c.name for c in plan.candidates]
        assert plan.run().task == name


def test_a_wrong_name_is_a_type_error(graph):
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        tg.bfs(graph, 0, speed=3)
    with pytest.raises(TypeError, match=r"bfs\(\) got .*'direktion'; did you mean direction\?"):
        tg.bfs(tg.path(3), 0, direktion="push")
    with pytest.raises(TypeError, match="missing.*argument: 'source'"):
        tg.bfs(graph)
    assert np.array_equal(tg.bfs(graph, 0).levels, bfs(graph, 0).levels)


def test_a_host_is_no_device_apart():
    journal().put("calibration", Host(2).key, {"gather": 1.0})
    assert decide.known_device_apart() is None


def test_options_are_recorded_by_their_names():
    def mine(state):
        return 0

    assert decide.in_words(Host(2)) == "host"
    assert decide.in_words([Host(2), "opencl:0"]) == "host,opencl:0"
    assert (decide.in_words(mine), decide.in_words(0.5)) == ("mine", "0.5")


@pytest.mark.parametrize(
    ("call", "here"),
    [
        (lambda g: tg.pagerank(g, alpha=0.9), "here it is damping"),
        (lambda g: tg.leiden(g, seed=1), "here it is rng"),
        (lambda g: tg.similar_to(g, node=1), "here it is source"),
        (lambda g: tg.bfs(g, 0, directon="push"), "did you mean direction?"),
    ],
)
def test_arguments_of_other_libraries_are_told_by_their_names_here(call, here):
    with pytest.raises(TypeError, match=re.escape(here)):
        call(tg.path(3))


def test_what_people_pass_by_mistake_is_answered_with_what_to_pass():
    deals = pandas.DataFrame({"buyer": ["a"], "seller": ["b"], "amount": [2.5]})
    with pytest.raises(tg.InputError, match="from_pandas.*source="):
        tg.pagerank(deals)
    with pytest.raises(tg.InputError, match=r"pass source= and target= and a name"):
        tg.Graph.from_pandas(deals)
    with pytest.raises(tg.InputError, match="0.5 for 500 ms"):
        tg.plan("pagerank", tg.path(3), deadline="500 ms")
    with pytest.raises(tg.InputError, match=r"a PageRankResult is not a graph.*to_csv"):
        tg.write(tg.pagerank(tg.path(3)), "scores.csv")
