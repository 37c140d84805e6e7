"""The devices that kernels run on: the host and OpenCL devices, what they can do, what that costs.

>>> from tachograph.devices import discover
>>> all(d.problem is None or d.problem for d in discover())
True
"""

from __future__ import annotations

from .choice import Chosen, DeviceLike, calibrated_device, parse
from .discovery import Capabilities, Found, discover
from .host import Host, host_threads
from .memory import Buffer
from .opencl import OpenCL, open_device
from .residency import Resident, resident

__all__ = [
    "Buffer",
    "Capabilities",
    "Chosen",
    "DeviceLike",
    "Found",
    "Host",
    "OpenCL",
    "Resident",
    "calibrated_device",
    "discover",
    "host_threads",
    "open_device",
    "parse",
    "resident",
]
