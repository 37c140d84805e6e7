"""An OpenCL device for tests, or a skip; programs that end."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tachograph.devices.discovery import discover
from tachograph.devices.opencl import OpenCL, open_device

needs_pyopencl = pytest.mark.skipif(
    importlib.util.find_spec("pyopencl") is None, reason="pyopencl is not installed"
)


def any_device() -> OpenCL:
    """One that works; the calling test is skipped if there is none."""
    if not any(found.problem is None for found in discover()):
        pytest.skip("no OpenCL device that works")
    return open_device()


#: Seconds that a program may take; pytest ends tests, and all after them, a minute later.
PROGRAM_SECONDS = 240


def python(
    *words: str, env: Mapping[str, str] | None = None, seconds: float = PROGRAM_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run Python; a driver that hangs fails the test."""
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=seconds)
