"""Tasks for the tests of campaigns: each leaves a line in a file when it has run."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path


def leave(directory, number):
    with Path(directory, "runs").open("a") as file:  # short lines are appended whole
        file.write(f"{number} {os.getpid()}\n")


def runs(directory):
    """How often each task has run, and by which processes."""
    path = Path(directory, "runs")
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return Counter(int(number) for number, _ in lines), {int(pid) for _, pid in lines}


def work(number, directory, seconds=0.0):
    time.sleep(seconds)
    leave(directory, number)
    return {"number": number, "square": number**2}


def added(shared, number, directory=None, seconds=0.0):
    if directory is not None:
        work(number, directory, seconds)
    return {"sum": sum(shared) + number}


def fails_twice(number, directory):
    leave(directory, number)
    if runs(directory)[0][number] < 3:
        raise OSError("the disk is having a bad day")
    return {"number": number}


def fails_if_odd(number, directory):
    leave(directory, number)
    if number % 2:
        raise ZeroDivisionError(f"{number} is odd")
    return {"number": number}


def refuses(number):
    from tachograph.util.errors import InputError

    raise InputError(f"number = {number}: too large")


def gives_nonsense(number):
    return {"number": {number}}


def dies_if_seven(number, directory):
    leave(directory, number)
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": number}


def surroundings(number):
    from tachograph.kernels.runtime.launch import threads_available

    time.sleep(0.05)
    return {
        "pid": os.getpid(),
        "threads": threads_available(),
        "cores": sorted(os.sched_getaffinity(0)),
    }
