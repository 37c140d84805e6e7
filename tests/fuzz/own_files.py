"""Damaged models, journals and calibrations, at random (no package is needed).

    python -m tests.fuzz_own_files --seconds 300
    python -m tests.fuzz_own_files journal --seconds 300 --seed 7

Each input is a sound file with some damage: bytes are changed, cut out or repeated, or values are
exchanged and the file is signed again. It is used as the package would use it. Anything but an error
of ours is a failure, and so is an answer that differs from what was written without an error, and a use
that takes more than ``HANG_SECONDS``.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import math
import os
import random
import tempfile
import time
import warnings
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

HANG_SECONDS = 5.0
ODD = (None, True, 0, -1, 2**63 - 1, -(2**63), 2**64, 1e308, -1e308, 1e-320, math.nan, math.inf, "",
       "x", "\ud800", "|", [], {}, [[]], [0] * 40, {"a": {}}, "9" * 5000)  # fmt: skip
GRAPH = tg.star(9)
Damage = Callable[[random.Random], None]


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """Change, cut out or repeat some bytes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(len(made)) if made else 0
        length = rng.choice((1, 1, 4, 100, 4096))
        kind = rng.randrange(5)
        if kind == 0:
            made[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            made[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            made[at : at + length] = rng.choice((b"\0", b"\xff")) * length
        elif kind == 3:
            del made[at : at + length]
        else:
            made[at:at] = made[at : at + length]
    return bytes(made[: rng.randrange(len(made))] if made and rng.random() < 0.1 else made)


def damaged_value(rng: random.Random, value: Any) -> Any:
    """Return a copy in which one value, somewhere inside, is an odd one, or is missing."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        made = copy.copy(value)
        key = rng.choice(list(made) if isinstance(made, dict) else range(len(made)))
        if rng.random() < 0.1:
            del made[key]
        else:
            made[key] = damaged_value(rng, made[key])
        return made
    return rng.choice(ODD)


class Models:
    """The models of all forks, and of NetworkX."""

    def __init__(self) -> None:
        self.kept = {**{name: fork.model for name, fork in FORKS.items()}, "networkx": decide.kept}
        self.path = Path(tempfile.mkdtemp()) / "model.json"
        self.good: dict[str, bytes] = {}
        for name, kept in self.kept.items():
            if shipped_model(name).exists():
                self.good[name] = shipped_model(name).read_bytes()
            else:
                times = {"times|t|k": np.ones((2, 3)), "instructions|t|k": np.ones(1)}
                write(self.path, ModelFile(name, kept.state, times, {}))
                self.good[name] = self.path.read_bytes()

    def __call__(self, rng: random.Random) -> None:
        name = rng.choice(list(self.good))
        content = json.loads(self.good[name])
        if rng.random() < 0.3:
            data = damaged_bytes(rng, self.good[name])
            self.path.write_bytes(data)
            if (model := self.model(name)) is not None:
                assert json.loads(data) == content, "a damaged file was accepted"
            return
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
            arrays[chosen] = damaged_value(rng, arrays[chosen])
        else:
            content = damaged_value(rng, content)
        if isinstance(content, dict):
            content.pop("checksum", None)
            content["checksum"] = model_file._checksum(content)
        self.path.write_text(json.dumps(content))
        if (model := self.model(name)) is not None:
            USES[name](model)

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

    def __init__(self) -> None:
        place = Path(tempfile.mkdtemp())
        self.path = place / "journal.db"
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

    def __call__(self, rng: random.Random) -> None:
        for left in self.path.parent.iterdir():
            left.unlink()
        data = damaged_bytes(rng, self.good)
        self.path.write_bytes(data)
        if rng.random() < 0.1:
            Path(f"{self.path}-wal").write_bytes(damaged_bytes(rng, data[:8192]))
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
            return
        kept = Journal(self.path, strict=True)
        self.read(kept)
        assert kept.skipped == 0
        assert kept.record(Run("bfs", {}, 1.0))
        kept.close()

    def read(self, kept: Journal) -> None:
        for run in kept.runs():
            assert run.graph == {} or self.content(run) in self.runs, run
        assert kept.records("kind").items() <= self.records.items()
        assert all(isinstance(kind, str) for kind in kept.kinds())


class Calibrations:
    """The numbers of a calibration, exchanged, where decisions read them."""

    def __call__(self, rng: random.Random) -> None:
        host = Host(2)
        good = dict.fromkeys(calibrate.UNITS, 2.0) | {"transfer": None}
        wrong = good
        for _ in range(rng.randrange(1, 3)):
            wrong = damaged_value(rng, wrong)
        journal().put("calibration", host.key, wrong if isinstance(wrong, dict) else {"x": wrong})
        found = calibrate.calibration(host)
        if found is not None:
            assert all(found[name] > 0 for name in calibrate.UNITS if name != "transfer")
        assert 0 <= estimate.scale_of(host).factor < math.inf


TARGETS: dict[str, Callable[[], Damage]] = {
    "calibration": Calibrations,
    "journal": Journals,
    "model": Models,
}


def fuzz(name: str, seconds: float, seed: int = 0) -> int:
    """Use damaged files for so long. Return how many; raise if one of them does harm."""
    target, end, count = TARGETS[name](), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        begin = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                target(random.Random(f"{seed} {count}"))
            except Exception as error:
                error.add_note(f"python -m tests.fuzz_own_files {name}: seed {seed}, input {count}")
                raise
        taken = time.monotonic() - begin
        assert taken < HANG_SECONDS, f"{name}, seed {seed}, input {count} took {taken:.1f} s"
        count += 1
    return count


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TARGETS))
    options.add_argument("--seconds", type=float, default=60.0, help="for each target")
    options.add_argument("--seed", type=int, default=int(time.time()))
    told = options.parse_args()
    os.environ["TACHOGRAPH_HOME"] = tempfile.mkdtemp()
    for each in told.names or TARGETS:
        print(f"{each}: {fuzz(each, told.seconds, told.seed):,} inputs, seed {told.seed}")
