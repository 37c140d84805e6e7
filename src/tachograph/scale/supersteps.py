"""The driver of programs: superstep after superstep, here or on a cluster, with checkpoints.

All that a run knows lies in ``runs/TASK-KEY`` of the partition's directory: after every superstep a
file for each part, after every ``checkpoint`` supersteps durable ones and a small file that tells
of them. A run that was stopped, however, goes on from there when it is started again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from ..algorithms.result import Result, Run, Trace
from ..graph.build import index_type
from ..kernels.runtime.launch import clock
from ..util.arguments import single
from ..util.errors import InputError, TachographError
from ..util.executor import Executor, Lost, results
from ..util.files import aside, small_content
from ..util.limits import check_time
from ..util.progress import bar
from .executor import executor
from .manifest import Partition, alone, reserve
from .programs import Memory, Notes, Order, Program, Row
from .seal import is_sealed, key_of, seal
from .tasks import START, Files, Part, check_piece, perform, put_results, verify

__all__ = ["Where", "solve"]

R = TypeVar("R", bound=Result)
CHECKPOINT = 10  # supersteps between two checkpoints
CHECKPOINT_FILE = "checkpoint.json"


class Where(TypedDict, total=False):
    """Where and how a run on a partitioned graph happens; every algorithm takes these.

    cluster
        The address of a Dask scheduler. By default the Dask client in use, else this process.
    workers
        A number of processes to start on this machine instead.
    checkpoint
        After how many supersteps the state is kept for a later run. Default: 10.
    """

    cluster: str | None
    workers: int | None
    checkpoint: int


def solve(kind: type[R], program: Program, partition: Partition, **where: Unpack[Where]) -> R:
    """Run a program to its end, and make a result of that kind from its values.

    Raises
    ------
    InputError, MissingFileError, FileFormatError
        If the partition cannot be used; before any work.
    TachographError
        If the cluster is lost; the same call goes on from the last checkpoint.
    """
    program.check(partition)
    for name, value in where.items():
        if name not in Where.__annotations__:
            known = ", ".join(Where.__annotations__)
            raise InputError(f"{name} is no argument: there are {known}")
        where[name] = single(name, value, Where.__annotations__[name].__forward_arg__)  # type: ignore[literal-required]
    every = program.checkpoint or where.get("checkpoint", CHECKPOINT)
    if every < 1:
        raise InputError(f"checkpoint = {every}: after how many supersteps, at least one")
    name, directory = f"{program.task}-{program.key(partition)}", partition.directory.absolute()
    seals = key_of(partition.key, name)
    files = Files(directory, partition.key, directory / "runs" / name, seals)
    for place in (files.run.parent, files.run):
        if place.is_symlink():
            raise InputError(
                f"{place} is a link to another place, where nothing is written: remove it"
            )
    try:
        files.run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {files.run}: {error.strerror or error}") from error
    workers = where.get("workers")
    most = None if workers is None else min(workers, partition.parts)
    try:
        with alone(files.run), executor(where.get("cluster"), most) as who:
            values, how = _Run(program, partition, files, who, every).to_the_end()
            return kind(run=how, **values)
    except OSError as error:
        if isinstance(error, TachographError):
            raise
        raise InputError(f"cannot use {files.run}: {error.strerror or error}") from error
    except Lost as error:
        advice = "the same call goes on from the last checkpoint, on another cluster or without one"
        raise Lost(f"{error}: {advice}") from None


@dataclass
class _Run:
    """A run from its start, or from its last checkpoint, to its end."""

    program: Program
    partition: Partition
    files: Files
    who: Executor
    every: int
    rows: list[Row] = field(default_factory=list)
    memory: Memory = field(default_factory=dict)
    kept_step: int = -1  # the superstep of the last checkpoint

    @property
    def parts(self) -> range:
        return range(self.partition.parts)

    def to_the_end(self) -> tuple[dict[str, object], Run]:
        files = self.files
        calls = [{"files": files, "part": part} for part in self.parts]
        self.partition.check_mail(results(self.who, check_piece, calls))
        begin = clock()
        step, notes = self._resumed() or (0, self._superstep(0, START, []))
        with bar(self.program.task) as shown:
            while True:
                if self._keeps(step):
                    self._checkpoint(step, notes)  # the memory is that before the decision
                order = self.program.decide(self.memory, notes)
                if order is None:
                    break
                check_time()
                step += 1
                notes = self._superstep(step, order, notes)
                self._forget(step - 1)
                shown.note(f"superstep {step}")
        arrays = self._arrays(step, notes)
        seconds = clock() - begin
        # there are none if the last checkpoint was of the last superstep
        columns = {name: [getattr(row, name) for row in self.rows] for name in Row._fields}
        how = Run(seconds, Trace(columns), way="supersteps")
        return self.program.values(self.partition, arrays, self.memory), how

    def _keeps(self, step: int) -> bool:
        """Whether a superstep is a checkpoint. The first never is: it is as soon done again."""
        return step > 0 and step % self.every == 0

    def _after(self, step: int, notes: list[Notes]) -> list[Part]:
        """Return all parts after a superstep, with those that have mail for them."""
        found = [Part(number, step, []) for number in self.parts]
        for sender, note in enumerate(notes):
            for other in note["to"]:
                found[other].senders.append(sender)
        return found

    def _superstep(self, step: int, order: Order, notes: list[Notes]) -> list[Notes]:
        begin = clock()
        same = {"files": self.files, "program": self.program, "order": order}
        same["durable"] = self._keeps(step)
        calls = [{**same, "part": part} for part in self._after(step - 1, notes)]
        made = results(self.who, perform, calls)
        worked = max(n["work"] for n in made)
        written = max(n.get("written", 0.0) for n in made)
        sent = sum(n["bytes"] for n in made)
        self.rows.append(Row(step, order["phase"], clock() - begin, worked, written, sent))
        return made

    def _checkpoint(self, step: int, notes: list[Notes]) -> None:
        """Tell a later run of the durable files of a superstep, and forget those before."""
        if step == self.kept_step:
            return
        with aside(self.files.run / CHECKPOINT_FILE) as temporary:
            content = {"step": step, "memory": self.memory, "notes": notes}
            made = seal(self.files.seals, CHECKPOINT_FILE, content, {})
            temporary.write_text(json.dumps({"seal": made, **content}))
        before, self.kept_step = self.kept_step, step
        if before >= 0:
            self._forget(before)

    def _forget(self, step: int) -> None:
        """Remove the files of a superstep, unless they are a checkpoint."""
        if step != self.kept_step:
            for part in self.parts:
                self.files.step(step, part).unlink(missing_ok=True)

    def _resumed(self) -> tuple[int, list[Notes]] | None:
        """Return the last checkpoint, if there is one, its files are whole, and this user made it."""
        try:
            content = json.loads(small_content(self.files.run / CHECKPOINT_FILE))
            made = content.pop("seal")
            if not is_sealed(made, self.files.seals, CHECKPOINT_FILE, content, {}):
                return None
            step, notes = content["step"], content["notes"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        calls = [{"files": self.files, "step": step, "part": part} for part in self.parts]
        if not all(results(self.who, verify, calls)):
            return None
        self.memory, self.kept_step = content["memory"], step
        return step, notes

    def _arrays(self, step: int, notes: list[Notes]) -> dict[str, np.ndarray]:
        """Write all results, each to a file of its own, which appears when it is complete."""
        run = self.files.run
        owned = np.diff(self.partition.cuts).tolist()
        sizes = [note.get("rows", size) for note, size in zip(notes, owned, strict=True)]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        paths = {name: run / f".{name}.npy" for name in self.program.outputs}
        for name, kind in self.program.outputs.items():
            _make(paths[name], kind or index_type(self.partition.n), starts[-1])
        same = {"files": self.files, "program": self.program, "outputs": paths}
        parts = zip(self._after(step, notes), starts[:-1], strict=True)
        results(self.who, put_results, [{**same, "part": p, "first": first} for p, first in parts])
        values = {}
        for name, path in paths.items():
            final = run / f"{name}.npy"
            path.replace(final)
            values[name] = np.load(final, mmap_mode="r") if starts[-1] else np.load(final)
        (run / CHECKPOINT_FILE).unlink(missing_ok=True)
        for left in run.glob("*.step"):
            left.unlink(missing_ok=True)
        return values


def _make(path: Path, kind: npt.DTypeLike, size: int) -> None:
    """Make a file for an array, with all its room, and not where a link leads that was there before."""
    descr = np.lib.format.dtype_to_descr(np.dtype(kind))
    header = {"descr": descr, "fortran_order": False, "shape": (size,)}
    try:
        path.unlink(missing_ok=True)
        with path.open("xb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            begin = file.tell()
        reserve(path, begin + size * np.dtype(kind).itemsize)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
