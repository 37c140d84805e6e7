"""What the break-point equation has to know of this machine: clock rates, lanes of a vector unit."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import numpy as np

from ...devices.host import Host
from ...devices.opencl import OpenCL
from .rules import Chip

__all__ = ["chip_of"]

CHAIN_STEPS, OPERATIONS_PER_STEP = 1 << 19, 6  # of a chain of dependent operations: milliseconds
TIMED_CHAINS = 5  # of which the fastest counts: a clock rate is a bound
#: Lanes of one vector unit, by vendor, where the driver cannot be asked. NVIDIA: each of the four parts
#: of a multiprocessor has paths of 16 lanes since Volta (its white papers). Intel: two units of four in
#: each execution unit.
LANES = {"nvidia": 16, "intel": 8}
_chains: dict[str, float] = {}  # rates of devices by their keys


def chip_of(host: Host, device: OpenCL) -> Chip:
    """Return the clock rates of both, and the lanes of one vector unit of the device.

    A driver says how fast its device's clock is. Where it does not, and on the host, and on a device of
    the host's cores, the rate is that of one chain of dependent operations, one per cycle. It is
    measured once in a process.
    """
    there = device.context.devices[0]
    clock = 0.0 if device.found.shares_cores else float(there.max_clock_frequency) / 1e3
    return Chip(_host_chain(), clock or _device_chain(device), _lanes(device))


def _lanes(device: OpenCL) -> float:
    there = device.context.devices[0]
    try:
        return float(there.simd_width_amd)  # 16 on the paper's chip
    except (AttributeError, device.cl.Error):
        pass
    if not device.found.shares_cores:
        for vendor, lanes in LANES.items():
            if vendor in str(there.vendor).lower():
                return float(lanes)
    return float(max(1, there.native_vector_width_float))


@functools.cache
def _host_chain() -> float:
    """Return billions of dependent operations a second on one core."""
    from ...kernels.calibration.host import scalar
    from ...kernels.runtime.launch import run

    out = np.zeros(1, np.int32)
    return _rate(lambda: run(scalar, [(0, 1, out, CHAIN_STEPS)], brief=True))


def _device_chain(device: OpenCL) -> float:
    if device.key not in _chains:
        _chains[device.key] = _chain_on(device)
    return _chains[device.key]


def _chain_on(device: OpenCL) -> float:
    kernel, out = device.kernel("calibrate", "scalar"), device.output(np.zeros(1, np.int32))

    def chain() -> None:
        device.launch(kernel, 1, out, np.int32(CHAIN_STEPS), np.int64(1), group=1)
        device.finish()

    return _rate(chain)


def _rate(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(1 + TIMED_CHAINS):  # the first one compiles
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return OPERATIONS_PER_STEP * CHAIN_STEPS / min(taken) / 1e9
