"""The command ``tacho``. stdout is data, stderr is for people.

Exit codes: 0 done, 1 an error that the message explains, 2 wrong usage, 130 stopped with Ctrl-C.
Everything is imported inside :func:`main`, so that Ctrl-C while Python imports leaves no traceback.
"""

from __future__ import annotations

__all__ = ["app", "main"]

STOPPED = 130  # what a command that was stopped with Ctrl-C exits with


def main() -> None:
    """Run ``tacho``, turning every error that can be explained into one line."""
    try:
        _run()
    except KeyboardInterrupt:
        _stop()
    except SystemExit as end:
        if end.code == STOPPED:
            _stop()
        raise


def _run() -> None:
    import os
    import sys
    import warnings
    from pathlib import Path

    from ..util.errors import TachographError, TachographWarning
    from ..util.text import spell_out
    from .commands import app
    from .flags import in_flags
    from .options import say

    def note(message: Warning | str, *_: object, **__: object) -> None:
        say(f"tacho: note: {in_flags(str(message))}")

    warnings.showwarning = note
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", TachographWarning)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, Path(os.devnull).open("w"))
        spell_out(getattr(sys, name))
    try:
        app()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except TachographError as error:
        say(f"tacho: {in_flags(str(error))}")
        sys.exit(1)
    except OSError as error:
        what = error.filename or "standard output"
        say(f"tacho: {what}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left of the output cannot be written
        sys.exit(1)


def _stop() -> None:
    """End at once: files are put away, and a compiler that was interrupted would complain at exit."""
    import os

    os.write(2, b"tacho: stopped\n")
    os._exit(STOPPED)


def __getattr__(name: str) -> object:
    if name != "app":
        raise AttributeError(f"module 'tachograph.cli' has no attribute {name!r}")
    from .commands import app

    return app
