"""Whether a device computes what the host computes: every task that runs on devices, on small graphs of
every kind, with less than the device can do and in groups of several sizes.

``python -m tachograph.tasks.self_test ID`` prints a line of JSON for each check. :func:`self_test` runs
it in a process of its own, because a broken driver may end the process, or never answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..algorithms.bfs import bfs
from ..algorithms.components import connected_components
from ..algorithms.flow import maximum_flow
from ..algorithms.independent_set import maximal_independent_set
from ..algorithms.pagerank import pagerank
from ..algorithms.result import Result
from ..algorithms.similarity import jaccard
from ..algorithms.sssp import sssp
from ..devices.discovery import Found, surroundings
from ..graph import generate
from ..graph.graph import Graph
from ..util.errors import TachographError

if TYPE_CHECKING:
    from ..devices.opencl import OpenCL

__all__ = ["Check", "self_test"]

PATIENCE_SECONDS = 60.0  # for all checks of a device
GROUPS = (32, 256)  # work-items of a group; the device's own size is tried anyway
OWN_MEMORY = ("shares_memory", "svm")


class Check(NamedTuple):
    """A task on a graph: ``problem`` says what is wrong, ``skipped`` why it is not possible."""

    name: str
    seconds: float
    problem: str = ""
    skipped: str = ""


def _weighted(graph: Graph) -> Graph:
    source, target = graph.to_edges()[:2]
    lengths = (np.arange(source.size) % 9).astype(np.int32)
    return Graph.from_edges(source, target, lengths, n=graph.n, directed=graph.directed)


def _set(graph: Graph, device: object, **more: int) -> Result:
    return maximal_independent_set(graph, rng=1, device=device, placement="device", **more)  # type: ignore[arg-type]


def _flow(graph: Graph, device: object) -> Result:
    ends = (0, graph.n - 1)
    return maximum_flow(_weighted(graph), *ends, device=device, placement="device")  # type: ignore[arg-type]


#: What is run on a device, and which of its arrays must be those of the host.
TASKS: dict[str, tuple[Callable[[Graph, object], Result], str]] = {
    "bfs": (lambda g, d: bfs(g, 0, device=d), "levels"),  # type: ignore[arg-type]
    "sssp": (lambda g, d: sssp(_weighted(g), 0, device=d), "distances"),  # type: ignore[arg-type]
    "jaccard": (lambda g, d: jaccard(g, device=d), "values"),  # type: ignore[arg-type]
    "maximal_independent_set": (_set, "mask"),
    "maximal_independent_set, overlapping": (
        lambda g, d: _set(g, d, **({} if d == "host" else {"overlap": 60, "hot": 20})),
        "mask",
    ),
    "maximum_flow": (_flow, "flow"),
    "connected_components": (lambda g, d: connected_components(g, device=d), "labels"),  # type: ignore[arg-type]
    "pagerank": (lambda g, d: pagerank(g, device=d), "scores"),  # type: ignore[arg-type]
}
#: The largest difference of scores, which devices may compute in single precision.
SCORES_ALIKE = 1e-5
#: Many arcs of one vertex, few levels, many levels, nothing to do.
GRAPHS: dict[str, Callable[[], Graph]] = {
    "star": lambda: generate.star(3000),
    "kronecker": lambda: generate.kronecker(9, rng=1),
    "road": lambda: generate.road(20, 20, rng=1, weights=None),
    "pair": lambda: generate.path(2),
}


def variants(device: OpenCL) -> Iterator[tuple[str, OpenCL]]:
    """Yield the device as it is, with memory of its own, and with groups of other sizes."""
    yield "as it is", device
    yield "own memory", device.masked(*OWN_MEMORY)
    limit = device.context.devices[0].max_work_group_size
    for size in GROUPS:
        if size <= limit:
            yield f"groups of {size}", device.masked(*OWN_MEMORY, kind="gpu", group=size)


def checks(device: OpenCL) -> Iterator[Check]:
    """Run everything, one check after the other."""
    for name, make in GRAPHS.items():
        graph = make()
        for task, (run, array) in TASKS.items():
            expected = getattr(run(graph, "host"), array)
            for how, one in variants(device):
                begin = time.perf_counter()
                problem, skipped = _compared(run, array, graph, one, expected)
                seconds = time.perf_counter() - begin
                yield Check(f"{task}, {name}, {how}", seconds, problem, skipped)


def _compared(
    run: Callable[[Graph, object], Result],
    array: str,
    graph: Graph,
    device: OpenCL,
    expected: np.ndarray,
) -> tuple[str, str]:
    """Return what is wrong with a run on the device, and why it is not possible, if it is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a device that was given up
            found = run(graph, device)
    except (TachographError, Warning) as error:
        lacks = "no atomic minimum" in str(error) or "no double" in str(error)
        return ("", str(error)) if lacks else (str(error), "")
    notes = [str(row["note"]) for row in found.run.trace if "note" in row]
    given_up = [note for note in notes if "use the host" in note]
    if given_up:
        return given_up[0], ""
    got = getattr(found, array)
    wrong = np.abs(got - expected) > SCORES_ALIKE if array == "scores" else got != expected
    if got.shape != expected.shape or wrong.any():
        return f"{np.count_nonzero(wrong):,} of {got.size:,} {array} are wrong", ""
    for there in list(device.room.graphs.values()):
        there.release()
    left = device.room.used
    return f"{left:,} bytes of the device's memory were not given back" if left else "", ""


def self_test(found: Found, patience: float = PATIENCE_SECONDS) -> list[Check]:
    """Check a device in a process of its own; the last check says so if that did not end well."""
    command = [sys.executable, "-m", "tachograph.tasks.self_test", found.id]
    begin, ended = time.perf_counter(), ""
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, env=surroundings()
        )
        output = run.stdout
        if run.returncode:
            last = (run.stderr.strip().splitlines() or [""])[-1]
            ended = f"the process ended with code {run.returncode}: {last}"
    except subprocess.TimeoutExpired as late:
        given = late.stdout or b""
        output = given.decode() if isinstance(given, bytes) else given
        ended = f"no end after {patience:.0f} s"
    done = [Check(*json.loads(line)) for line in output.splitlines() if line.startswith("[")]
    if ended:
        done.append(Check("whatever comes next", time.perf_counter() - begin, ended))
    return done


if __name__ == "__main__":
    from ..devices.opencl import open_device

    for check in checks(open_device(sys.argv[1])):
        print(json.dumps(check), flush=True)
