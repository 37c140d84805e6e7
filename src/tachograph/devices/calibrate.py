"""What operations cost on a device, measured by micro-benchmarks of one cost each.

The numbers go to the journal; plans, splits and placements read them with :func:`calibration`.
"""

from __future__ import annotations

import functools
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from ..journal import journal
from ..util.errors import DeviceError, TachographWarning
from .groups import largest_group
from .host import Host
from .opencl import GROUP, OpenCL

__all__ = ["UNITS", "calibrate", "calibration", "sound"]

STREAM_FLOATS = 1 << 23  # of each array: beyond any cache
GATHER_INTEGERS = 1 << 22  # read at random places, and as many counted at random places
COUNTER_INTEGERS = 1 << 16  # that atomic operations count with
CHAINS, CHAIN_STEPS = 1 << 12, 1 << 9  # independent calculations, and the steps of each
HOST_CHAINS_FACTOR = 16  # the host gets more chains, so that several threads are worth it
TIMED_ROUNDS = 5
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
LARGEST = 1e12  # of any of these numbers, or of their reciprocals
Numbers: TypeAlias = dict[str, float | None]


def calibration(device: Host | OpenCL) -> Numbers | None:
    """Return what was measured on the device, or None if nothing was measured yet.

    Numbers that cannot be right count as not measured, with a warning.
    """
    found = journal().get("calibration", device.key)
    if found is None or sound(found):
        return found
    _say(device.key)
    return None


def sound(numbers: object) -> bool:
    """Whether these are the numbers of a calibration: positive, and none is missing.

    >>> sound({"stream": 11.5}), sound(dict.fromkeys(UNITS, 1.0) | {"transfer": None})
    (False, True)
    """
    if not isinstance(numbers, dict) or not numbers.keys() >= UNITS.keys():
        return False
    given = [numbers[name] for name in UNITS if name != "transfer" or numbers[name] is not None]
    return all(isinstance(x, float | int) and 1 / LARGEST < x < LARGEST for x in given)


@functools.cache
def _say(key: str) -> None:
    """Warn, once for each device."""
    text = f"the calibration of {key} is damaged and not used: tacho devices --calibrate"
    warnings.warn(text, TachographWarning, stacklevel=3)


def calibrate(device: Host | OpenCL) -> Numbers:
    """Measure a device, which takes about a second, and keep the numbers in the journal.

    Returns
    -------
    dict
        For every name in ``UNITS`` the rate, or the time, of an operation; ``transfer`` is None if
        device and host share memory, so that nothing is copied.
    """
    arrays = _arrays()
    measured = _host(device, arrays) if isinstance(device, Host) else _opencl(device, arrays)
    journal().put("calibration", device.key, measured)
    return measured


def _arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "a": np.ones(STREAM_FLOATS, np.float32),
        "b": np.full(STREAM_FLOATS, 2.0, np.float32),
        "sum": np.empty(STREAM_FLOATS, np.float32),
        "where": rng.integers(0, GATHER_INTEGERS, GATHER_INTEGERS, np.int32),
        "values": rng.integers(0, 9, GATHER_INTEGERS, np.int32),
        "picked": np.empty(GATHER_INTEGERS, np.int32),
        "places": rng.integers(0, COUNTER_INTEGERS, GATHER_INTEGERS, np.int32),
        "counts": np.zeros(COUNTER_INTEGERS, np.int32),
        "out": np.zeros(CHAINS, np.int32),
        "reals": np.zeros(CHAINS, np.float32),
    }


#: The arrays of each micro-benchmark whose kernel takes nothing else; its size is that of the first.
PASSES = {
    "stream": ("stream", ("a", "b", "sum")),
    "gather": ("gather", ("where", "values", "picked")),
    "atomics": ("count", ("places", "counts")),
}
#: Those whose kernel takes an array of chains and their number of steps.
CALCULATIONS = {"scalar": "out", "vector": "reals"}


def _seconds(work: Callable[[], object]) -> float:
    """Return the median time of a few runs, after one that does not count."""
    work()
    taken = []
    for _ in range(TIMED_ROUNDS):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def _rates(seconds: dict[str, float], arrays: dict[str, np.ndarray]) -> Numbers:
    """Convert seconds to rates. Wrong results mean that a device cannot be trusted."""
    if arrays["sum"][0] != 2.0 or (arrays["picked"] != arrays["values"][arrays["where"]]).any():
        raise DeviceError("a micro-benchmark gave wrong numbers: the device cannot be used")
    return {
        "stream": 3 * 4 * STREAM_FLOATS / seconds["stream"] / 1e9,
        "gather": GATHER_INTEGERS / seconds["gather"] / 1e6,
        "atomics": GATHER_INTEGERS / seconds["atomics"] / 1e6,
        "latency": seconds["latency"] * 1e6,
        "scalar": 6 * CHAINS * CHAIN_STEPS / seconds["scalar"] / 1e9,
        "vector": 2 * 16 * CHAINS * CHAIN_STEPS / seconds["vector"] / 1e9,
        "transfer": None,
    }


def _host(host: Host, arrays: dict[str, np.ndarray]) -> Numbers:
    from ..kernels.calibration import host as kernels
    from ..kernels.runtime.launch import over_parts, threads

    def timed(name: str, size: int, *arguments: object) -> float:
        return _seconds(partial(over_parts, getattr(kernels, name), size, *arguments))

    with threads(host.threads):
        seconds = {"latency": timed("nothing", STREAM_FLOATS, arrays["out"])}
        for name, (kernel, names) in PASSES.items():
            given = [arrays[key] for key in names]
            seconds[name] = timed(kernel, given[0].size, *given)
        for name, key in CALCULATIONS.items():
            longer = np.tile(arrays[key], HOST_CHAINS_FACTOR)
            seconds[name] = timed(name, longer.size, longer, CHAIN_STEPS) / HOST_CHAINS_FACTOR
    return _rates(seconds, arrays)


def _opencl(device: OpenCL, arrays: dict[str, np.ndarray]) -> Numbers:
    there = {name: device.output(array, "a micro-benchmark") for name, array in arrays.items()}

    def timed(name: str, size: int, *arguments: object) -> float:
        kernel = device.kernel("calibrate", name)
        group = min(GROUP, largest_group(device, kernel))

        def run() -> None:
            device.launch(kernel, size, *arguments, group=group)
            device.finish()

        return _seconds(run)

    seconds = {"latency": timed("nothing", 1, there["out"])}
    for name, (kernel, names) in PASSES.items():
        size = arrays[names[0]].size
        seconds[name] = timed(kernel, size, *(there[key] for key in names), np.int64(size))
    for name, key in CALCULATIONS.items():
        seconds[name] = timed(name, CHAINS, there[key], np.int32(CHAIN_STEPS), np.int64(CHAINS))
    there["sum"].fetch()
    there["picked"].fetch()
    rates = _rates(seconds, arrays)
    if not device.capabilities.shares_memory:

        def copy() -> None:
            device.write(there["sum"], arrays["sum"])
            device.finish()

        rates["transfer"] = arrays["sum"].nbytes / _seconds(copy) / 1e9
    return rates
