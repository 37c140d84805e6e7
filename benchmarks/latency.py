"""What a call, a command and a trace cost: python benchmarks/latency.py [--cold]

- ``tg.bfs`` on a graph of 2,000 vertices, kernels loaded: median and 99th percentile, also with four
  threads, and with four threads made to work (a graph just large enough for a team).
- ``tacho run bfs`` on a small file, wall time: with kernels in the cache; with an empty cache if
  ``--cold`` is given (some ten seconds).
- The trace of BFS on a Kronecker graph: runs with and without it take turns; their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import tachograph as tg
from tachograph.kernels.runtime import threads_available


def seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def calls() -> None:
    """Many short searches."""
    small, team = tg.uniform(2000, 16, seed=1), tg.uniform(1 << 13, 32, seed=1)
    for name, graph, threads in (
        ("2,000 vertices", small, None),
        ("2,000 vertices, threads=4", small, 4),
        ("8,192 vertices, threads=4", team, 4),
    ):
        for s in range(20):
            tg.bfs(graph, s, threads=threads)
        times = sorted(
            seconds(lambda g=graph, s=s, t=threads: tg.bfs(g, s % g.n, threads=t))
            for s in range(2000)
        )
        middle, late = times[1000] * 1e3, times[1980] * 1e3
        used = tg.bfs(graph, 0, threads=threads).trace["threads"][0]
        print(
            f"tg.bfs, {name}: median {middle:.3f} ms, 99th percentile {late:.3f} ms ({used} used)"
        )


def commands(cold: bool) -> None:
    """The whole command, as a shell runs it."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "small.txt"
        tg.write(tg.road(40, 40, seed=1), path)
        command = [sys.executable, "-m", "tachograph", "run", "bfs", str(path), "--source", "0"]

        def run(**environment: str) -> None:
            subprocess.run(
                command, check=True, capture_output=True, env={**os.environ, **environment}
            )

        run()
        times = [seconds(run) for _ in range(7)]
        print(f"tacho run bfs, warm: median {statistics.median(times):.2f} s of {len(times)}")
        if cold:
            taken = seconds(lambda: run(NUMBA_CACHE_DIR=str(Path(directory) / "empty")))
            print(f"tacho run bfs, cold: {taken:.1f} s")


def trace(scale: int, rounds: int) -> None:
    """Searches with and without a trace take turns, so that a slow minute is slow for both."""
    graph = tg.kronecker(scale, seed=1)
    source = int((graph.degrees > 2).argmax())
    times: dict[bool, list[float]] = {True: [], False: []}
    levels = set()
    for turn in range(rounds + 3):
        order = (True, False) if turn % 2 else (False, True)
        results = {kept: tg.bfs(graph, source, trace=kept) for kept in order}
        levels |= {r.levels.tobytes() for r in results.values()}
        if turn >= 3:  # the first warm up
            for kept, result in results.items():
                times[kept].append(result.seconds)
    assert len(levels) == 1
    ratio = statistics.median(times[True]) / statistics.median(times[False])
    least = min(times[True]) / min(times[False])
    low, _, high = statistics.quantiles(
        [a / b for a, b in zip(times[True], times[False], strict=True)], n=4
    )
    print(
        f"bfs of kron-{scale}, with trace / without, {rounds} rounds, {threads_available()} threads: "
        f"medians {ratio:.3f}, least {least:.3f}; half of the rounds in {low:.3f} to {high:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--cold", action="store_true", help="also with an empty cache")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    calls()
    commands(options.cold)
    trace(options.scale, options.rounds)


if __name__ == "__main__":
    main()
