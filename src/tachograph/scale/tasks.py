"""What workers do for a run: check a piece, take a part through a superstep, write its results.

A part's state and mail after a superstep are one file, which is there whole or not at all; a task that
died with its worker is done again from the files of the superstep before.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..util.errors import InputError, TachographError
from .arrays import Stored, load, save
from .manifest import Partition, open_partition
from .programs.base import Notes, Order, Program

__all__ = ["check_piece", "perform", "put_results", "step_file", "verify"]

START: Order = {"phase": "start"}


@lru_cache(4)
def known(directory: Path, key: str) -> Partition:
    """The partition in a directory, if it is the one that is meant."""
    found = open_partition(directory)
    if found.key != key:
        raise InputError(f"{directory} holds another graph here than where the run was started")
    return found


def check_piece(directory: Path, key: str, part: int) -> None:
    """Refuse a piece that is missing, damaged or of another graph."""
    known(directory, key).check_piece(part)


def step_file(run: Path, step: int, part: int) -> Path:
    """Where state and mail of a part after a superstep are."""
    return run / f"{step:06d}-{part:04d}.step"


def kept_file(run: Path, part: int) -> Path:
    """Where that is what a part keeps for all supersteps."""
    return run / f"kept-{part:04d}.step"


def verify(run: Path, step: int, part: int) -> bool:
    """Whether a checkpoint's file is there and undamaged."""
    try:
        load(step_file(run, step, part), whole=True)
        load(kept_file(run, part), whole=True)
    except TachographError:
        return False
    return True


def received(
    run: Path, step: int, part: int, senders: list[int]
) -> dict[int, dict[str, np.ndarray]]:
    """The mail for ``part`` of a superstep."""
    return {s: load(step_file(run, step, s)).under(f"mail/{part}/") for s in senders}


def before(run: Path, step: int, part: int) -> dict[str, np.ndarray]:
    """The state of a part after a superstep, and what it keeps."""
    stored: list[Stored] = [load(kept_file(run, part)), load(step_file(run, step, part))]
    return {**stored[0].arrays, **stored[1].under("state/")}


def perform(
    directory: Path, key: str, run: Path, program: Program, part: int, step: int, order: Order,
    senders: list[int], durable: bool,
) -> Notes:  # fmt: skip
    """Take a part through a superstep; its notes, and what that cost.

    If its durable file is there already, from a run that was stopped, that is the result.
    """
    from ..kernels.runtime.launch import clock

    path = step_file(run, step, part)
    if durable:
        with suppress(TachographError):
            done = load(path, whole=True).notes
            if done["order"] == order:
                return done
    begin = clock()
    piece = known(directory, key).piece(part)
    if step == 0:
        made = program.start(piece)
        save(kept_file(run, part), {}, made.kept)
    else:
        inbox = received(run, step - 1, part, senders)
        made = program.step(piece, before(run, step - 1, part), inbox, order)
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
    if durable and not (kept := load(kept_file(run, part))).durable:
        save(kept_file(run, part), {}, kept.arrays, durable=True)
    return {**notes, "written": clock() - begin - worked}


def put_results(
    directory: Path, key: str, run: Path, program: Program, part: int, step: int,
    senders: list[int], first: int, files: dict[str, Path],
) -> None:  # fmt: skip
    """Write a part's results to their places, which begin at ``first``, in the files for them."""
    piece = known(directory, key).piece(part)
    results = program.finish(piece, before(run, step, part), received(run, step, part, senders))
    for name, array in results.items():
        place: Any = np.load(files[name], mmap_mode="r") if array.size else None
        if place is not None:
            with files[name].open(
                "rb+"
            ) as file:  # a write is seen by other machines when it is closed
                file.seek(place.offset + first * place.itemsize)
                file.write(np.ascontiguousarray(array, place.dtype).data)
