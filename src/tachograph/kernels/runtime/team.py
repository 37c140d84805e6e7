"""A team of workers that walk through a loop together.

A compiled worker holds the whole loop of an algorithm. All workers of a team share a control block,
an int64 array whose cells lie 128 bytes apart so that they do not share cache lines:

    STOP        raised to end the run (Ctrl-C, or a worker that failed)
    ARRIVED, GENERATION     the barrier
    TICKET      where the next chunk of work begins; three that rotate by phase
    SUM, SUM2   sums over the workers; three each that rotate by phase
    TAIL        where the next entry of a shared queue goes
    PHASE       the phase that worker 0 is in, for progress
    GIVEN_UP    raised by a worker that finds a step too costly

Between two barriers is a phase. While phase p runs, worker 0 clears the cells of phase p + 1; so one
barrier per phase is enough.

Where workers report several numbers, each writes its own row of a *board* before the barrier and reads
all rows after it. A worker has two rows that alternate between phases: nobody can be two phases ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .atomics import fetch_add, ld, ld_acquire, let_others_run, pause, st, st_release, stopped
from .launch import inline, inline_maker, kernel, run_calls

# fmt: off
__all__ = ["CELL", "GIVEN_UP", "SUM", "SUM2", "TAIL", "TICKET", "Team", "barrier", "cell", "grown",
           "least", "new_board", "next_phase", "post", "run_team", "share", "total"]
# fmt: on

CELL = 16
STOP = 0
ARRIVED, GENERATION = 1 * CELL, 2 * CELL
TICKET, SUM, SUM2 = 3 * CELL, 6 * CELL, 9 * CELL
TAIL = 12 * CELL
PHASE = 13 * CELL
GIVEN_UP = 14 * CELL
SIZE = 15 * CELL
SPINS = 1 << 10  # looks before a waiting worker lets others have its core


class Team(NamedTuple):
    """What a worker knows of its team: the control block, its own number, how many there are."""

    control: np.ndarray
    me: int
    workers: int


@kernel
def barrier(control, workers):
    """Wait until all workers are here; False if the run is to end."""
    generation = ld_acquire(control, GENERATION)
    if fetch_add(control, ARRIVED, 1) == workers - 1:
        st_release(control, ARRIVED, 0)
        st_release(control, GENERATION, generation + 1)
    else:
        looks = 0
        while ld_acquire(control, GENERATION) == generation:
            looks += 1
            if looks % SPINS:
                pause()
            else:
                if stopped(control):
                    return False
                let_others_run()
    return not stopped(control)


@inline
def cell(kind, phase):
    """The cell of TICKET, SUM or SUM2 that a phase uses."""
    return kind + (phase % 3) * CELL


@inline
def next_phase(control, me, phase):
    """Called by every worker when it enters ``phase``: clears the cells of the one after it."""
    if me == 0:
        st_release(control, PHASE, phase)
        st_release(control, cell(TICKET, phase + 1), 0)
        st_release(control, cell(SUM, phase + 1), 0)
        st_release(control, cell(SUM2, phase + 1), 0)


@inline
def share(size, me, workers):
    """The part of 0..size that belongs to worker ``me``."""
    return size * me // workers, size * (me + 1) // workers


@inline_maker
def grown(rows, used):
    """``rows`` with room for more than ``used``."""
    if used < rows.shape[0]:
        return rows
    wider = np.empty((2 * used, rows.shape[1]), np.int64)
    for i in range(used):  # a slice of two dimensions takes seconds to compile
        for k in range(rows.shape[1]):
            wider[i, k] = rows[i, k]
    return wider


def new_board(workers: int) -> np.ndarray:
    """A board for at most ``CELL`` notes of each worker."""
    return np.zeros(2 * workers * CELL, np.int64)


@inline
def post(board, phase, me, workers, notes):
    """Write a worker's notes of this phase on the board, and begin new ones."""
    row = ((phase & 1) * workers + me) * CELL
    for k in range(notes.size):
        st(board, row + k, ld(notes, k))
        st(notes, k, 0)


@inline
def total(board, phase, workers, k):
    """The sum of note ``k`` over the workers, after the barrier."""
    found = np.int64(0)
    for w in range(workers):
        found += ld(board, ((phase & 1) * workers + w) * CELL + k)
    return found


@inline
def least(board, phase, workers, k):
    """The smallest of note ``k`` over the workers, after the barrier."""
    found = ld(board, (phase & 1) * workers * CELL + k)
    for w in range(1, workers):
        found = min(found, ld(board, ((phase & 1) * workers + w) * CELL + k))
    return found


def run_team(
    worker: Callable[..., Any], workers: int, *arguments: Any, brief: bool = False
) -> list[Any]:
    """Call ``worker(Team(...), *arguments)`` on a thread for each worker; return their results.

    Progress goes by the name of the worker's module, and by its phases if it has any.
    """
    control = np.zeros(SIZE, np.int64)
    calls = [(Team(control, me, workers), *arguments) for me in range(workers)]
    label = worker.__module__.rpartition(".")[2]
    return run_calls(worker, calls, control, brief, label, lambda: int(control[PHASE]))
