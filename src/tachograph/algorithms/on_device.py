"""Breadth-first search and Bellman-Ford on an OpenCL device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self

import numpy as np

from ..devices.choice import DeviceLike, parse
from ..devices.memory import Buffer
from ..devices.opencl import GROUP, OpenCL
from ..devices.residency import Part, resident
from ..graph.graph import Graph
from ..kernels.runtime.launch import not_counted
from ..util.errors import DeviceError, InputError
from .result import Trace

__all__ = ["distances_on", "levels_on", "one_device", "places_of"]

PULL_ABOVE_NTH = 20  # a frontier of more than n / PULL_ABOVE_NTH vertices is pulled
UNREACHED = 2**62  # the distance of a vertex before a path to it is known


def one_device(asked: DeviceLike) -> OpenCL:
    """Return the device that searches; host and device cannot share a search."""
    chosen = parse(asked)
    if chosen is None or chosen.opencl is None or chosen.host is not None:
        raise InputError(f"device = {asked!r}: a search runs on the host or on one device")
    return chosen.opencl


def _whole(device: OpenCL, graph: Graph) -> Part:
    """Return the graph on the device, all of it."""
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for buffer in self.held:
            buffer.release()


class _Frontier(_Buffers):
    """The vertices that a search goes on from, and a row for each of its steps."""

    def begin(self, sources: np.ndarray, n: int) -> None:
        """Make room for frontiers of ``n`` vertices; the first one are the sources."""
        self.front = self.output(np.resize(sources, n).astype(np.int32))
        self.after = self.output(np.empty(n, np.int32))
        self.count = self.output(np.zeros(1, np.int32))
        self.size = sources.size
        self.steps: list[tuple[str, int, float]] = []

    def step(self, name: str, launch: Callable[[], None], lists: bool = True) -> None:
        """Run a kernel that counts the next vertices and, if it ``lists`` them, writes them down."""
        start = time.perf_counter()
        self.device.write(self.count, np.zeros(1, np.int32))
        launch()
        if lists:
            self.front, self.after = self.after, self.front
        found = int(self.count.fetch()[0])
        self.steps.append((name, self.size, time.perf_counter() - start))
        self.size = found

    def trace(self, first: str) -> Trace:
        """Return the steps as a trace whose column of names is ``first``."""
        names = (first, "frontier_vertices", "seconds")
        return Trace({name: [step[i] for step in self.steps] for i, name in enumerate(names)})


def levels_on(
    device: OpenCL, graph: Graph, sources: np.ndarray, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray, Trace, float]:
    """Search by pulling large frontiers and pushing others: levels, parents, trace and seconds."""
    with not_counted():
        push, pull = (device.kernel("bfs", name) for name in ("push", "pull"))
        ahead, back = _whole(device, graph), _whole(device, graph.transpose)
    n = graph.n
    levels, parents = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    levels[sources], parents[sources] = 0, sources
    begin = time.perf_counter()
    with _Frontier(device) as f:
        f.begin(sources, n)
        level, parent = f.output(levels), f.output(parents)
        depth, pulled = 1, False

        def pull_level() -> None:
            rows = back.indptr, back.indices, np.int32(n)
            device.launch(pull, n, *rows, np.int32(depth), parent, level, f.count)

        def push_level() -> None:
            if pulled:  # the frontier is known by its level only
                places_of(device, level, n, depth - 1, f.front)
            rows = ahead.indptr, ahead.indices, f.front, np.int32(f.size)
            device.launch(push, f.size, *rows, np.int32(depth), parent, level, f.after, f.count)

        while f.size and (cutoff is None or depth <= cutoff):
            pulling = f.size > n // PULL_ABOVE_NTH
            if pulling:
                f.step("pull", pull_level, lists=False)
            else:
                f.step("push", push_level)
            depth, pulled = depth + 1, pulling
        level.fetch()
        parent.fetch()
    return levels, parents, f.trace("direction"), time.perf_counter() - begin


def places_of(device: OpenCL, values: Buffer, n: int, wanted: int, places: Buffer) -> int:
    """Write the places of ``wanted`` among ``n`` integers, in order; return how many there are."""
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
    """Write the sums of all elements before each; return the sum of all."""
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
    """Relax frontiers: distances, a trace and seconds, or None if they do not settle (a cycle).

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
    distances = np.full(n, UNREACHED, np.int64)
    distances[sources] = 0
    begin = time.perf_counter()
    with _Frontier(device) as f:
        f.begin(sources, n)
        distance, stamp = f.output(distances), f.output(np.zeros(n, np.int32))
        lengths = device.upload(weights, "weights")
        f.held.append(lengths)
        turn = 1

        def relax_arcs() -> None:
            arcs = rows.indptr, rows.indices, lengths, f.front, np.int32(f.size)
            device.launch(relax, f.size, *arcs, np.int32(turn), distance, stamp, f.after, f.count)

        while f.size and turn <= n + 1:
            f.step("relax", relax_arcs)
            turn += 1
        distance.fetch()
    if f.size:
        return None
    exact = np.where(distances == UNREACHED, np.inf, distances)
    return exact, f.trace("phase"), time.perf_counter() - begin
