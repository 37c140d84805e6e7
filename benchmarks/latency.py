"""What a call, a command and a trace cost: python benchmarks/latency.py [--cold]

- ``tg.bfs`` on a graph of 2,000 vertices, kernels loaded: median and 99th percentile, also with four
  threads, and with four threads made to work (a graph just large enough for a team).
- ``tacho run bfs`` on a small file, wall time: with kernels in the cache; with an empty cache if
  ``--cold`` is given (some ten seconds).
- The trace of BFS on a Kronecker graph: runs with and without it take turns; their ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

from harness import Table, in_turns, main, rounded

import tachograph as tg
from tachograph.util.cores import threads_available


def calls() -> Table:
    """Many short searches, timed from outside."""
    rows = []
    small, team = tg.uniform(2000, 16, rng=1), tg.uniform(40_000, 32, rng=1)
    for name, graph, threads in (
        ("2,000 vertices", small, None),
        ("2,000 vertices, threads=4", small, 4),
        ("40,000 vertices, threads=4", team, 4),
    ):
        times = []
        for source in range(2020):
            begin = perf_counter()
            found = tg.bfs(graph, source % graph.n, threads=threads)
            times.append(perf_counter() - begin)
        times = sorted(times[20:])
        used = int(found.trace["threads"][0])
        rows.append([f"tg.bfs, {name}", *rounded([times[1000] * 1e3, times[1980] * 1e3]), used])
    return Table("A call", ["", "median ms", "99th percentile", "threads used"], rows)


def commands(cold: bool) -> Table:
    """The whole command, as a shell runs it."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "small.txt"
        tg.write(tg.road(40, 40, rng=1), path)
        command = [sys.executable, "-m", "tachograph", "run", "bfs", str(path), "--source", "0"]

        def run(**environment: str) -> None:
            own = {**os.environ, **environment}
            subprocess.run(command, check=True, capture_output=True, env=own)

        times = in_turns({"compiled before": run}, 7)
        if cold:
            empty = partial(run, NUMBA_CACHE_DIR=str(Path(directory) / "empty"))
            times |= in_turns({"with an empty cache": empty}, 0, once=0.0)
    rows = [[f"tacho run bfs, {name}", rounded(taken)] for name, taken in times.items()]
    return Table("A command on a file of 1,600 vertices", ["", "seconds"], rows)


def trace(scale: int, rounds: int) -> Table:
    """Searches with and without a trace, timed alternately."""
    graph = tg.kronecker(scale, rng=1)
    source = int((graph.degrees > 2).argmax())
    same = tg.bfs(graph, source).levels == tg.bfs(graph, source, trace=False).levels
    assert same.all()
    ways = {kept: partial(tg.bfs, graph, source, trace=kept) for kept in (True, False)}
    times = in_turns(ways, rounds)
    ratio = statistics.median(times[True]) / statistics.median(times[False])
    each = [a / b for a, b in zip(times[True], times[False], strict=True)]
    low, _, high = statistics.quantiles(each, n=4)
    row = [f"bfs of kron-{scale}, {threads_available()} threads", *rounded([ratio, low, high])]
    columns = ["", "with over without", "a quarter below", "a quarter above"]
    return Table(f"A trace, {rounds} rounds in turns", columns, [row])


def measure(cold: bool = False, scale: int = 20, rounds: int = 100) -> Iterator[Table]:
    yield calls()
    yield commands(cold)
    yield trace(scale, rounds)


if __name__ == "__main__":
    main(measure)
