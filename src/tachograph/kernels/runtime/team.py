"""A team of workers that walk through a loop together.

A compiled worker holds the whole loop of an algorithm. All workers of a team share a control block,
an int64 array whose cells lie 128 bytes apart so that they do not share cache lines:

    STOP        raised to end the run (Ctrl-C, or a worker that failed)
    ARRIVED, GENERATION     the barrier
    TICKET      where the next chunk of work begins; three that rotate by phase
    SUM, SUM2   sums over the workers; three each that rotate by phase
    TAIL        where the next entry of a shared queue goes
    PHASE       the phase that worker 0 is in, for progress
    GIVEN_UP    the last phase that a worker found too costly, and 1
    FINISHED    how many workers have ended, of algorithms that tell
    MEETING     nanoseconds that a meeting takes, when they were measured
    CLOCK       the clock of the log, and copies of its last rows, for those who watch the run

A phase is what happens between two barriers. While phase p runs, worker 0 clears the cells of phase
p + 1; so one barrier per phase is enough.

Workers write what they report to their row of a *board* before the barrier (``report``) and read all
rows after it (``total``, ``least``). A worker has two rows that alternate between phases: none can be
two ahead of another. Worker 0 keeps the trace in a *log* (``new_log``, ``recorded``, ``rows_of``). So
a round of an algorithm ends with

    if not report(team, board, phase, notes):
        break
    log = recorded(log, (np.int64(kind), total(board, phase, workers, TAKEN), unvisited))
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .atomics import (
    fetch_add,
    ld,
    ld_acquire,
    let_others_run,
    nanoseconds,
    pause,
    st,
    st_release,
    stopped,
)
from .launch import inline, inline_maker, kernel, run_calls, subroutine, threads_available

CELL = 16
STOP = 0
ARRIVED, GENERATION = 1 * CELL, 2 * CELL
TICKET, SUM, SUM2 = 3 * CELL, 6 * CELL, 9 * CELL
TAIL = 12 * CELL
PHASE = 13 * CELL
GIVEN_UP = 14 * CELL
FINISHED = 15 * CELL
MEETING = 16 * CELL
CLOCK = 17 * CELL
#: Looks of a waiting worker, of about 25 ns each, before it lets others have its core: as long as that
#: takes itself. The one it waits for may be among them, if other programs run.
LOOKS_BEFORE_YIELDING = 64
#: Looks of a worker that has finished before it wants the interpreter, which worker 0 takes first.
LOOKS_BEFORE_RETURNING = 400
TIMED_MEETINGS = 8
given_meeting = 0  # nanoseconds that tests have it take; 0 is to be measured
#: Workers that write to an array in turns take its entries from each other's caches. If a meeting takes
#: so many nanoseconds for each worker, one is faster alone with so many entries at most: those of a
#: larger array are rarely in a cache.
FAR_NANOSECONDS, FAR_UP_TO_ENTRIES = 100, 1 << 17
FAR_FOR_SECONDS = 0.1  # for which one measurement counts: to start a team takes 0.1 ms
FIRST_LOG_ROWS = 64  # rows a log has room for before it grows
USED, LAST_TIME, TOLD = 2, 3, 4  # entries of a log's clock, after the two of scratch space
COPIES, COPIED_ROWS = 5, 64  # where a clock has copies of the last rows that ``recorded`` made
COPIED_COLUMNS = 8  # the first values; then the row's number, when it ended, and what it took
SIZE = CLOCK + COPIES + COPIED_ROWS * COPIED_COLUMNS


class Team(NamedTuple):
    """What a worker knows of its team: the control block, its own number, and how many there are."""

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
            if looks % LOOKS_BEFORE_YIELDING:
                pause()
            else:
                if stopped(control):
                    return False
                let_others_run()
    return not stopped(control)


@inline
def meet(team):
    """The barrier of ``team``: wait for all workers; False if the run is to end."""
    return barrier(team.control, team.workers)


@subroutine
def meeting(team, box):
    """The nanoseconds that a meeting takes now, the same for all: how far their cores are apart.

    What one has written is as late in the cache of another. ``box`` is for the clock.
    """
    control, me, workers = team
    if ld(control, MEETING) > 0 or not barrier(control, workers):
        return ld(control, MEETING)
    begin = nanoseconds(box)
    for _ in range(TIMED_MEETINGS):
        barrier(control, workers)
    if me == 0:
        st_release(control, MEETING, (nanoseconds(box) - begin) // TIMED_MEETINGS)
    barrier(control, workers)
    return ld_acquire(control, MEETING)


@inline
def far_apart(team, entries, most, box):
    """Whether one worker is faster than all, who write to an array of so many entries (at ``most``)."""
    if team.workers == 1 or entries > most:
        return False
    return meeting(team, box) >= FAR_NANOSECONDS * team.workers


_found_far: dict[int, float] = {}  # by threads: when a team of theirs was last far apart


def were_far_apart(entries: int) -> bool:
    """Whether a team of as many threads was just far apart: no other need be started to find it out."""
    if given_meeting or entries > FAR_UP_TO_ENTRIES:
        return False
    found = _found_far.get(threads_available(), -FAR_FOR_SECONDS)
    return time.monotonic() - found < FAR_FOR_SECONDS


@subroutine
def finish(team):
    """Called last by every worker: worker 0 waits for the others, whose results nobody gets then.

    That their threads tell Python that they ended would take longer than some searches.
    """
    control, me, workers = team
    fetch_add(control, FINISHED, 1)
    looks = 0
    if me:
        while looks < LOOKS_BEFORE_RETURNING:
            looks += 1
            pause()
        return
    while ld_acquire(control, FINISHED) < workers:
        looks += 1
        if looks % LOOKS_BEFORE_YIELDING:
            pause()
        else:
            if stopped(control):
                break
            let_others_run()


@inline
def part(team, size):
    """The part of 0..size that belongs to this worker of ``team``."""
    return share(size, team.me, team.workers)


@inline
def cell(kind, phase):
    """The cell of TICKET, SUM or SUM2 that a phase uses."""
    return kind + (phase % 3) * CELL


@inline
def take(control, phase, chunk, size):
    """The next chunk of 0..size that nobody has taken; empty if none is left or the run is to end."""
    begin = fetch_add(control, cell(TICKET, phase), chunk)
    return begin, begin if stopped(control) else min(begin + chunk, size)


def new_tickets(workers: int) -> np.ndarray:
    """Tickets of ``take_near``."""
    return np.zeros(3 * workers * CELL, np.int64)


@inline
def take_near(team, tickets, phase, size):
    """A piece of 0..size that nobody has taken: one of this worker's part, else of another's, else -1.

    So a worker mostly gets what it had in the phase before, which its cache still holds.
    """
    control, me, workers = team
    for k in range(workers):
        w = me + k if me + k < workers else me + k - workers
        low, high = share(size, w, workers)
        piece = low + fetch_add(tickets, (phase % 3 * workers + w) * CELL, 1)
        if piece < high:
            return np.int64(-1) if stopped(control) else piece
    return np.int64(-1)


@inline
def next_tickets(team, tickets, phase):
    """Called by every worker when it enters ``phase``: clears the tickets of the one after it."""
    next_phase(team.control, team.me, phase)
    if team.me == 0:
        for w in range(team.workers):
            st_release(tickets, ((phase + 1) % 3 * team.workers + w) * CELL, 0)


@inline
def next_phase(control, me, phase):
    """Called by every worker when it enters ``phase``: clears the cells of the one after it."""
    if me == 0:
        st_release(control, PHASE, phase)
        st_release(control, cell(TICKET, phase + 1), 0)
        st_release(control, cell(SUM, phase + 1), 0)
        st_release(control, cell(SUM2, phase + 1), 0)


@inline
def give_up(control, phase):
    """Tell all workers that a phase costs too much."""
    st_release(control, GIVEN_UP, phase + 1)


@inline
def is_given_up(control, phase):
    """Whether a worker gave this phase up; if so, all have to meet again before the next one.

    When a slow worker asks, a fast one may have given up the next: that must not part the team.
    """
    return ld_acquire(control, GIVEN_UP) == phase + 1


@inline
def add_to_sums(control, phase, first, second):
    """Add a worker's numbers to the two sums of a phase."""
    fetch_add(control, cell(SUM, phase), first)
    fetch_add(control, cell(SUM2, phase), second)


