"""Damaged models, journals and calibrations: used as the package does, in place of sound ones."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.model_file import ModelFile, shipped_model, write
from tachograph.decisions.placement.state import Call
from tachograph.decisions.split import model as split
from tachograph.decisions.times.model import SHAPE_FEATURES
from tachograph.decisions.trainer import FORKS
from tachograph.devices import calibrate
from tachograph.devices.host import Host
from tachograph.journal import Journal, Run, journal
from tachograph.journal.repair import check, repair
from tachograph.networkx import decide
from tachograph.tasks import estimate

from . import must
from .damage import ODD, many_bytes, one_value

GRAPH = tg.star(9)


class Models:
    """The models of all forks, and of NetworkX."""

    def __init__(self, place: Path) -> None:
        self.kept = {**{name: fork.model for name, fork in FORKS.items()}, "networkx": decide.kept}
        self.path = place / "model.json"
        self.good: dict[str, bytes] = {}
        for name, kept in self.kept.items():
            if shipped_model(name).exists():
                self.good[name] = shipped_model(name).read_bytes()
            else:
                times = {"times|t|k": np.ones((2, 3)), "instructions|t|k": np.ones(1)}
                write(self.path, ModelFile(name, kept.state, times, {}))
                self.good[name] = self.path.read_bytes()

    def __call__(self, rng: random.Random) -> bool:
        name = rng.choice(list(self.good))
        content = json.loads(self.good[name])
        if rng.random() < 0.3:
            data = many_bytes(rng, self.good[name])
            self.path.write_bytes(data)
            if (model := self.model(name)) is not None:
                must(json.loads(data) == content, "a damaged file was accepted")
            return model is not None
        arrays = content["arrays"]
        chosen = rng.choice(list(arrays))
        if rng.random() < 0.5:  # one number of an array
            array = np.array(model_file._decoded(arrays[chosen]))
            odd = rng.choice([x for x in ODD if isinstance(x, int | float)])
            array = array.astype(np.float64) if rng.random() < 0.5 else array
            with np.errstate(all="ignore"):
                array.ravel()[rng.randrange(array.size)] = np.array(float(odd or 0)).astype(
                    array.dtype
                )
            arrays[chosen] = model_file._encoded(array)
        elif rng.random() < 0.7:
            arrays[chosen] = one_value(rng, arrays[chosen])
        else:
            content = one_value(rng, content)
        if isinstance(content, dict):
            content.pop("checksum", None)
            content["checksum"] = model_file._checksum(content)
        self.path.write_text(json.dumps(content))
        if (model := self.model(name)) is not None:
            USES[name](model)
        return model is not None

    def model(self, name: str) -> Any:
        try:
            return self.kept[name].read(self.path)
        except tg.TachographError:
            return None


def use_times(model: Any) -> None:
    for name in model.curves:
        found = model.predict(name, dict.fromkeys(SHAPE_FEATURES, 1.0))
        assert 0 < found.low <= found.seconds <= found.high
        assert model.peak(name, GRAPH) >= 0
    calibration = model.card.get("calibration", {}).get("host")
    assert calibration is None or calibration["gather"] > 0


def use_trees(model: Any) -> None:
    rows = np.ones((2, len(FORKS["approximation"].model.state)))
    with np.errstate(all="ignore"):
        assert len(model.errors(rows, 0.9)) == len(model.gains(rows, 0.9)) == 2


def use_network(model: Any) -> None:
    calls = [("pagerank", (nx.path_graph(4),)), ("jaccard_coefficient", (nx.path_graph(4),))]
    decide.the_model = lambda: model
    for name, arguments in calls:
        assert isinstance(decide.should_run(name, arguments, {}), bool | str)


def use_split(model: Any) -> None:
    rates = dict.fromkeys(calibrate.UNITS, 1.0)
    split.the_model, before = (lambda: model), split.the_model
    try:
        with np.errstate(all="ignore"):
            found = split.expected(split.State.of(tg.complete(5), 0), rates, rates, True)
    finally:
        split.the_model = before
    assert 0 <= found.share <= 1, found


def use_placement(model: Any) -> None:
    for policy in model.policies.values():
        for kernel in policy.times:
            assert policy(Call(kernel, 0, 5, 5, 5)) in ("host", "device")


def use_direction(model: Any) -> None:
    from tachograph.decisions.direction.model import State, cost_policy, surf_policy

    for policy in (cost_policy(model.cost), surf_policy(model.surf)):
        assert policy.choose(State(100, 800, 10, 200, 80, 500)) in ("push", "pull")


USES: dict[str, Callable[[Any], None]] = {
    "approximation": use_trees,
    "direction": use_direction,
    "networkx": use_network,
    "placement": use_placement,
    "split": use_split,
    "times": use_times,
}


class Journals:
    """The file of a journal, its bytes changed, read and written as plans, runs and commands do."""

    ROWS = 30

    def __init__(self, place: Path) -> None:
        self.path = place / "kept" / "journal.db"
        kept = Journal(self.path, strict=True)
        for i in range(self.ROWS):
            kept.put("kind", f"key {i}", {"i": i, "text": "x" * i * 20})
            about = {"name": f"graph {i}", "n": i, "mark": f"{i:08x}"}
            plan = {"way": "auto", "base": 0.5}
            kept.record(Run("bfs", about, 1.0 + i, {"source": i}, plan, 0.7, trace={"t": [i] * 9}))
        self.records = kept.records("kind")
        self.runs = [self.content(run) for run in kept.runs()]
        kept.close()
        self.good = self.path.read_bytes()

    @staticmethod
    def content(run: Run) -> Run:
        """A run without its number, which is SQLite's."""
        return dataclasses.replace(run, id=0, parent=None)

    def __call__(self, rng: random.Random) -> bool:
        for left in self.path.parent.iterdir():
            left.unlink()
        data = many_bytes(rng, self.good)
        self.path.write_bytes(data)
        if rng.random() < 0.1:
            Path(f"{self.path}-wal").write_bytes(many_bytes(rng, data[:8192]))
        kept = Journal(self.path)
        self.read(kept)
        kept.put("other", "x", {})
        kept.record(Run("bfs", {}, 1.0))
        kept.trace(rng.randrange(self.ROWS + 2))
        kept.run_with_key("x")
        kept.prune(-1e9)
        kept.close()
        try:
            check(self.path)
            repair(self.path)
        except tg.TachographError:
            return False
        kept = Journal(self.path, strict=True)
        self.read(kept)
        assert kept.skipped == 0
        assert kept.record(Run("bfs", {}, 1.0))
        kept.close()
        return True

    def read(self, kept: Journal) -> None:
        for run in kept.runs():
            must(run.graph == {} or self.content(run) in self.runs, run)
        must(kept.records("kind").items() <= self.records.items(), "another record")
        assert all(isinstance(kind, str) for kind in kept.kinds())


class Calibrations:
    """The numbers of a calibration, exchanged, where decisions read them."""

    def __init__(self, place: Path) -> None:
        pass

    def __call__(self, rng: random.Random) -> bool:
        host = Host(2)
        good = dict.fromkeys(calibrate.UNITS, 2.0) | {"transfer": None}
        wrong = good
        for _ in range(rng.randrange(1, 3)):
            wrong = one_value(rng, wrong)
        journal().put("calibration", host.key, wrong if isinstance(wrong, dict) else {"x": wrong})
        found = calibrate.calibration(host)
        if found is not None:
            must(all(found[k] > 0 for k in calibrate.UNITS if k != "transfer"), found)
        must(0 <= estimate.scale_of(host).factor < math.inf, "the factor")
        return found is not None
