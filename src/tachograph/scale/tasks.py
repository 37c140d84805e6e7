"""What workers do for a run: check a piece, take a part through a superstep, write its results.

A part's state and mail after a superstep are one file, which is there whole or not at all. A call that
died with its worker is run again from the files of the superstep before.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..util.errors import InputError, TachographError
from .arrays import load, save
from .manifest import Partition, open_partition
from .piece import Arrays
from .programs.base import Notes, Order, Program

__all__ = ["Files", "Part", "check_piece", "perform", "put_results", "verify"]

START: Order = {"phase": "start"}


class Files(NamedTuple):
    """The files of a run in ``run`` on the partition in ``directory`` that has this ``key``."""

    directory: Path
    key: str
    run: Path

    def step(self, step: int, part: int) -> Path:
        """Return where state and mail of a part after a superstep are."""
        return self.run / f"{step:06d}-{part:04d}.step"

    def kept(self, part: int) -> Path:
        """Return where that is what a part keeps for all supersteps."""
        return self.run / f"kept-{part:04d}.step"

    def state(self, part: Part) -> Arrays:
        """Read the state of a part, and what it keeps."""
        stored = load(self.step(part.after, part.number))
        return {**load(self.kept(part.number)).arrays, **stored.under("state/")}

    def mail(self, part: Part) -> dict[int, Arrays]:
        """Read the mail for a part, by sender."""
        return {
            sender: load(self.step(part.after, sender)).under(f"mail/{part.number}/")
            for sender in part.senders
        }


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


def check_piece(files: Files, part: int) -> None:
    """Refuse a piece that is missing, damaged or of another graph."""
    known(files.directory, files.key).check_piece(part)


def verify(files: Files, step: int, part: int) -> bool:
    """Return whether a checkpoint's file is there and undamaged."""
    try:
        load(files.step(step, part), whole=True)
        load(files.kept(part), whole=True)
    except TachographError:
        return False
    return True


def perform(files: Files, program: Program, part: Part, order: Order, durable: bool) -> Notes:
    """Take a part through its next superstep. Return its notes, and what that cost.

    If its durable file is there already, from a run that was stopped, that is the result.
    """
    from ..kernels.runtime.launch import clock

    path, kept = files.step(part.after + 1, part.number), files.kept(part.number)
    if durable:
        with suppress(TachographError):
            done = load(path, whole=True).notes
            if done["order"] == order:
                return done
    begin = clock()
    piece = known(files.directory, files.key).piece(part.number)
    if order == START:
        made = program.start(piece)
        save(kept, {}, made.kept)
    else:
        made = program.step(piece, files.state(part), files.mail(part), order)
    arrays = {f"state/{name}": array for name, array in made.state.items()}
    sent = 0
    for other, mail in made.mail.items():
        for name, array in mail.items():
            arrays[f"mail/{other}/{name}"] = array
            sent += array.nbytes
    notes = {"to": sorted(made.mail), "bytes": sent, "order": order, **made.notes}
    worked = clock() - begin
    notes["work"] = worked
    save(path, notes, arrays, durable)
    if durable and not (stored := load(kept)).durable:
        save(kept, {}, stored.arrays, durable=True)
    return {**notes, "written": clock() - begin - worked}


def put_results(
    files: Files, program: Program, part: Part, first: int, outputs: dict[str, Path]
) -> None:
    """Write a part's results to their places in ``outputs``, which begin at ``first``."""
    piece = known(files.directory, files.key).piece(part.number)
    for name, array in program.finish(piece, files.state(part), files.mail(part)).items():
        if array.size:
            place = np.load(outputs[name], mmap_mode="r")
            # Other machines see what is written when the file is closed.
            with outputs[name].open("rb+") as file:
                file.seek(place.offset + first * place.itemsize)
                file.write(np.ascontiguousarray(array, place.dtype).data)
