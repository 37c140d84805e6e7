"""Loops that nobody has asked for yet are compiled in the background of an interactive session.

The first call compiles what it needs itself. When it has answered, ``tacho warm --kindly`` compiles the
rest: one process of the lowest priority, which gives way to everything else, and ends with the session.
What it has compiled until then is kept. Scripts and commands never start it.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO

__all__ = ["SETTING", "be_kind", "is_session", "warm_the_rest"]

SETTING = "TACHOGRAPH_BACKGROUND"  # 0 keeps the background empty
_begun: list[subprocess.Popen[bytes]] = []  # at most one


def is_session() -> bool:
    """Whether somebody sits at a prompt or a notebook, and will call more."""
    prompt = hasattr(sys, "ps1") or bool(sys.flags.interactive)
    return prompt or "ipykernel" in sys.modules


def warm_the_rest() -> bool:
    """Begin to compile everything in the background, once per process; return whether it begins."""
    if _begun or not is_session() or os.environ.get(SETTING, "1") == "0":
        return False
    command = [sys.executable, "-m", "tachograph", "warm", "--kindly"]
    try:  # its input ends when this process does, whatever ends it
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the session only
        )
    except OSError:
        return False
    _begun.append(process)
    atexit.register(_end, process)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def be_kind(session: IO[bytes] | None = None) -> None:
    """Let this process run only when nothing else wants to, and end it when ``session`` ends."""
    with suppress(AttributeError, OSError):
        os.nice(19)
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    def wait() -> None:
        while session is not None and session.read(1):
            pass
        os._exit(0)

    if session is not None:
        threading.Thread(target=wait, daemon=True).start()
