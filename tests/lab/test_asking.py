"""Questions of the page: arguments that are text become what the public functions take."""

from __future__ import annotations

import shlex

import pytest

import tachograph as tg
from tachograph.lab.asking import asked, options_of, tasks
from tachograph.lab.sources import Opened, Sources
from tachograph.tasks.table import TASKS
from tachograph.util.errors import InputError

WEIGHTED = "kronecker?scale=6&weights=true"


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_asked_without_arguments_and_said_in_python(task):
    opened = Sources().open(WEIGHTED)
    made = asked(opened, task, {})
    assert made.plan().task == task
    names = {"tg": tg, "g": opened.graph}
    assert eval(made.python(), names).task == task
    assert eval(made.python("run"), names).task == task
    words = shlex.split(opened.command(made.command("run")).splitlines()[-1])
    assert words[:4] == ["tacho", "run", task, "graph.tgraph"]


def test_text_becomes_what_functions_take():
    opened = Sources().open(WEIGHTED)
    told = {"source": "3", "max_error": "0.05", "confidence": "0.8", "threads": "2", "cutoff": ""}
    made = asked(opened, "sssp", told)
    assert made.arguments == {"source": 3, "max_error": 0.05, "confidence": 0.8, "threads": 2}
    assert (
        made.command()
        == "plan sssp {graph} --source 3 --max-error 0.05 --confidence 0.8 --threads 2"
    )
    assert asked(opened, "sssp", {"confidence": "0.8"}).arguments.keys() == {"source"}
    assert asked(opened, "bfs", {"device": "v100"}).plan().candidates


@pytest.mark.parametrize(
    "told",
    [{"source": "64"}, {"source": "x"}, {"output": "a.txt"}, {"max_error": "much"}, {"direction": "push"},
     {"colour": "red"}, {"device": "gpus/mine.toml"}, {"device": "none"}],
)  # fmt: skip
def test_what_is_not_taken(told):
    with pytest.raises(InputError):
        asked(Sources().open(WEIGHTED), "sssp", told)


def test_vertices_go_by_their_names():
    graph = tg.Graph.from_edges(["a", "b", "b"], ["b", "c", "it's"], relabel=True, directed=False)
    opened = Opened("file:x", "x", graph, "g", ("x",))
    made = asked(opened, "bfs", {"source": "it's"})
    assert made.arguments == {"source": "it's"}
    assert shlex.split(made.command())[-1] == "it's"
    assert made.plan().run().levels.max() == 2
    assert asked(opened, "bfs", {}).arguments == {"source": "b"}  # of highest degree
    with pytest.raises(InputError):
        asked(opened, "bfs", {"source": "z"})


def test_what_the_page_lists():
    listed = {t["name"]: t for t in tasks()}
    assert listed.keys() == TASKS.keys()
    assert "max_error" in listed["sssp"]["options"]
    assert not {"output", "direction"} & {k for t in TASKS.values() for k in options_of(t)}