@inline
def sums(control, phase):
    """The two sums of a phase, after the barrier."""
    return ld_acquire(control, cell(SUM, phase)), ld_acquire(control, cell(SUM2, phase))


@inline
def flush(control, end, queue, buffer, held):
    """Append a worker's buffer to a queue that all workers fill; ``end`` is the cell of its end."""
    at = fetch_add(control, end, held)
    for i in range(held):
        st(queue, at + i, ld(buffer, i))


@inline
def share(size, me, workers):
    """The part of 0..size that belongs to worker ``me``."""
    return size * me // workers, size * (me + 1) // workers


def new_board(workers: int) -> np.ndarray:
    """A board for at most ``CELL`` notes of each worker."""
    return np.zeros(2 * workers * CELL, np.int64)


@inline
def report(team, board, phase, notes):
    """Move a worker's notes to the board, and wait for all others; False if the run is to end."""
    row = ((phase & 1) * team.workers + team.me) * CELL
    for k in range(notes.size):
        st(board, row + k, ld(notes, k))
        st(notes, k, 0)
    return meet(team)


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


class Log(NamedTuple):
    """A trace that grows: its rows, and a clock that also knows how many of them are used."""

    rows: np.ndarray
    clock: np.ndarray


@inline_maker
def new_log(team, wanted, columns):
    """An empty log whose clock starts now; if it is not ``wanted``, nothing is recorded in it."""
    clock = team.control[CLOCK:SIZE] if wanted else np.zeros(COPIES, np.int64)
    clock[LAST_TIME] = nanoseconds(clock)
    return Log(np.empty((FIRST_LOG_ROWS if wanted else 0, columns), np.int64), clock)


