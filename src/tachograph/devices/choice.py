"""The one reading of ``device=``: what users may write, and the opened devices that it names."""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ..journal import journal, store
from ..util.cores import threads_available
from ..util.errors import DeviceError, InputError, MissingDependencyError
from .calibrate import calibration
from .discovery import Found
from .host import Host
from .opencl import OpenCL, open_device

__all__ = ["Chosen", "DeviceLike", "calibrated_device", "only_host", "parse"]

#: What ``device=`` takes: one device or several, as names or as objects.
DeviceLike: TypeAlias = str | Host | OpenCL | Found | Sequence[str | Host | OpenCL | Found]

NAME_BEGINNINGS = ("auto", "host", "opencl")  # what the name of a device begins with
JOURNAL_VARIABLES = ("TACHOGRAPH_JOURNAL", "TACHOGRAPH_HOME", "XDG_DATA_HOME", "HOME")
ASK_AGAIN_AFTER_SECONDS = 60.0  # how long calibrated_device remembers its answer
#: When ``calibrated_device`` was asked last, in which directory, and the answer.
_last: tuple[float, str | None, OpenCL | None] = (-math.inf, None, None)


class Chosen(NamedTuple):
    """The devices that were asked for: the host, an OpenCL device, or both."""

    host: Host | None
    opencl: OpenCL | None

    @property
    def both(self) -> bool:
        """Whether host and device share the work."""
        return self.host is not None and self.opencl is not None


def parse(device: DeviceLike | None) -> Chosen | None:
    """Return the devices that ``device=`` names, opened, or None if the library shall decide.

    Parameters
    ----------
    device
        None or ``"auto"``: the library decides. ``"host"``, ``"opencl"`` (the best OpenCL device),
        ``"opencl:0"`` (by number), ``"opencl:nvidia"`` (by part of a name), several of them
        (``"host,opencl"`` or a list), or objects: :class:`Host`, :class:`OpenCL`, :class:`Found`.

    Raises
    ------
    InputError
        If a name is unknown, or if more than the host and one device are named.
    DeviceError
        If a device does not exist or does not work.
    MissingDependencyError
        If pyopencl is needed and not installed.

    Examples
    --------
    >>> parse("auto") is None
    True
    >>> parse("host").opencl is None
    True
    """
    asked = list(dict.fromkeys(_listed(device)))
    if asked == ["auto"]:
        return None
    others = [one for one in asked if one != "host"]
    if not asked or len(others) > 1 or "auto" in asked:
        raise InputError(
            f"device = {device!r}: give 'auto', 'host', a device, or the host and a device"
        )
    host = Host(threads_available()) if "host" in asked else None
    one = others[0] if others else None
    return Chosen(host, one if one is None or isinstance(one, OpenCL) else open_device(one))


def only_host(device: DeviceLike | None) -> bool:
    """Return whether ``device=`` names no device but the host; nothing is opened.

    >>> only_host("auto"), only_host(["host", "opencl"])
    (True, False)
    """
    return set(_listed(device)) <= {"auto", "host"}


def _listed(device: DeviceLike | None) -> Iterator[str | OpenCL | Found]:
    """Yield the devices one by one; those that mean the host as ``"host"``."""
    if device is None:
        device = "auto"
    if isinstance(device, str):
        device = [name.strip() for name in device.split(",")]
    for one in device if isinstance(device, Sequence) else [device]:
        if isinstance(one, str) and one.partition(":")[0] not in NAME_BEGINNINGS:
            raise InputError(f"there is no device {one!r}: tacho devices lists those there are")
        if not isinstance(one, str | Host | OpenCL | Found):
            kind = type(one).__name__
            raise InputError(f"device takes names and devices, not {one!r}, which is a {kind}")
        yield "host" if isinstance(one, Host) else one


def calibrated_device() -> OpenCL | None:
    """Return the default OpenCL device if it works and has been calibrated, else None.

    The answer is remembered for a minute, because plans ask for every call.
    """
    global _last
    now, there = time.monotonic(), os.environ.get("TACHOGRAPH_HOME")
    if now - _last[0] >= store.LOOK_AGAIN_SECONDS or there != _last[1]:
        where = tuple(map(os.environ.get, JOURNAL_VARIABLES))  # faster than the journal's path
        _last = now, there, _calibrated(where, int(now / ASK_AGAIN_AFTER_SECONDS))
    return _last[2]


@functools.lru_cache(maxsize=2)
def _calibrated(where: tuple[str | None, ...], minute: int) -> OpenCL | None:
    """See :func:`calibrated_device`; the arguments only tell old answers from new ones."""
    if all(key.startswith("host") for key in journal().records("calibration")):
        return None
    try:
        device = open_device()
    except (DeviceError, MissingDependencyError):
        return None
    return device if calibration(device) else None
