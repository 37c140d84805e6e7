"""``tacho`` in this process: what it prints and its exit code, without starting Python anew."""

from __future__ import annotations

import io
import os
import sys
import warnings
from subprocess import CompletedProcess
from unittest.mock import patch

from tachograph.cli import _run

__all__ = ["tacho"]


def tacho(*arguments: str, **environment: str) -> CompletedProcess[str]:
    """Run the command as ``tests.cli.test_cli.tacho`` does, where a process of its own is not at stake."""
    streams = {
        name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        for name in ("stdout", "stderr")
    }
    code, kept = 0, os.dup(1)  # a full output is replaced
    with (
        patch.multiple(sys, argv=["tacho", *arguments], **streams),
        patch.dict(os.environ, {"COLUMNS": "100", **environment}),
        warnings.catch_warnings(),
    ):
        try:
            _run()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        finally:
            os.dup2(kept, 1)
            os.close(kept)
    shown = [stream.buffer.getvalue().decode() for stream in streams.values()]
    return CompletedProcess(arguments, code, *shown)
