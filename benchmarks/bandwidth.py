"""Bytes per second of PageRank beside those of a stream triad: benchmarks/bandwidth.py

The triad (a = b + 3 c over arrays far larger than the caches) is what memory can do. An iteration of
PageRank is counted as reading the offsets (8 bytes) and two float32 values and writing two for each
vertex, and as reading an id (4 bytes) for each arc. What the arcs gather from the shares is told apart:
4 bytes each, of which caches deliver a part; so is the copy that a stage makes of its shares.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
from harness import Table, in_turns, main, rounded

import tachograph as tg
from tachograph.kernels.runtime.launch import kernel, over_parts, threads_available


@kernel
def triad(stop, lo, hi, a, b, c):
    for i in range(lo, hi):
        a[i] = b[i] + 3.0 * c[i]


def measure(scale: int = 22) -> Iterator[Table]:
    a, b, c = (np.ones(1 << 25) for _ in range(3))
    times = in_turns({"triad": lambda: over_parts(triad, a.size, a, b, c)}, 6)
    memory = 3 * a.nbytes / statistics.median(times["triad"])
    rows = [["triad", *rounded([memory / 1e9, 100.0]), None]]
    for name, g in {
        f"kron-{scale}": tg.kronecker(scale, rng=1),
        f"urand-{scale}": tg.uniform(1 << scale, 16, rng=1),
        "road 3000 x 3000": tg.road(3000, 3000, rng=1),
    }.items():
        each = statistics.median(tg.pagerank(g, tol=1e-4).trace["seconds"][1:])
        rate, gathered = ((8 + 4 * 4) * g.n + 4 * g.arcs) / each, 4 * g.arcs / each
        rows.append([name, *rounded([rate / 1e9, 100 * rate / memory, gathered / 1e9])])
    columns = ["", "GB/s", "% of the triad", "gathered besides, GB/s"]
    yield Table(
        f"PageRank on graphs beyond the caches, {threads_available()} threads", columns, rows
    )


if __name__ == "__main__":
    main(measure)
