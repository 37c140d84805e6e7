"""An OpenCL device for tests, or a skip."""

from __future__ import annotations

import importlib.util

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
