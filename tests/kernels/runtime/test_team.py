"""A team at work for long, as a user at a terminal sees it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.runtime import team as teams
from tachograph.kernels.runtime.launch import kernel
from tachograph.kernels.runtime.team import (
    FAR_UP_TO_ENTRIES,
    MEETING,
    least,
    new_board,
    new_log,
    recorded,
    report,
    rows_of,
    run_team,
    total,
    were_far_apart,
)

ENDLESS = """
import numba
from tachograph.kernels.runtime.atomics import stopped
from tachograph.kernels.runtime.team import next_phase, run_team

@numba.njit(nogil=True)
def walk(team):
    control, me, workers = team
    turns = 0
    while not stopped(control):
        next_phase(control, me, turns // (1 << 16))
        turns += 1

run_team(walk, 3)
"""


def read_until(terminal: int, words: tuple[bytes, ...], patience: float) -> bytes:
    """What the terminal shows until one of ``words`` is there, or the other side has closed it."""
    seen, deadline = b"", time.monotonic() + patience
    while not any(word in seen for word in words) and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:  # Linux, when nobody has the other side open
                break
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_shows_on_a_terminal_and_ctrl_c_ends_it_within_a_second():
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        assert b"__main__: step 0" not in (seen := read_until(ours, (b"__main__: step",), 60))
        assert b"__main__: step" in seen
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        seen = read_until(ours, (b"KeyboardInterrupt",), 10)
        assert b"KeyboardInterrupt" in seen
        assert time.monotonic() - begin < 1
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@kernel
def rounds(team, board, count, traced):
    """Each worker notes the round and its own number; the log keeps what all of them noted."""
    _control, me, workers = team
    notes = np.zeros(2, np.int64)
    log = new_log(team, traced and me == 0, 4)
    for phase in range(count):
        notes[0] = phase
        notes[1] = me + 1
        if not report(team, board, phase, notes):
            break
        noted = total(board, phase, workers, 0), total(board, phase, workers, 1)
        log = recorded(log, (*noted, least(board, phase, workers, 1)))
    return rows_of(log)


@pytest.mark.parametrize("traced", [True, False])
def test_rounds_end_with_a_row_in_the_log_of_worker_0(traced):
    logs = run_team(rounds, 3, new_board(3), 200, traced)
    assert [len(rows) for rows in logs] == [200 if traced else 0, 0, 0]
    if traced:
        assert logs[0][:, 0].tolist() == [3 * phase for phase in range(200)]
        assert (logs[0][:, 1:3] == (6, 1)).all()
        assert (logs[0][:, 3] >= 0).all()


def test_a_team_that_was_far_apart_says_nothing_of_other_threads(monkeypatch):
    monkeypatch.setattr(teams, "given_meeting", 0)
    monkeypatch.setattr(teams, "FAR_FOR_SECONDS", 60)
    monkeypatch.setattr(teams, "_found_far", {})

    def far(team):
        team.control[MEETING] = 10**6

    with tg.threads(3):
        assert not were_far_apart(1000)
        run_team(far, 3)
        assert were_far_apart(1000)
        assert not were_far_apart(FAR_UP_TO_ENTRIES + 1)
    with tg.threads(2):
        assert not were_far_apart(1000)
