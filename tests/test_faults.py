"""Full disks and kills at every step of writing graphs, running campaigns and training models."""

from __future__ import annotations

import importlib
import os
import random
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file, trainer
from tachograph.decisions.model_file import Kept, ModelFile, own_model
from tachograph.graph.files import FORMATS, streams, tgraph
from tachograph.journal import campaign, journal
from tachograph.journal.campaign import Campaign
from tachograph.util import files
from tests.faults import file_limit, killed_at_every_line

GRAPH = tg.path(60).with_meta(source=0, sink=1)
OTHER = tg.complete(12).with_meta(source=0, sink=1)
WRITTEN = sorted({suffix for f in FORMATS.values() if f.write for suffix in f.suffixes[:1]})
COMPRESSED = (".el.gz", ".el.bz2", ".el.xz", ".el.zst")


def weighted(graph: tg.Graph) -> tg.Graph:
    return graph._replace(weights=np.arange(1, graph.arcs + 1, dtype=np.int32), directed=True)


@pytest.mark.parametrize("suffix", [*WRITTEN, *COMPRESSED])
def test_a_full_disk_at_any_write_leaves_the_old_graph(suffix):
    path = Path(f"graph{suffix}")
    graphs = [(GRAPH, OTHER), (weighted(GRAPH), weighted(OTHER))]
    old, new = next(pair for pair in graphs if written(pair[1], path))
    size = path.stat().st_size
    tg.write(old, path)
    before = path.read_bytes()
    for limit in {0, 1, size // 3, size - 1}:
        with file_limit(limit), pytest.raises(tg.TachographError, match=r"cannot write graph"):
            tg.write(new, path)
        assert path.read_bytes() == before
        assert os.listdir() == [path.name]
    with file_limit(size):
        tg.write(new, path)
    assert path.read_bytes() != before


def written(graph: tg.Graph, path: Path) -> bool:
    """Whether the format takes such a graph."""
    try:
        tg.write(graph, path)
    except tg.TachographError:
        return False
    return True


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("suffix", [".tgraph", ".npz"])
def test_a_kill_at_any_line_of_writing_leaves_a_whole_graph(suffix, step):
    path = Path(f"graph{suffix}")
    tg.write(OTHER, path)
    tg.write(GRAPH, path)
    old, seen = path.read_bytes(), set()
    files._swept.clear()
    sources = (files.__file__, streams.__file__, tgraph.__file__)
    for _ in killed_at_every_line(lambda: tg.write(OTHER, path), *sources, step=step):
        seen.add(tg.read(path).m)
        assert len(os.listdir()) <= 2
        path.write_bytes(old)
    assert GRAPH.m in seen
    files._swept.clear()
    tg.write(OTHER, path)
    assert os.listdir() == [path.name]


class Here:
    """An executor that calls in this process."""

    def place(self):
        return "here", 1

    def perform(self, work, calls):
        module, name = work.function.split(":")
        for number, arguments in enumerate(calls):
            yield number, getattr(importlib.import_module(module), name)(**arguments)


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_at_any_line_of_a_campaign_loses_nothing_finished(step):
    done, kills = Path("done"), 0

    def work():
        todo = Campaign(
            "squares", "builtins:dict", [{"base": base, "mark": kills} for base in range(3)]
        )
        for number, record in todo.run(Here()):
            with done.open("a") as file:
                file.write(f"{number} {record['mark']}\n")

    for _ in killed_at_every_line(work, campaign.__file__, step=step):
        kept = {(r["base"], r["mark"]) for r in journal().records("squares").values()}
        lines = done.read_text().splitlines() if done.exists() else []
        assert {tuple(map(int, line.split())) for line in lines} <= kept
        kills += 1  # other keys, so that all is done again
    assert kills > 60 / step
    last = Campaign("squares", "builtins:dict", [{"base": b, "mark": kills} for b in range(3)])
    assert last.records(Here()) == [{"base": b, "mark": kills} for b in range(3)]


class Model:
    def __init__(self, value):
        self.value = value

    def arrays(self):
        return {"value": np.full(3, self.value)}


class Trainer:
    """The six steps, as short as they can be."""

    name, file, state, fewest = "nonsense", "nonsense", ("a",), (1, 1)

    def __init__(self, value):
        self.value = value

    def choose(self):
        return [self.value]

    def collect(self, chosen):
        todo = Campaign(
            "measured", "builtins:dict", [{"graph": "g", "family": "f", "value": chosen[0]}]
        )
        return todo.records(Here())

    def used(self, records):
        return records

    def fit(self, used):
        return Model(used[0]["value"])

    def evaluate(self, model, records):
        return {}

    def facts(self, model):
        return {}


def test_a_kill_at_any_line_of_training_leaves_a_whole_model():
    kept = Kept("nonsense", ("a",), lambda file: float(file.array("value", (3,))[0]))
    trainer.train(Trainer(1.0))
    assert kept() == 1.0
    seen = set()
    sources = (trainer.__file__, model_file.__file__, files.__file__)
    for _ in killed_at_every_line(lambda: trainer.train(Trainer(2.0)), *sources):
        seen.add(kept())
        trainer.train(Trainer(1.0))
    assert seen == {1.0, 2.0}
    files._swept.clear()
    trainer.train(Trainer(3.0))
    assert kept() == 3.0
    assert os.listdir(own_model("nonsense").parent) == ["nonsense.json"]


def test_a_full_disk_while_training_leaves_the_model_in_use():
    kept = Kept("nonsense", ("a",), lambda file: float(file.array("value", (3,))[0]))
    trainer.train(Trainer(1.0))
    journal().put("x", "y", {})  # the journal can grow a little where it is
    for limit in (0, 100):
        made = ModelFile("nonsense", ("a",), Model(2.0).arrays(), {})
        with file_limit(limit), pytest.raises(tg.TachographError, match="cannot write"):
            model_file.write(own_model("nonsense"), made)
        assert kept() == 1.0


def test_a_clock_that_is_set_back_hides_no_model():
    kept = Kept("nonsense", ("a",), lambda file: float(file.array("value", (3,))[0]))
    clock = random.Random(1)
    for value in range(1, 5):
        trainer.train(Trainer(float(value)))
        os.utime(own_model("nonsense"), (clock.randrange(10**9),) * 2)
        assert kept() == value
