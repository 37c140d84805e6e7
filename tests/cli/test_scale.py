"""``tacho scale``: parts made, used and planned from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.journal import journal


def tacho(*arguments):
    return CliRunner().invoke(app, ["scale", *map(str, arguments)])


@pytest.fixture
def parts():
    tg.write(tg.kronecker(8, rng=1), "graph.parquet")
    tacho("partition", "graph.parquet", "--parts", 3, "--directory", "parts")
    return "parts"


def test_partition_says_what_it_made():
    tg.write(tg.path(9), "path.mtx")
    made = tacho("partition", "path.mtx", "--parts", 2, "--directory", "parts", "--json")
    facts = json.loads(made.stdout)
    assert (facts["n"], facts["m"], facts["parts"], facts["directed"]) == (9, 8, 2, False)
    assert tacho("partition", "path.mtx", "--parts", 2, "--directory", "two").stdout.startswith(
        "two: "
    )


def test_values_are_in_the_files_that_are_named(parts):
    graph = tg.kronecker(8, rng=1)
    made = tacho("run", "bfs", parts, "--source", 3, "--trace", "trace.parquet", "--json")
    facts = json.loads(made.stdout)
    assert np.array_equal(np.load(facts["levels"]), tg.bfs(graph, 3).levels)
    assert facts["supersteps"] == len(parquet.read_table("trace.parquet"))


def test_runs_are_in_the_journal_with_their_traces(parts):
    facts = json.loads(tacho("run", "bfs", parts, "--source", 3, "--json").stdout)
    kept = journal()
    run = kept.run(facts["run"])
    assert (run.task, run.provenance, run.seconds) == ("bfs in parts", "measured", facts["seconds"])
    assert (run.graph["name"], run.graph["parts"], run.options["source"]) == ("parts", 3, [3])
    assert len(kept.trace(run.id)["superstep"]) == facts["supersteps"]


@pytest.mark.parametrize("task", ["sssp", "pagerank", "components", "jaccard", "mis"])
def test_every_task_runs(parts, task):
    source = ["--source", 3] if task == "sssp" else []
    made = tacho("run", task, parts, *source)
    assert made.exit_code == 0
    assert "measured" in made.stdout


def test_a_source_where_it_belongs(parts):
    for arguments in (["bfs"], ["pagerank", "--source", 1]):
        made = tacho("run", arguments[0], parts, *arguments[1:])
        assert isinstance(made.exception, tg.InputError)


def test_plans_are_labelled(monkeypatch):
    monkeypatch.setattr("tachograph.scale.planner.SMALL_SCALE", 5)
    monkeypatch.setattr("tachograph.scale.planner.LARGE_SCALE", 8)
    options = ["components", "--vertices", "1e9", "--edges", "1e11", "--workers", 8]
    facts = json.loads(tacho("plan", *options, "--json").stdout)
    assert facts["provenance"] == "modelled"
    assert facts["needs_more"]
    assert {row["provenance"] for row in facts["strong"] + facts["weak"]} == {"modelled"}
    shown = tacho("plan", *options).stdout
    assert "modelled" in shown
    assert "more than one machine" in shown
