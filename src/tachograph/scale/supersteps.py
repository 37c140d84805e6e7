"""The driver of programs: superstep after superstep, here or on a cluster, with checkpoints.

All that a run knows lies in ``runs/TASK-KEY`` of the partition's directory: after every superstep a
file for each part, after every ``checkpoint`` supersteps durable ones and a small file that tells
of them. A run that was stopped, however, goes on from there when it is started again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.result import Trace
from ..graph.files.streams import aside
from ..util.errors import InputError
from ..util.progress import bar
from .executor import Each, executor
from .locks import alone
from .manifest import Partition, open_partition
from .programs.base import Notes, Order, Program
from .tasks import START, check_piece, perform, put_results, step_file, verify

__all__ = ["CHECKPOINT", "Finished", "execute"]

CHECKPOINT = 10  # supersteps between two checkpoints
COLUMNS = ("superstep", "phase", "seconds", "work_seconds", "write_seconds", "message_bytes")


class Finished:
    """What a run gives: results mapped from their files, the driver's memory, the trace, seconds."""

    def __init__(
        self, values: dict[str, np.ndarray], memory: dict[str, Any], trace: Trace, seconds: float
    ) -> None:
        self.values, self.memory, self.trace, self.seconds = values, memory, trace, seconds


def execute(
    program: Program,
    given: Partition | str | os.PathLike[str],
    outputs: dict[str, Any],
    cluster: str | None,
    workers: int | None,
    checkpoint: int,
) -> Finished:
    """Run a program to its end. ``outputs`` has the type of each result.

    Raises
    ------
    InputError, MissingFileError, FileFormatError
        If the partition cannot be used; before any work.
    TachographError
        If the cluster is lost; the same call goes on from the last checkpoint.
    """
    partition = open_partition(given)
    program.check(partition)
    if checkpoint < 1:
        raise InputError(f"checkpoint = {checkpoint}: after how many supersteps, at least one")
    run = partition.directory.absolute() / "runs" / f"{program.task}-{program.key(partition)}"
    try:
        run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {run}: {error.strerror or error}") from error
    with alone(run), executor(cluster, workers, partition.parts) as each:
        return _Run(program, partition, run, each, checkpoint).to_the_end(outputs)


class _Run:
    """A run from its start, or from its last checkpoint, to its end."""

    def __init__(
        self, program: Program, partition: Partition, run: Path, each: Each, every: int
    ) -> None:
        self.program, self.partition, self.run, self.each = program, partition, run, each
        self.every = every
        self.where = (partition.directory.absolute(), partition.key)
        self.parts = range(partition.parts)
        self.rows: list[tuple[Any, ...]] = []
        self.memory: dict[str, Any] = {}
        self.kept_step = -1  # the superstep of the last checkpoint

    def to_the_end(self, outputs: dict[str, Any]) -> Finished:
        from ..kernels.runtime.launch import clock

        self.each(check_piece, [(*self.where, part) for part in self.parts])
        begin = clock()
        step, notes = self._resumed() or (0, self._superstep(0, START, []))
        with bar(self.program.task) as shown:
            while True:
                if self._keeps(step):
                    self._checkpoint(step, notes)  # the memory is that before the decision
                order = self.program.decide(self.memory, notes)
                if order is None:
                    break
                step += 1
                notes = self._superstep(step, order, notes)
                self._forget(step - 1)
                shown.note(f"superstep {step}")
        values = self._results(step, notes, outputs)
        seconds = clock() - begin
        trace = Trace(dict(zip(COLUMNS, zip(*self.rows, strict=True), strict=True)))
        return Finished(values, self.memory, trace, seconds)

    def _keeps(self, step: int) -> bool:
        """Whether a superstep is a checkpoint. The first never is: it is as soon done again."""
        return step > 0 and step % self.every == 0

    def _senders(self, notes: list[Notes]) -> list[list[int]]:
        """For each part those that have mail for it."""
        found: list[list[int]] = [[] for _ in self.parts]
        for sender, note in enumerate(notes):
            for other in note["to"]:
                found[other].append(sender)
        return found

    def _superstep(self, step: int, order: Order, notes: list[Notes]) -> list[Notes]:
        from ..kernels.runtime.launch import clock

        begin = clock()
        durable = self._keeps(step)
        calls = [
            (*self.where, self.run, self.program, part, step, order, senders, durable)
            for part, senders in enumerate(self._senders(notes))
        ]
        made: list[Notes] = self.each(perform, calls)
        worked = max(n["work"] for n in made)
        written = max(n.get("written", 0.0) for n in made)
        sent = sum(n["bytes"] for n in made)
        self.rows.append((step, order["phase"], clock() - begin, worked, written, sent))
        return made

    def _checkpoint(self, step: int, notes: list[Notes]) -> None:
        """Tell a later run of the durable files of a superstep, and forget those before."""
        if step == self.kept_step:
            return
        with aside(self.run / "checkpoint.json") as temporary:
            content = {"step": step, "memory": self.memory, "notes": notes}
            temporary.write_text(json.dumps(content))
        before, self.kept_step = self.kept_step, step
        if before >= 0:
            self._forget(before)

    def _forget(self, step: int) -> None:
        """Remove the files of a superstep, unless they are a checkpoint."""
        if step != self.kept_step:
            for part in self.parts:
                step_file(self.run, step, part).unlink(missing_ok=True)

    def _resumed(self) -> tuple[int, list[Notes]] | None:
        """The last checkpoint, if there is one and all its files are whole."""
        try:
            content = json.loads((self.run / "checkpoint.json").read_text())
            step, notes = int(content["step"]), content["notes"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if not all(self.each(verify, [(self.run, step, part) for part in self.parts])):
            return None
        self.memory, self.kept_step = content["memory"], step
        return step, notes

    def _results(
        self, step: int, notes: list[Notes], outputs: dict[str, Any]
    ) -> dict[str, np.ndarray]:
        """All results, each in a file of its own, which appears when it is complete."""
        owned = np.diff(self.partition.cuts).tolist()
        rows = [note.get("rows", size) for note, size in zip(notes, owned, strict=True)]
        starts = np.concatenate([[0], np.cumsum(rows)]).tolist()
        files = {name: self.run / f".{name}.npy" for name in outputs}
        for name, kind in outputs.items():
            _make(files[name], kind, starts[-1])
        senders = self._senders(notes)
        self.each(
            put_results,
            [(*self.where, self.run, self.program, part, step, senders[part], starts[part], files)
             for part in self.parts],
        )  # fmt: skip
        values = {}
        for name, path in files.items():
            final = self.run / f"{name}.npy"
            path.replace(final)
            values[name] = np.load(final, mmap_mode="r") if starts[-1] else np.load(final)
        (self.run / "checkpoint.json").unlink(missing_ok=True)
        for left in self.run.glob("*.step"):
            left.unlink(missing_ok=True)
        return values


def _make(path: Path, kind: Any, size: int) -> None:
    """A file for an array, with all its room: a full disk is an error now, not a crash later."""
    try:
        np.save(path, np.empty(0, kind))
        if size:
            path.unlink()
            np.lib.format.open_memmap(path, "w+", kind, (size,))
            if hasattr(os, "posix_fallocate"):
                with path.open("rb+") as file:
                    os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
