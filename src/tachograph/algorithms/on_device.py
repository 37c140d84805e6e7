"""What all algorithms on an OpenCL device share: the device, its rows, and the shape of its launches.

``kernels/runtime/blocks.cl`` says how work-items share rows; the numbers of that are a :class:`Shape`.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..devices.choice import DeviceLike, parse
from ..devices.groups import fitting
from ..devices.memory import Buffer, whole
from ..devices.opencl import OpenCL, source_of
from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.limits import check_time

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["Rows", "Runner", "Shape", "one_device", "rows_on", "shape_of"]

MOST_ARCS_PER_LAUNCH = 1 << 28  # a driver of a display ends kernels that run for seconds
ARCS_OF_SECTOR = 8  # as in blocks.cl
GROUPS_PER_UNIT = 32  # work-groups of a launch for each compute unit, if there is work for them


@dataclass(frozen=True)
class Shape:
    """How a device shares rows: see ``blocks.cl``. ``lanes`` divides ``group``."""

    group: int
    lanes: int
    rows: int
    wide_from: int
    chunk: int

    @property
    def options(self) -> tuple[str, ...]:
        """The options that kernels are built with."""
        names = {"GROUP": self.group, "LANES": self.lanes, "ROWS": self.rows}
        names |= {"WIDE_FROM": self.wide_from, "CHUNK": self.chunk}
        return tuple(f"-D{name}={value}" for name, value in names.items())


#: On a processor a work-group is a thread, and one work-item walks along a row; elsewhere, a warp does.
PROCESSOR = Shape(group=1, lanes=1, rows=64, wide_from=1024, chunk=4096)
GRAPHICS = Shape(group=256, lanes=32, rows=256, wide_from=32, chunk=1024)


def shape_of(device: OpenCL) -> Shape:
    """Return the shape for a device, by its own size of a group and width of a warp."""
    if device.kind == "cpu":
        return PROCESSOR
    group, lanes = device.group, math.gcd(_warp(device.context.devices[0]), device.group)
    return replace(GRAPHICS, group=group, lanes=lanes, rows=group)


def _warp(device: cl.Device) -> int:
    """Return how many work-items step together, as far as the driver tells."""
    found = GRAPHICS.lanes
    if device.version.startswith("OpenCL 3"):
        found = int(device.preferred_work_group_size_multiple)
    elif "cl_nv_device_attribute_query" in device.extensions:
        found = int(device.warp_size_nv)
    elif "cl_amd_device_attribute_query" in device.extensions:
        found = int(device.wavefront_width_amd)
    return found if found in (16, 32, 64) else GRAPHICS.lanes


def one_device(asked: DeviceLike) -> OpenCL:
    """Return the device that an algorithm runs on; host and device cannot share it."""
    chosen = parse(asked)
    if chosen is None or chosen.opencl is None or chosen.host is not None:
        raise InputError(f"device = {asked!r}: a search runs on the host or on one device")
    return chosen.opencl


@dataclass(frozen=True)
class Rows:
    """The rows of a graph on a device, and the type of their offsets."""

    indptr: Buffer
    indices: Buffer
    offset: str
    arcs: int

    @property
    def kind(self) -> type[np.signedinteger]:
        """The type of offsets in NumPy."""
        return np.int32 if self.offset == "int" else np.int64

    def tasks(self, shape: Shape) -> int:
        """Return how many tasks the wide rows can make."""
        wide, more = self.arcs // shape.wide_from, ARCS_OF_SECTOR - 1  # before each, when it is cut
        return wide + (self.arcs + more * wide) // shape.chunk + 1


def rows_on(device: OpenCL, graph: Graph) -> Rows:
    """Return the rows of a graph on a device, where they stay while it lives."""
    if graph.indices.itemsize != 4:
        raise InputError("devices take graphs with fewer than 2**31 vertices: use the host")
    part = whole(device, graph)
    return Rows(part.indptr, part.indices, part.offset, graph.arcs)


@functools.cache
def kernels_of(program: str) -> list[str]:
    """Return the names of the kernels of ``PROGRAM.cl``."""
    return re.findall(r"__kernel void (\w+)", source_of(program))


class Runner:
    """The kernels of a program, built and launched in the device's shape."""

    def __init__(self, device: OpenCL, program: str, *options: str, written: str = "") -> None:
        self.device = device
        self.most_groups = max(1, GROUPS_PER_UNIT * device.units)
        self.shape = shape_of(device)

        def build() -> dict[str, cl.Kernel]:
            self.shape = shape_of(device)
            every = (*self.shape.options, *options)
            names = kernels_of(program)
            return {name: device.kernel(program, name, *every, written=written) for name in names}

        self._kernels = build() if device.kind == "cpu" else fitting(device, build)

    def once(self, name: str, *arguments: object) -> None:
        """Launch a kernel with one group."""
        size = self.shape.group
        self.device.launch(self._kernels[name], size, *arguments, group=size)

    def each(self, name: str, count: int, *arguments: object) -> None:
        """Launch a kernel whose groups share ``count`` vertices, words or tasks (``EACH``)."""
        self.shared(name, -(-count // self.shape.rows), *arguments)

    def shared(self, name: str, blocks: int, *arguments: object) -> None:
        """Launch a kernel whose groups share ``blocks`` among them."""
        check_time()
        size = max(1, min(blocks, self.most_groups)) * self.shape.group
        self.device.launch(self._kernels[name], size, *arguments, group=self.shape.group)

    def cut(self, name: str, blocks: int, work: int, *arguments: object) -> None:
        """Likewise, in several launches if there are too many arcs for one."""
        pieces = max(1, -(-work // MOST_ARCS_PER_LAUNCH))
        for piece in range(pieces):
            self.shared(name, -(-blocks // pieces), *arguments, np.int32(piece), np.int32(pieces))