@inline
def is_full(log):
    """Whether a log that is wanted has no room for another row."""
    return 0 < log.rows.shape[0] == log.clock[USED]


@inline_maker
def larger(log):
    """``log`` with more room."""
    used = log.clock[USED]
    rows = np.empty((2 * used, log.rows.shape[1]), np.int64)
    for i in range(used):  # a slice of two dimensions takes seconds to compile
        for k in range(rows.shape[1]):
            rows[i, k] = log.rows[i, k]
    return Log(rows, log.clock)


@inline
def record(log, values):
    """Add a row to a log that is not full: ``values``, all int64, and nanoseconds since the last."""
    if log.rows.shape[0]:
        used = log.clock[USED]
        now = nanoseconds(log.clock)
        for k in range(len(values)):
            log.rows[used, k] = values[k]
        log.rows[used, len(values)] = now - log.clock[LAST_TIME]
        log.clock[USED] = used + 1
        log.clock[LAST_TIME] = now


@inline_maker
def recorded(log, values):
    """``log`` with one more row, as ``record`` makes it, and a copy for those who watch: 25 ns more."""
    if is_full(log):
        log = larger(log)
    record(log, values)
    if log.rows.shape[0]:
        copied = log.clock[TOLD]
        place = COPIES + copied % COPIED_ROWS * COPIED_COLUMNS
        for k in range(min(len(values), COPIED_COLUMNS - 3)):
            st(log.clock, place + k, values[k])
        row = log.clock[USED] - 1
        st(log.clock, place + COPIED_COLUMNS - 3, row)
        st(log.clock, place + COPIED_COLUMNS - 2, log.clock[LAST_TIME])
        st(log.clock, place + COPIED_COLUMNS - 1, log.rows[row, len(values)])
        st_release(log.clock, TOLD, copied + 1)
    return log


@inline_maker
def rows_of(log):
    """The rows that were recorded."""
    return log.rows[: log.clock[USED]]


def run_team(
    worker: Callable[..., Any],
    workers: int,
    *arguments: Any,
    brief: bool = False,
    partial: bool = False,
) -> list[Any]:
    """Call ``worker(Team(...), *arguments)`` on a thread for each worker; return their results.

    If all call ``finish``, only the first result is sure to be there. Progress goes by the name of the
    worker's module, and by its phases. ``brief`` and ``partial`` are those of :func:`run_calls`.
    """
    control = np.zeros(SIZE, np.int64)
    control[MEETING] = given_meeting
    calls = [(Team(control, me, workers), *arguments) for me in range(workers)]
    label = worker.__module__.rpartition(".")[2]
    step = lambda: int(control[PHASE])  # noqa: E731
    finished = lambda: bool(control[FINISHED] == workers)  # noqa: E731
    results = run_calls(worker, calls, control, brief, label, step, finished, partial)
    if given_meeting == 0 and control[MEETING] >= FAR_NANOSECONDS * workers > FAR_NANOSECONDS:
        _found_far[threads_available()] = time.monotonic()
    return results
