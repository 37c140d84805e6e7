"""Which devices plans consider: those that were calibrated, so that something is known of them."""

from __future__ import annotations

import functools
import time
from typing import Any

from ..journal import journal

__all__ = ["apart", "known_device"]

FRESH = 60.0  # seconds


def known_device() -> Any:
    """The OpenCL device that is used by default, if it is calibrated; else None."""
    return _known(str(journal().path), int(time.monotonic() / FRESH))


@functools.lru_cache(maxsize=2)
def _known(path: str, when: int) -> Any:
    from ..devices.opencl import open_device
    from ..util.errors import DeviceError, MissingDependencyError

    if all(key.startswith("host") for key in journal().records("calibration")):
        return None
    try:
        device = open_device()
    except (DeviceError, MissingDependencyError):
        return None
    return device if journal().get("calibration", device.key) else None


def apart() -> bool:
    """Whether a device with cores of its own is known: then even a plain call may go there."""
    device = known_device()
    return device is not None and not device.found.shares_cores
