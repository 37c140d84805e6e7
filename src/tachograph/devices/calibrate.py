"""What operations cost on a device, measured by kernels that each have one cost.

The numbers go to the journal; plans, splits and placements read them with :func:`calibration`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..journal import journal
from ..util.errors import DeviceError
from .host import Host
from .opencl import GROUP, OpenCL

__all__ = ["UNITS", "calibrate", "calibration"]

STREAM = 1 << 22  # doubles of each array: beyond any cache
GATHER = 1 << 22  # random places among as many integers
COUNTERS = 1 << 16
CHAINS, STEPS = 1 << 12, 1 << 9
LONGER = 16  # times: arrays of the host, to be worth several threads
ROUNDS = 5
#: What is measured, and its unit.
UNITS = {
    "stream": "GB/s",
    "gather": "million/s",
    "atomics": "million/s",
    "latency": "µs",
    "transfer": "GB/s",
    "scalar": "G operations/s",
    "vector": "G operations/s",
}


def calibration(device: Host | OpenCL) -> dict[str, float | None] | None:
    """What was measured of the device, or None if it was not yet."""
    return journal().get("calibration", device.key)


def calibrate(device: Host | OpenCL) -> dict[str, float | None]:
    """Measure a device, which takes about a second, and remember the numbers in the journal.

    Returns
    -------
    dict
        For every name of ``UNITS`` the rate, or the time, of an operation; ``transfer`` is None where
        nothing is copied.
    """
    arrays = _arrays()
    measured = _host(device, arrays) if isinstance(device, Host) else _opencl(device, arrays)
    journal().put("calibration", device.key, measured)
    return measured


def _arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "a": np.ones(STREAM),
        "b": np.full(STREAM, 2.0),
        "sum": np.empty(STREAM),
        "where": rng.integers(0, GATHER, GATHER, np.int32),
        "values": rng.integers(0, 9, GATHER, np.int32),
        "picked": np.empty(GATHER, np.int32),
        "places": rng.integers(0, COUNTERS, GATHER, np.int32),
        "counts": np.zeros(COUNTERS, np.int32),
        "out": np.zeros(CHAINS, np.int32),
        "reals": np.zeros(CHAINS, np.float32),
    }


def _seconds(work: Callable[[], Any]) -> float:
    """The median of a few runs, after one that does not count."""
    work()
    taken = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def _rates(seconds: dict[str, float], arrays: dict[str, np.ndarray]) -> dict[str, float | None]:
    """Seconds to rates; wrong sums mean that a device cannot be trusted."""
    if arrays["sum"][0] != 2.0 or (arrays["picked"] != arrays["values"][arrays["where"]]).any():
        raise DeviceError("a micro-benchmark gave wrong numbers: the device cannot be used")
    return {
        "stream": 3 * 8 * STREAM / seconds["stream"] / 1e9,
        "gather": GATHER / seconds["gather"] / 1e6,
        "atomics": GATHER / seconds["atomics"] / 1e6,
        "latency": seconds["latency"] * 1e6,
        "scalar": 6 * CHAINS * STEPS / seconds["scalar"] / 1e9,
        "vector": 2 * 16 * CHAINS * STEPS / seconds["vector"] / 1e9,
    }


def _host(host: Host, arrays: dict[str, np.ndarray]) -> dict[str, float | None]:
    from ..kernels.calibration import host as kernels
    from ..kernels.runtime.launch import over_parts, threads

    a = arrays
    out, reals = np.tile(a["out"], LONGER), np.tile(a["reals"], LONGER)
    work: dict[str, Callable[[], Any]] = {
        "stream": lambda: over_parts(kernels.stream, STREAM, a["a"], a["b"], a["sum"]),
        "gather": lambda: over_parts(kernels.gather, GATHER, a["where"], a["values"], a["picked"]),
        "atomics": lambda: over_parts(kernels.count, GATHER, a["places"], a["counts"]),
        "latency": lambda: over_parts(kernels.nothing, STREAM, a["out"]),
        "scalar": lambda: over_parts(kernels.scalar, out.size, out, STEPS),
        "vector": lambda: over_parts(kernels.vector, out.size, reals, STEPS),
    }
    with threads(host.threads):
        seconds = {name: _seconds(run) for name, run in work.items()}
    for name in ("scalar", "vector"):
        seconds[name] /= LONGER
    return {**_rates(seconds, arrays), "transfer": None}


def _opencl(device: OpenCL, arrays: dict[str, np.ndarray]) -> dict[str, float | None]:
    a = {name: device.output(array, "a micro-benchmark") for name, array in arrays.items()}

    def launch(kernel: str, size: int, *arguments: Any) -> Callable[[], None]:
        made = device.kernel("calibrate", kernel)

        def run() -> None:
            device.launch(made, size, *arguments, group=GROUP)
            device.finish()

        return run

    steps = np.int32(STEPS)
    work: dict[str, Callable[[], Any]] = {
        "stream": launch("stream", STREAM, a["a"], a["b"], a["sum"], np.int64(STREAM)),
        "gather": launch("gather", GATHER, a["where"], a["values"], a["picked"], np.int64(GATHER)),
        "atomics": launch("count", GATHER, a["places"], a["counts"], np.int64(GATHER)),
        "latency": launch("nothing", 1, a["out"]),
        "scalar": launch("scalar", CHAINS, a["out"], steps),
        "vector": launch("vector", CHAINS, a["reals"], steps),
    }
    seconds = {name: _seconds(run) for name, run in work.items()}
    a["sum"].fetch()
    a["picked"].fetch()
    rates = _rates(seconds, arrays)
    rates["transfer"] = None
    if not device.capabilities.shares_memory:
        there = a["sum"]

        def copy() -> None:
            device.write(there, arrays["sum"])
            device.finish()

        taken = _seconds(copy)
        rates["transfer"] = arrays["sum"].nbytes / taken / 1e9
    for buffer in a.values():
        buffer.release()
    return rates
