"""Test what a driver can do, in a process of its own: a broken driver may end the process.

``python -m tachograph.devices.probe list`` prints a line of JSON for every device. ``... probe test
PLATFORM DEVICE`` (numbers in that list) prints what it finds out about one. It announces every step
before taking it, so that the last line of a process that died names the step; ``works`` comes with the
first step that is not needed.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyopencl as cl

__all__: list[str] = []

TRIAL_PROGRAM = """
__kernel void increment(__global int *values) { values[get_global_id(0)] += 1; }
"""
WIDE_SOURCE = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void least(__global long *best) { atom_min(best, -(long)get_global_id(0) << 33); }
"""
LOOP_SOURCE = """
__kernel void turns(__global int *turned, int most) {
    int parity = 0;
    for (int i = 0; i < most; i++) {
        parity ^= turned[1 + (i & 31)] & i;
        turned[0] = i + 1;
    }
    turned[33] = parity;
}
"""
ITEMS = 64  # work-items of a test
LONG_LOOP = 70_000  # turns; llvmpipe ends all loops of a work-item after 65,535 in all


def say(**facts: object) -> None:
    """Print a line of JSON at once."""
    print(json.dumps(facts), flush=True)


def devices() -> list[list[cl.Device]]:
    """Return the devices of every platform, or an empty list if there are no platforms."""
    import pyopencl as cl

    found: list[list[cl.Device]] = []
    with suppress(cl.LogicError):  # the loader has found no driver
        for platform in cl.get_platforms():
            found.append([])
            with suppress(cl.LogicError):  # a driver without its hardware
                found[-1] += platform.get_devices()
    return found


def describe(device: cl.Device) -> dict[str, Any]:
    """Return the facts that a driver states about a device."""
    import pyopencl as cl

    kinds = {cl.device_type.GPU: "gpu", cl.device_type.CPU: "cpu"}
    kind = next((name for bit, name in kinds.items() if device.type & bit), "accelerator")
    return {
        "name": device.name.strip(),
        "kind": kind,
        "platform": device.platform.name.strip(),
        "driver": f"{device.platform.version.strip()} / {device.driver_version.strip()}",
        "memory": int(device.global_mem_size),
        "largest": int(device.max_mem_alloc_size),
        "units": int(device.max_compute_units),
        "shares_memory": bool(device.host_unified_memory),
        "double": "cl_khr_fp64" in device.extensions,
    }


def test(device: cl.Device) -> None:
    """Build and launch a kernel, and try the features that algorithms can use."""
    import pyopencl as cl

    say(step="opening it")
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    say(step="building a kernel")
    kernel = cl.Kernel(cl.Program(context, TRIAL_PROGRAM).build(), "increment")
    say(step="launching a kernel")
    values = np.arange(ITEMS, dtype=np.int32)
    flags = cl.mem_flags
    there = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=values)
    kernel(queue, (ITEMS,), None, there)
    back = np.empty_like(values)
    cl.enqueue_copy(queue, back, there)
    queue.finish()
    if (back != values + 1).any():
        raise ValueError("a kernel that adds one to 64 numbers gave wrong ones")
    say(step="a long loop")
    say(turns=_turns(queue))
    # what fails from here on is a capability that it lacks, even if the process ends
    say(step="atomic minimum of 64 bits", int64_atomics=False, works=True)
    say(int64_atomics=_wide_atomics(queue))
    say(step="shared virtual memory", svm="none", svm_atomics=False)
    say(**_svm(queue, kernel))
    say(done=True)


def _turns(queue: cl.CommandQueue) -> int | None:
    """Return after how many turns a driver ends loops, without a word; None if it does not."""
    import pyopencl as cl

    turned = np.ones(ITEMS, np.int32)
    flags = cl.mem_flags
    kernel = cl.Kernel(cl.Program(queue.context, LOOP_SOURCE).build(), "turns")
    there = cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=turned)
    kernel(queue, (1,), None, there, np.int32(LONG_LOOP))
    cl.enqueue_copy(queue, turned, there)
    return int(turned[0]) if turned[0] < LONG_LOOP else None


def _wide_atomics(queue: cl.CommandQueue) -> bool:
    import pyopencl as cl

    if "cl_khr_int64_extended_atomics" not in queue.device.extensions:
        return False
    best = np.zeros(1, np.int64)
    flags = cl.mem_flags
    try:
        kernel = cl.Kernel(cl.Program(queue.context, WIDE_SOURCE).build(), "least")
        there = cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=best)
        kernel(queue, (ITEMS,), None, there)
        cl.enqueue_copy(queue, best, there)
    except cl.Error:
        return False
    return int(best[0]) == -((ITEMS - 1) << 33)


def _svm(queue: cl.CommandQueue, kernel: cl.Kernel) -> dict[str, object]:
    """Return the best kind of shared virtual memory: fine, coarse or none."""
    import pyopencl as cl

    kinds = cl.device_svm_capabilities
    try:
        offered = queue.device.svm_capabilities
    except cl.LogicError:  # OpenCL 1.2
        return {}
    if not offered & kinds.FINE_GRAIN_BUFFER:
        return {"svm": "coarse" if offered & kinds.COARSE_GRAIN_BUFFER else "none"}
    wanted = cl.svm_mem_flags.READ_WRITE | cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER
    atomics = bool(offered & kinds.ATOMICS)
    if atomics:
        wanted |= cl.svm_mem_flags.SVM_ATOMICS
    try:
        values = cl.svm_empty(queue.context, wanted, (ITEMS,), np.int32)
        values[:] = 1
        kernel(queue, (ITEMS,), None, cl.SVM(values))
        queue.finish()
    except cl.Error:
        return {"svm": "none"}
    works = bool((np.asarray(values) == 2).all())
    return {"svm": "fine" if works else "coarse", "svm_atomics": works and atomics}


def sentence(problem: Exception) -> str:
    r"""Return what a driver says: the line of a build log that names an error, or the first line.

    >>> sentence(RuntimeError("clBuildProgram failed\n\nerror: unknown target CPU 'generic'"))
    "RuntimeError: error: unknown target CPU 'generic'"
    """
    lines = str(problem).strip().splitlines() or [""]
    line = next((line for line in lines if "error:" in line), lines[0])
    return f"{type(problem).__name__}: {line.strip()[:300]}"


def main(words: list[str]) -> None:
    if words[0] == "list":
        for platform, found in enumerate(devices()):
            for place, device in enumerate(found):
                say(place=[platform, place], **describe(device))
    else:
        test(devices()[int(words[1])][int(words[2])])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as problem:  # whatever a driver does, the parent process gets a sentence
        say(problem=sentence(problem))
