"""The command ``tacho``. stdout is data, stderr is for people.

Exit codes: 0 done, 1 an error that the message explains, 2 wrong usage, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

__all__ = ["main"]

STOPPED = 130  # what a command that was stopped with Ctrl-C exits with


def main() -> None:
    """Run ``tacho``, turning every error that Tachograph raises on purpose into one line."""
    try:
        _run()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _stopped()


def _stopped() -> NoReturn:
    """End at once: files are put away, and a compiler that was interrupted would complain at exit."""
    print("tacho: stopped", file=sys.stderr, flush=True)
    os._exit(STOPPED)


def _run() -> None:
    from ..util.errors import TachographError, TachographWarning
    from .app import app

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        print(f"tacho: note: {message}", file=sys.stderr)

    warnings.showwarning = tell
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", TachographWarning)
    try:
        app()
    except TachographError as error:
        print(f"tacho: {error}", file=sys.stderr)
        sys.exit(1)
    except SystemExit as end:
        if end.code == STOPPED:
            _stopped()
        raise
