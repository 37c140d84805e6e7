"""Breadth-first search and Bellman-Ford on an OpenCL device."""

from __future__ import annotations

import time

import numpy as np

from ..devices.choice import DeviceLike, parse
from ..devices.memory import Buffer, Part, whole
from ..devices.opencl import GROUP, OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.runtime.launch import not_counted
from ..util.errors import DeviceError, InputError
from .result import Run, Trace

__all__ = ["distances_on", "levels_on", "places_of"]

PULL_ABOVE_NTH = 20  # a frontier of more than n / PULL_ABOVE_NTH vertices is pulled
UNREACHED = 2**62  # the distance of a vertex before a path to it is known


def _one_device(asked: DeviceLike) -> OpenCL:
    """Return the device that searches; host and device cannot share a search."""
    chosen = parse(asked)
    if chosen is None or chosen.opencl is None or chosen.host is not None:
        raise InputError(f"device = {asked!r}: a search runs on the host or on one device")
    return chosen.opencl


def _rows(device: OpenCL, graph: Graph) -> Part:
    if graph.indices.itemsize != 4:
        raise InputError("devices take graphs with fewer than 2**31 vertices: use the host")
    return whole(device, graph)


class _Frontier:
    """The vertices that a search goes on from, and a row for each of its steps."""

    def __init__(self, device: OpenCL, sources: np.ndarray, n: int) -> None:
        self.device, self.begin = device, time.perf_counter()
        self.front = device.output(np.resize(sources, n).astype(np.int32))
        self.after = device.output(np.empty(n, np.int32))
        self.count = device.output(np.zeros(1, np.int32))
        self.size, self.n = sources.size, n
        self.steps: list[tuple[str, int, float]] = []

    def start(self) -> float:
        """Forget how many vertices were found last; return the time."""
        start = time.perf_counter()
        self.device.write(self.count, np.zeros(1, np.int32))
        return start

    def end(self, name: str, start: float, listed: bool = True) -> None:
        """Wait for a kernel that counts the next vertices and, if they are ``listed``, wrote them."""
        if listed:
            self.front, self.after = self.after, self.front
        found = int(self.count.fetch()[0])
        check_count(self.device, found, self.n)
        self.steps.append((name, self.size, time.perf_counter() - start))
        self.size = found

    def run(self, first: str) -> Run:
        """Return what was done; the trace's column of names is ``first``."""
        seconds = time.perf_counter() - self.begin
        names = (first, "frontier_vertices", "seconds")
        trace = Trace({name: [step[i] for step in self.steps] for i, name in enumerate(names)})
        return Run(seconds, trace, device=self.device.id)


def levels_on(
    asked: DeviceLike, graph: Graph, sources: np.ndarray, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray, Run]:
    """Search by pulling large frontiers and pushing others: levels and parents."""
    device, n = _one_device(asked), graph.n
    with not_counted():
        push, pull = (device.kernel("bfs", name) for name in ("push", "pull"))
        ahead, back = _rows(device, graph), _rows(device, graph.transpose)
    levels, parents = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    levels[sources], parents[sources] = 0, sources
    f = _Frontier(device, sources, n)
    level, parent = device.output(levels), device.output(parents)
    depth, pulled, reached = 1, False, 0
    while f.size and (cutoff is None or depth <= cutoff):
        start, pulling = f.start(), f.size > n // PULL_ABOVE_NTH
        if pulling:
            rows = back.indptr, back.indices
            device.launch(pull, n, *rows, np.int32(n), np.int32(depth), parent, level, f.count)
        else:
            if pulled:  # the frontier is known by its level only
                places_of(device, level, n, depth - 1, f.front)
            rows = ahead.indptr, ahead.indices
            front = f.front, np.int32(f.size), np.int32(depth)
            device.launch(push, f.size, *rows, *front, parent, level, f.after, f.count)
        f.end("pull" if pulling else "push", start, listed=not pulling)
        reached += f.size
        check_count(device, reached, n)
        depth, pulled = depth + 1, pulling
    level.fetch()
    parent.fetch()
    return levels, parents, f.run("direction")


def places_of(device: OpenCL, values: Buffer, n: int, wanted: int, places: Buffer) -> int:
    """Write the places of ``wanted`` among ``n`` integers, in order; return how many there are."""
    names = ("mark", "scan", "add", "compact")
    mark, scan, add, compact = (device.kernel("blocks", x, f"-DGROUP={GROUP}") for x in names)
    size = np.int64(n)
    marks, before = device.scratch(n, np.int32), device.scratch(n, np.int32)
    totals = device.output(np.zeros(-(-n // GROUP), np.int32))
    device.launch(mark, n, values, size, np.int32(wanted), marks)
    device.launch(scan, n, marks, size, before, totals)  # within each group
    sums = totals.fetch()
    ends = np.cumsum(sums)
    earlier = device.upload((ends - sums).astype(np.int32))
    device.launch(add, n, before, size, earlier)
    device.launch(compact, n, marks, before, size, places)
    device.finish()
    return int(ends[-1])


def distances_on(
    asked: DeviceLike, graph: Graph, weights: np.ndarray, sources: np.ndarray
) -> tuple[np.ndarray, Run] | None:
    """Relax frontiers: distances, or None if they do not settle (a cycle)."""
    device, n = _one_device(asked), graph.n
    if not device.capabilities.int64_atomics:
        raise DeviceError(f"{device.name} has no atomic minimum of 64 bits: use the host")
    if weights.dtype != np.int32:
        raise InputError("on a device weights must be whole numbers (int32): use the host")
    with not_counted():
        relax = device.kernel("bellman_ford", "relax")
        rows = _rows(device, graph)
    distances = np.full(n, UNREACHED, np.int64)
    distances[sources] = 0
    f = _Frontier(device, sources, n)
    distance, stamp = device.output(distances), device.output(np.zeros(n, np.int32))
    arcs = rows.indptr, rows.indices, device.upload(weights, "weights")
    for turn in range(1, n + 2):
        if not f.size:
            break
        start, front = f.start(), (f.front, np.int32(f.size), np.int32(turn))
        device.launch(relax, f.size, *arcs, *front, distance, stamp, f.after, f.count)
        f.end("relax", start)
    distance.fetch()
    if f.size:
        return None
    return np.where(distances == UNREACHED, np.inf, distances), f.run("phase")
