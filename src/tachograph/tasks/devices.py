"""Which devices are considered: those that were calibrated, so that something is known of them."""

from __future__ import annotations

import functools
import os
import time

from ..devices.opencl import OpenCL
from ..journal import journal

__all__ = ["known_device", "known_device_apart"]

LOOK_AGAIN_SECONDS = 60.0
JOURNAL_VARIABLES = ("TACHOGRAPH_JOURNAL", "TACHOGRAPH_HOME", "XDG_DATA_HOME", "HOME")


def known_device() -> OpenCL | None:
    """Return the OpenCL device that is used by default if it is calibrated, else None."""
    where = tuple(map(os.environ.get, JOURNAL_VARIABLES))  # a path would take longer to make
    return _known(where, int(time.monotonic() / LOOK_AGAIN_SECONDS))


@functools.lru_cache(maxsize=2)
def _known(where: tuple[str | None, ...], when: int) -> OpenCL | None:
    from ..devices.opencl import open_device
    from ..util.errors import DeviceError, MissingDependencyError

    if all(key.startswith("host") for key in journal().records("calibration")):
        return None
    try:
        device = open_device()
    except (DeviceError, MissingDependencyError):
        return None
    return device if journal().get("calibration", device.key) else None


def known_device_apart() -> OpenCL | None:
    """Return that device if it has cores of its own: then even a plain call may go there."""
    device = known_device()
    return None if device is None or device.found.shares_cores else device
