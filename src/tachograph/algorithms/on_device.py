"""Breadth-first search and Bellman-Ford on an OpenCL device."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..devices.memory import Buffer
from ..devices.opencl import GROUP, OpenCL, open_device
from ..devices.residency import Part, resident
from ..graph.graph import Graph
from ..kernels.runtime.launch import not_counted
from ..util.errors import DeviceError, InputError
from .result import Trace

__all__ = ["device_named", "distances_on", "levels_on", "places_of"]

DENSE = 20  # a frontier of more than n / DENSE vertices is pulled
FAR = 2**62


def device_named(given: Any) -> OpenCL:
    """A device, or the one of that name."""
    return given if isinstance(given, OpenCL) else open_device(given)


def _whole(device: OpenCL, graph: Graph) -> Part:
    """The graph on the device, all of it."""
    if graph.indices.itemsize != 4:
        raise InputError("devices take graphs with fewer than 2**31 vertices: use the host")
    there = resident(device, graph)
    if not there.whole:
        raise DeviceError(f"the graph does not fit on {device.name} as a whole: use the host")
    return there.part(0)


class _Buffers:
    """Arrays of one run, given back at its end."""

    def __init__(self, device: OpenCL) -> None:
        self.device = device
        self.held: list[Buffer] = []

    def output(self, array: np.ndarray) -> Buffer:
        self.held.append(self.device.output(array, "a working array"))
        return self.held[-1]

    def __enter__(self) -> _Buffers:
        return self

    def __exit__(self, *_: object) -> None:
        for buffer in self.held:
            buffer.release()


def levels_on(
    device: OpenCL, graph: Graph, sources: np.ndarray, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray, Trace, float]:
    """Levels, parents, a trace and seconds of a search that pulls large frontiers and pushes others."""
    with not_counted():
        push, pull = (device.kernel("bfs", name) for name in ("push", "pull"))
        ahead, back = _whole(device, graph), _whole(device, graph.transpose)
    n = graph.n
    levels, parents = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    levels[sources], parents[sources] = 0, sources
    trace: dict[str, list[Any]] = {"direction": [], "frontier_vertices": [], "seconds": []}
    begin = time.perf_counter()
    with _Buffers(device) as made:
        level, parent = made.output(levels), made.output(parents)
        front = made.output(np.resize(sources, n).astype(np.int32))
        after, count = made.output(np.empty(n, np.int32)), made.output(np.zeros(1, np.int32))
        size, depth, pulled = sources.size, 1, False
        while size and (cutoff is None or depth <= cutoff):
            start = time.perf_counter()
            device.write(count, np.zeros(1, np.int32))
            pulling = size > n // DENSE
            if pulled and not pulling:  # the frontier is known by its level only
                places_of(device, level, n, depth - 1, front)
            if pulling:
                device.launch(pull, n, back.indptr, back.indices, np.int32(n), np.int32(depth),
                              parent, level, count)  # fmt: skip
            else:
                device.launch(push, size, ahead.indptr, ahead.indices, front, np.int32(size),
                              np.int32(depth), parent, level, after, count)  # fmt: skip
                front, after = after, front
            row = ("pull" if pulling else "push", size, 0.0)
            size, depth, pulled = int(count.fetch()[0]), depth + 1, pulling
            for name, value in zip(trace, (*row[:2], time.perf_counter() - start), strict=True):
                trace[name].append(value)
        level.fetch()
        parent.fetch()
    return levels, parents, Trace(trace), time.perf_counter() - begin


def places_of(device: OpenCL, values: Buffer, n: int, wanted: int, places: Buffer) -> int:
    """Write the places of ``wanted`` among ``n`` integers, in order; how many there are."""
    options = f"-DGROUP={GROUP}"
    mark, compact = (device.kernel("blocks", name, options) for name in ("mark", "compact"))
    marks = device.scratch(n, np.int32)
    before = device.scratch(n, np.int32)
    device.launch(mark, n, values, np.int64(n), np.int32(wanted), marks)
    total = prefix_sums(device, marks, n, before)
    device.launch(compact, n, marks, before, np.int64(n), places)
    device.finish()
    marks.release()
    before.release()
    return total


def prefix_sums(device: OpenCL, values: Buffer, n: int, before: Buffer) -> int:
    """Write the sums of all elements before each; the sum of all."""
    options = f"-DGROUP={GROUP}"
    scan, add = (device.kernel("blocks", name, options) for name in ("scan", "add"))
    groups = -(-n // GROUP)
    with _Buffers(device) as made:
        totals = made.output(np.zeros(groups, np.int32))
        device.launch(scan, n, values, np.int64(n), before, totals, group=GROUP)
        sums = totals.fetch()
        ends = np.cumsum(sums)
        earlier = made.output((ends - sums).astype(np.int32))
        device.launch(add, n, before, np.int64(n), earlier, group=GROUP)
        device.finish()
    return int(ends[-1]) if groups else 0


def distances_on(
    device: OpenCL, graph: Graph, weights: np.ndarray, sources: np.ndarray
) -> tuple[np.ndarray, Trace, float] | None:
    """Distances by relaxing frontiers, a trace and seconds; None if they do not settle (a cycle).

    Raises
    ------
    DeviceError
        If the device has no atomic minimum of 64 bits.
    InputError
        For weights that are not whole numbers.
    """
    if not device.capabilities.int64_atomics:
        raise DeviceError(f"{device.name} has no atomic minimum of 64 bits: use the host")
    if weights.dtype != np.int32:
        raise InputError("on a device weights must be whole numbers (int32): use the host")
    with not_counted():
        relax = device.kernel("bellman_ford", "relax")
        rows = _whole(device, graph)
    n = graph.n
    distances = np.full(n, FAR, np.int64)
    distances[sources] = 0
    trace: dict[str, list[Any]] = {"phase": [], "frontier_vertices": [], "seconds": []}
    begin = time.perf_counter()
    with _Buffers(device) as made:
        distance, stamp = made.output(distances), made.output(np.zeros(n, np.int32))
        lengths = device.upload(weights, "weights")
        made.held.append(lengths)
        front = made.output(np.resize(sources, n).astype(np.int32))
        after, count = made.output(np.empty(n, np.int32)), made.output(np.zeros(1, np.int32))
        size, turn = sources.size, 1
        while size and turn <= n + 1:
            start = time.perf_counter()
            device.write(count, np.zeros(1, np.int32))
            device.launch(relax, size, rows.indptr, rows.indices, lengths, front, np.int32(size),
                          np.int32(turn), distance, stamp, after, count)  # fmt: skip
            front, after = after, front
            row = ("relax", size)
            size, turn = int(count.fetch()[0]), turn + 1
            for name, value in zip(trace, (*row, time.perf_counter() - start), strict=True):
                trace[name].append(value)
        distance.fetch()
    if size:
        return None
    exact = np.where(distances == FAR, np.inf, distances)
    return exact, Trace(trace), time.perf_counter() - begin
