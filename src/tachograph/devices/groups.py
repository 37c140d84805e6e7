"""How many work-items a group can have: a kernel may have smaller groups than its device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..util.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

    from .opencl import OpenCL

__all__ = ["fitting", "largest_group"]


def fitting(device: OpenCL, build: Callable[[], dict[str, cl.Kernel]]) -> dict[str, cl.Kernel]:
    """Return the kernels that ``build`` makes for groups of ``device.group`` work-items.

    That number gets smaller until all kernels can run, because they take registers and local memory.
    """
    while True:
        made = build()
        most = min(largest_group(device, kernel) for kernel in made.values())
        if most >= device.group:
            return made
        device.group = 1 << (most.bit_length() - 1)


def largest_group(device: OpenCL, kernel: cl.Kernel) -> int:
    """Return how many work-items of a kernel a group can have.

    Raises
    ------
    DeviceError
        If there is no room for a single one.
    """
    there, asked = device.context.devices[0], device.cl.kernel_work_group_info
    with device._failures(f"the kernel {kernel.function_name}"):
        most = int(kernel.get_work_group_info(asked.WORK_GROUP_SIZE, there))
        taken = int(kernel.get_work_group_info(asked.LOCAL_MEM_SIZE, there))
    if taken > there.local_mem_size:
        most = min(most, device.group // 2)
    if most < 1:
        raise DeviceError(f"{device.name} has no room for {kernel.function_name}: use the host")
    return most
