"""What workers do for a run: check a piece, take a part through a superstep, write its results.

A part's state and mail after a superstep are one file, which is there whole or not at all. A call that
died with its worker is run again from the files of the superstep before. Such a file is a ``.tgraph``
without vertices, whose ``meta`` holds notes and arrays; only what is used of it comes into memory.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..graph.files import tgraph
from ..graph.files.streams import Input
from ..graph.graph import Graph
from ..kernels.runtime.launch import clock
from ..util.errors import FileFormatError, InputError, TachographError
from ..util.files import aside
from .checks import Marks
from .manifest import Partition, open_partition
from .piece import Arrays, Inbox
from .programs import Notes, Order, Program
from .seal import is_sealed, seal

__all__ = ["Files", "Part", "check_piece", "load", "perform", "put_results", "save", "verify"]

START: Order = {"phase": "start"}


class Stored(NamedTuple):
    """The content of a file of arrays, which are read-only; a durable one has a seal."""

    notes: Notes
    arrays: dict[str, np.ndarray]
    seal: str | None

    def under(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the arrays whose names begin with ``prefix``, by the rest of their names."""
        return {k.removeprefix(prefix): a for k, a in self.arrays.items() if k.startswith(prefix)}


def save(path: Path, notes: Notes, arrays: Arrays, key: bytes | None = None) -> None:
    """Write a file. With a ``key`` it survives a loss of power, and has checksums and a seal."""
    durable = key is not None
    made = None if key is None else seal(key, path.name, notes, arrays)
    meta = {"notes": notes, "seal": made, **arrays}
    none = np.zeros(1, np.int64), np.empty(0, np.int32)
    with aside(path, durable) as temporary, temporary.open("wb") as out:
        tgraph.write(Graph(*none, directed=True, meta=meta, is_sorted=True, m=0), out, durable)


def load(path: Path, key: bytes | None = None) -> Stored:
    """Map a file; with a ``key`` one that was not sealed with it is refused.

    Raises
    ------
    MissingFileError, FileFormatError
        If the file is not there, or not what was written.
    """
    graph, check = tgraph.mapped(Input(path))
    if key is not None:
        check()
    meta = dict(graph.meta)
    wrong = False
    try:
        found = Stored(meta.pop("notes"), seal=meta.pop("seal"), arrays=meta)
        if key is not None:
            wrong = not is_sealed(found.seal, key, path.name, found.notes, found.arrays)
    except (KeyError, AttributeError, TypeError, ValueError):
        wrong = True
    if wrong:
        raise FileFormatError(path, "is not a checkpoint of a run of this user")
    return found


class Files(NamedTuple):
    """The files of a run in ``run`` on the partition in ``directory`` that has this ``key``.

    ``seals`` is the key of the seals of its checkpoints.
    """

    directory: Path
    key: str
    run: Path
    seals: bytes

    def step(self, step: int, part: int) -> Path:
        """Return where state and mail of a part after a superstep are."""
        return self.run / f"{step:06d}-{part:04d}.step"

    def kept(self, part: int) -> Path:
        """Return where that is what a part keeps for all supersteps."""
        return self.run / f"kept-{part:04d}.step"

    def read(self, part: Part) -> tuple[Arrays, Inbox]:
        """Return the state of a part, with what it keeps, and the mail for it by sender."""
        own = load(self.step(part.after, part.number)).under("state/")
        mail = {
            sender: load(self.step(part.after, sender)).under(f"mail/{part.number}/")
            for sender in part.senders
        }
        return {**load(self.kept(part.number)).arrays, **own}, mail


class Part(NamedTuple):
    """A part after a superstep, and those that have mail for it then."""

    number: int
    after: int
    senders: list[int]


@lru_cache(4)
def known(directory: Path, key: str) -> Partition:
    """Return the partition in a directory, if it is the one that is meant."""
    found = open_partition(directory)
    if found.key != key:
        raise InputError(f"{directory} holds another graph here than where the run was started")
    return found


def check_piece(files: Files, part: int) -> Marks:
    """Refuse a piece that is missing, damaged or of another graph; return its checksums."""
    return known(files.directory, files.key).check_piece(part)


def verify(files: Files, step: int, part: int) -> bool:
    """Return whether a checkpoint's file is there, undamaged, and of a run of this user."""
    try:
        load(files.step(step, part), files.seals)
        load(files.kept(part), files.seals)
    except TachographError:
        return False
    return True


def perform(files: Files, program: Program, part: Part, order: Order, durable: bool) -> Notes:
    """Take a part through its next superstep. Return its notes, and what that cost.

    If its durable file is there already, from a run that was stopped, that is the result.
    """
    path, kept = files.step(part.after + 1, part.number), files.kept(part.number)
    if durable:
        with suppress(TachographError):
            done = load(path, files.seals).notes
            if done["order"] == order:
                return done
    begin = clock()
    piece = known(files.directory, files.key).piece(part.number)
    if order == START:
        made = program.start(piece)
        save(kept, {}, made.kept)
    else:
        made = program.step(piece, *files.read(part), order)
    arrays = {f"state/{name}": array for name, array in made.state.items()}
    sent = 0
    for other, mail in made.mail.items():
        for name, array in mail.items():
            arrays[f"mail/{other}/{name}"] = array
            sent += array.nbytes
    notes = {"to": sorted(made.mail), "bytes": sent, "order": order, **made.notes}
    worked = clock() - begin
    notes["work"] = worked
    save(path, notes, arrays, files.seals if durable else None)
    if durable and not (stored := load(kept)).seal:
        save(kept, {}, stored.arrays, files.seals)
    return {**notes, "written": clock() - begin - worked}


def put_results(
    files: Files, program: Program, part: Part, first: int, outputs: dict[str, Path]
) -> None:
    """Write a part's results to their places in ``outputs``, which begin at ``first``."""
    piece = known(files.directory, files.key).piece(part.number)
    for name, array in program.finish(piece, *files.read(part)).items():
        if array.size:
            place = np.load(outputs[name], mmap_mode="r")
            # Other machines see what is written when the file is closed.
            with outputs[name].open("rb+") as file:
                file.seek(place.offset + first * place.itemsize)
                file.write(np.ascontiguousarray(array, place.dtype).data)
