"""Which devices are considered: those that were calibrated, so that something is known of them."""

from __future__ import annotations

from ..devices.choice import calibrated_device as known_device
from ..devices.opencl import OpenCL

__all__ = ["known_device", "known_device_apart"]


def known_device_apart() -> OpenCL | None:
    """Return that device if it has cores of its own: then even a plain call may go there."""
    device = known_device()
    return None if device is None or device.found.shares_cores else device
