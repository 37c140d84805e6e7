"""The devices that are considered: only calibrated ones, because their times can be predicted."""

from __future__ import annotations

from ..devices.choice import calibrated_device as known_device
from ..devices.opencl import OpenCL

__all__ = ["known_device", "known_device_apart"]


def known_device_apart() -> OpenCL | None:
    """Return the calibrated device if it has cores of its own: then even a plain call may use it."""
    device = known_device()
    return None if device is None or device.found.shares_cores else device
