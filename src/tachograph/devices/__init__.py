"""Where kernels can run: the host, and OpenCL devices; what they can do, and what that costs.

>>> from tachograph.devices import discover
>>> all(d.problem is None or d.problem for d in discover())
True
"""

from __future__ import annotations

from .discovery import Capabilities, Found, discover
from .host import Host, host_threads
from .memory import Buffer
from .opencl import OpenCL, open_device
from .residency import Resident, resident

# fmt: off
__all__ = ["Buffer", "Capabilities", "Found", "Host", "OpenCL", "Resident", "discover", "host_threads",
           "open_device", "resident"]
# fmt: on
