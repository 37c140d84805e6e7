"""The other loops are compiled in the background of a session: kindly, once, and not after its end."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tachograph.kernels.runtime import background, launch

SESSION = """
import os, sys, time
from tachograph.kernels.runtime import background
sys.ps1 = ">>> "
assert background.warm_the_rest()
assert not background.warm_the_rest()  # once
print(background._begun[0].pid, flush=True)
time.sleep(60)
"""


def test_scripts_have_no_background(monkeypatch):
    assert not background.is_session()
    assert not background.warm_the_rest()
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert background.is_session()
    monkeypatch.setenv(background.SETTING, "0")
    assert not background.warm_the_rest()


def test_a_session_is_told_what_follows(monkeypatch, capsys):
    begun = []
    monkeypatch.setattr(launch, "KERNELS", [None])  # something to compile
    monkeypatch.setattr(background, "warm_the_rest", lambda: begun.append(1) or len(begun) == 1)
    for _ in range(2):
        launch.told.set()
        launch._compiled[:] = [3.0, 2.0]
        launch.tell_compiled()
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("tachograph: compiled 2 loops in 5.0 s; the rest follows")
    assert second == "tachograph: compiled 2 loops in 5.0 s"


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="Linux has such a priority")
def test_it_gives_way_and_ends_with_the_session():
    session = subprocess.Popen([sys.executable, "-c", SESSION], stdout=subprocess.PIPE, text=True)
    process = int(session.stdout.readline())

    def until(is_so, what):
        end = time.monotonic() + 20
        while not is_so():
            assert time.monotonic() < end, what
            time.sleep(0.02)

    until(lambda: os.sched_getscheduler(process) == os.SCHED_IDLE, "its priority is the lowest")
    assert os.getpriority(os.PRIO_PROCESS, process) == 19
    session.kill()  # it has no time to say good-bye
    session.wait()
    session.stdout.close()
    until(lambda: not is_running(process), "it has ended")


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
