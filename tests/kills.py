"""Kills: processes that keep something end at any moment, and nothing that was finished is lost.

    python -m tests.kills --kills 1000
    python -m tests.kills journal graph --kills 100 --seed 7

A process does its work again and again, and says so after each time that it has finished. It is killed (SIGKILL) at a
random moment, up to twice as late as work is finished on this machine, however busy that is. Then everything that it said
must be there and sound, and after the next start nothing else.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

import tachograph as tg
from tachograph.decisions import model_file, trainer
from tachograph.decisions.model_file import Kept, ModelFile, own_model
from tachograph.journal import Journal, Run, journal, store
from tachograph.journal.campaign import Campaign
from tachograph.journal.repair import repair
from tachograph.util import files
from tests.test_faults import Here, Trainer

RUN = Run("bfs", {"name": "a", "n": 3}, 1.0, {"source": 1}, trace={"t": [1, 2]})
GRAPHS = [tg.path(300), tg.complete(40)]
SUFFIXES = (".tgraph", ".npz", ".parquet", ".el.gz", ".mtx")
MEASURED_EACH = 20  # kills after which it is measured again how long work takes
Say = Callable[[str], None]


class Journals:
    """Runs and records that several processes in turn put into one journal."""

    def __init__(self, place: Path) -> None:
        self.path = place / "journal.db"
        self.start = 0

    def work(self, say: Say) -> None:
        kept = Journal(self.path, strict=True)
        for i in range(self.start, sys.maxsize):
            number = kept.record(RUN)
            say(f"run {number}")
            kept.put("kind", str(i), {"i": i})
            say(f"record {i}")

    def check(self, said: list[str]) -> None:
        kept = Journal(self.path, strict=True)
        runs, records = {run.id for run in kept.runs()}, kept.records("kind")
        for line in said:
            what, number = line.split()
            assert int(number) in runs if what == "run" else records[number] == {"i": int(number)}
        assert kept._read("PRAGMA integrity_check") == [("ok",)]
        assert kept.skipped == 0
        kept.close()
        self.start += 10_000
        assert {p.name for p in self.path.parent.iterdir()} <= {
            "journal.db",
            "journal.db-wal",
            "journal.db-shm",
        }


class Campaigns:
    """Records of campaigns."""

    def __init__(self, place: Path) -> None:
        os.environ["TACHOGRAPH_HOME"] = str(place / "home")
        self.round = 0

    def work(self, say: Say) -> None:
        todo = Campaign(
            "squares", "builtins:dict", [{"base": b, "round": self.round} for b in range(500)]
        )
        for _, record in todo.run(Here()):
            say(str(record["base"]))

    def check(self, said: list[str]) -> None:
        found = journal().records("squares").values()
        kept = {r["base"] for r in found if r["round"] == self.round}
        assert set(map(int, said)) <= kept
        self.round += 1


class Graphs:
    """Graph files, of which one replaces the other."""

    def __init__(self, place: Path) -> None:
        self.paths = [place / f"g{suffix}" for suffix in SUFFIXES]
        for path in self.paths:
            tg.write(GRAPHS[0], path)

    def work(self, say: Say) -> None:
        for i in range(sys.maxsize):
            tg.write(GRAPHS[i % 2], self.paths[i % len(SUFFIXES)])
            say(str(i))

    def check(self, said: list[str]) -> None:
        for path in self.paths:
            assert tg.read(path).m in {g.m for g in GRAPHS}
        files._swept.clear()  # as a new process
        tg.write(GRAPHS[0], self.paths[0])
        assert sorted(os.listdir(self.paths[0].parent)) == sorted(p.name for p in self.paths)


class Models:
    """Model files."""

    def __init__(self, place: Path) -> None:
        os.environ["TACHOGRAPH_HOME"] = str(place / "home")
        self.kept = Kept("nonsense", ("a",), lambda file: float(file.array("value", (3,))[0]))
        self.write(1.0)

    @staticmethod
    def write(value: float) -> None:
        path = own_model("nonsense")
        path.parent.mkdir(parents=True, exist_ok=True)
        model_file.write(path, ModelFile("nonsense", ("a",), {"value": np.full(3, value)}, {}))

    def work(self, say: Say) -> None:
        for i in range(sys.maxsize):
            self.write(float(i))
            say(str(i))

    def check(self, said: list[str]) -> None:
        last = float(said[-1]) if said else -1.0
        store.LOOK_AGAIN_SECONDS = 0.0  # as a new process
        assert self.kept() in (last, last + 1) or not said
        files._swept.clear()
        self.write(1.0)
        assert os.listdir(own_model("nonsense").parent) == ["nonsense.json"]


class Training(Models):
    """Whole trainings: measured, fitted, judged and written."""

    def work(self, say: Say) -> None:
        for i in range(sys.maxsize):
            trainer.train(Trainer(float(i)))
            say(str(i))


class Repairs:
    """Repairs of a journal with a damaged page."""

    def __init__(self, place: Path) -> None:
        self.path, good = place / "journal.db", place.parent / f"{place.name}.good"
        kept = Journal(self.path, strict=True)
        for i in range(40):
            kept.put("kind", str(i), {"i": i, "padding": "x" * 300})
        kept.close()
        self.path.replace(good)
        self.damaged = bytearray(good.read_bytes())
        self.damaged[9000:9100] = b"\xff" * 100
        good.unlink()
        self.fresh()
        repair(self.path)
        self.sound = len(Journal(self.path, strict=True).records("kind"))
        self.fresh()

    def fresh(self) -> None:
        for left in self.path.parent.iterdir():
            left.unlink()
        self.path.write_bytes(self.damaged)

    def work(self, say: Say) -> None:
        while True:
            repair(self.path)
            say("repaired")

    def check(self, said: list[str]) -> None:
        files._swept.clear()
        with suppress(tg.TachographError):  # there may be nothing left to repair
            repair(self.path)
        assert len(Journal(self.path, strict=True).records("kind")) == self.sound > 20
        left = [p.name for p in self.path.parent.iterdir() if p.name.startswith(".")]
        assert left == []
        self.fresh()


class Partitions:
    """Partitions of a graph."""

    def __init__(self, place: Path) -> None:
        self.place, self.graph = place, tg.kronecker(7, rng=1)
        tg.scale.partition(self.graph, parts=3, directory=place / "parts")
        shutil.rmtree(place / "parts")

    def work(self, say: Say) -> None:
        tg.scale.partition(self.graph, parts=3, directory=self.place / "parts")
        say("whole")
        time.sleep(60)

    def check(self, said: list[str]) -> None:
        parts = self.place / "parts"
        if said or (parts / "partition.json").exists():
            assert (
                tg.scale.connected_components(parts).count
                == tg.connected_components(self.graph).count
            )
        shutil.rmtree(parts, ignore_errors=True)
        files._swept.clear()
        tg.scale.partition(self.graph, parts=3, directory=parts)
        assert os.listdir(self.place) == ["parts"]
        shutil.rmtree(parts)


class Supersteps:
    """Runs on a partitioned graph with a checkpoint after each superstep."""

    def __init__(self, place: Path) -> None:
        os.environ["TACHOGRAPH_HOME"] = str(place / "home")
        self.parts = place / "parts"
        tg.scale.partition(tg.path(60), parts=2, directory=self.parts)

    def work(self, say: Say) -> None:
        while True:
            tg.scale.bfs(self.parts, 0, checkpoint=1)
            say("done")

    def check(self, said: list[str]) -> None:
        files._swept.clear()
        assert np.array_equal(tg.scale.bfs(self.parts, 0, checkpoint=1).levels, np.arange(60))
        (run,) = (self.parts / "runs").iterdir()
        assert {p.suffix for p in run.iterdir()} <= {".npy", ""}, os.listdir(run)


#: Kinds of work, how many of a hundred kills each gets, and for how many seconds work goes on at least before the last kill.
KINDS = {
    "journal": (Journals, 30, 0.05),
    "campaign": (Campaigns, 20, 0.05),
    "graph": (Graphs, 20, 0.05),
    "model": (Models, 10, 0.05),
    "train": (Training, 6, 0.2),
    "repair": (Repairs, 8, 0.05),
    "partition": (Partitions, 6, 0.4),
    "superstep": (Supersteps, 6, 0.4),
}


def killed(work: Callable[[Say], None], seconds: float | None) -> list[str]:
    """Do the work in a process that is killed so long after it has begun; return what it said.

    None: after it has finished something.
    """
    back, out = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(back)
            os.write(out, b"begun\n")
            work(lambda line: os.write(out, f"{line}\n".encode()))
            code = 0
        finally:
            os._exit(code)
    os.close(out)
    with os.fdopen(back, "rb") as pipe:
        assert pipe.readline() == b"begun\n"
        first = pipe.readline() if seconds is None else b""
        time.sleep(seconds or 0.0)
        os.kill(child, signal.SIGKILL)
        said = (first + pipe.read()).decode().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the work failed without a kill"
    return said


def run(name: str, kills: int, seed: int) -> int:
    """Kill so often; return how often something had been finished before. Raises if anything is lost."""
    chance, finished = random.Random(f"{seed} {name}"), 0
    before = os.environ.get("TACHOGRAPH_HOME")
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "place"
        place.mkdir()
        kind = KINDS[name][0](place)
        most = KINDS[name][2]
        for at in range(kills):
            if at % MEASURED_EACH == 0:  # the machine may be busier now
                if at == 0:
                    kind.check(killed(kind.work, None))  # it may compile something
                begin = time.monotonic()
                said = killed(kind.work, None)
                most = max(KINDS[name][2], 2 * (time.monotonic() - begin))
            else:
                said = killed(kind.work, chance.random() * most)
            finished += len(said)
            kind.check(said)
    os.environ["TACHOGRAPH_HOME"] = before or ""
    return finished


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m tests.kills", description="Kills at any moment."
    )
    options.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options.add_argument("--kills", type=int, default=1000, help="in all")
    options.add_argument("--seed", type=int, default=1)
    told = options.parse_args()
    warnings.simplefilter("ignore")
    names = told.kinds or list(KINDS)
    total = sum(KINDS[name][1] for name in names)
    kills = 0
    for name in names:
        count = max(1, round(told.kills * KINDS[name][1] / total))
        finished = run(name, count, told.seed)
        kills += count
        print(f"{name:12} {count:6,} kills, {finished:8,} finished before, none lost", flush=True)
    print(f"{'all':12} {kills:6,} kills")
    return 0


if __name__ == "__main__":
    sys.exit(main())
