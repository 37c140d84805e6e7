"""Similarity of edges beside peers, by one device and two, its memory, and two-hop pairs.

    python benchmarks/similarity.py peers|devices|memory|two-hop [GRAPH ...]

Graphs are data sets, or generators with arguments ("kronecker 18 16"). Candidates take turns in one
run, and results are compared before times count.

peers    the host, all cores, beside NetworKit (per pair, and its triangle counts of all edges, which
         are but the numerators), igraph and NetworkX. Peers that would take minutes get a random sample
         of the edges; their time is then that of the sample by its part of the edges, marked with ~.
devices  with one core for each device: each alone, both, 21 fixed shares, and what auto does. Needs a
         calibration (NUMBA_NUM_THREADS=1 tacho devices --calibrate).
memory   peak of a run beyond what was there before, by graph + results.
two-hop  the best 10 of each vertex within 200 MB, and a sample of vertices by brute force.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tachograph as tg
from tachograph.learning.split import undirected

SAMPLE = 20_000  # edges for slow peers
ROUNDS = 9
GRAPHS = {
    "peers": ["kronecker 18 16", "dblp-2010", "cnr-2000", "soc-Slashdot0902"],
    "devices": [
        "kronecker 17 16", "kronecker 18 8", "uniform 150000 16", "road 1100 1100",
        "power_law 250000 2.4 5", "small_world 250000 6 0.1", "cnr-2000", "USA-road-topology.NE",
    ],
    "memory": ["kronecker 18 16", "dblp-2010", "cnr-2000", "soc-Slashdot0902"],
    "two-hop": ["soc-Slashdot0902"],
}  # fmt: skip


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def peers(name: str) -> None:
    import igraph
    import networkit as nk
    import networkx as nx

    from tachograph.kernels.runtime import threads_available

    g = undirected(name)
    ours = tg.jaccard(g, devices="host")
    source, target = ours.source, ours.target
    nk.setNumberOfThreads(threads_available())
    ends = source.astype(np.uint64), target.astype(np.uint64)
    theirs = nk.GraphFromCoo(ends, n=g.n, directed=False)
    theirs.indexEdges()
    some = np.random.default_rng(1).choice(g.m, min(SAMPLE, g.m), replace=False)
    pairs = list(zip(source[some].tolist(), target[some].tolist(), strict=True))
    part = some.size / g.m
    small = igraph.Graph(n=g.n, edges=np.column_stack((source, target)))
    plain = nx.Graph()
    plain.add_nodes_from(range(g.n))
    plain.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    index = nk.linkprediction.JaccardIndex(theirs)

    def by_triangles() -> np.ndarray:
        return np.array(nk.sparsification.TriangleEdgeScore(theirs).run().scores())

    expected = ours.values[some]
    assert np.allclose(small.similarity_jaccard(pairs=pairs, loops=False), expected)
    assert np.allclose([v for *_, v in nx.jaccard_coefficient(plain, pairs)], expected)
    both = (g.degrees[source] + g.degrees[target]) * ours.values / (1 + ours.values)
    assert np.array_equal(np.sort(by_triangles()), np.sort(np.round(both)))
    found = {(u, v): x for (u, v), x in index.runOn(pairs)}
    assert np.allclose([found[min(p), max(p)] if (min(p), max(p)) in found else found[max(p), min(p)]
                        for p in pairs], expected)  # fmt: skip
    slow = {
        "~ NetworKit, pairs": lambda: index.runOn(pairs),
        "~ igraph": lambda: small.similarity_jaccard(pairs=pairs, loops=False),
        "~ NetworkX": lambda: list(nx.jaccard_coefficient(plain, pairs)),
    }
    times: dict[str, list[float]] = {}
    for _ in range(3):
        for _ in range(3):
            times.setdefault("tachograph", []).append(tg.jaccard(g, devices="host").seconds)
        times.setdefault("NetworKit, triangles", []).append(timed(by_triangles))
        for who, call in slow.items():
            times.setdefault(who, []).append(timed(call) / part)
    mine = statistics.median(times.pop("tachograph"))
    print(f"{name} ({g.m:,} edges): tachograph {mine * 1e3:.1f} ms;", end=" ")
    print("; ".join(f"{who} {statistics.median(t):.3g} s = {statistics.median(t) / mine:.1f}×"
                    for who, t in times.items()), flush=True)  # fmt: skip


def devices(name: str) -> None:
    from tachograph.devices import open_device

    device = open_device(threads=1)
    g = undirected(name)
    ways: dict[str, dict[str, object]] = {
        "host": {"devices": "host"},
        "device": {"devices": [device]},
        "both": {"devices": ["host", device]},
        "auto": {"devices": "auto"},
    }
    shares = {s: {"devices": ["host", device], "split": s} for s in np.linspace(0, 1, 21).tolist()}
    expected = tg.jaccard(g, devices="host").values
    for options in (*ways.values(), {"devices": ["host", device], "split": 0.5}):
        assert np.array_equal(tg.jaccard(g, threads=1, **options).values, expected)
    times: dict[object, list[float]] = {}
    for turn in range(ROUNDS):
        for key, options in (*ways.items(), *(shares.items() if turn < 3 else ())):
            found = tg.jaccard(g, threads=1, **options)
            times.setdefault(key, []).append(found.seconds)
            if key == "auto":
                why = found.why.split(":")[0]
    median = {k: statistics.median(v) for k, v in times.items()}
    one = min(median["host"], median["device"])
    share = min(shares, key=lambda s: median[s])
    print(
        f"{name} ({g.m:,} edges, Gini {g.features.gini:.2f}): host {median['host'] * 1e3:.1f} ms, "
        f"device {median['device'] * 1e3:.1f}, both {median['both'] * 1e3:.1f} = "
        f"{one / median['both']:.2f}×, best of 21 shares {share:.2f} {median[share] * 1e3:.1f} ms, "
        f"auto ({why}) {median['auto'] * 1e3:.1f} = {median['auto'] / median[share]:.2f} of the best "
        f"share, {median['auto'] / one:.2f} of the better device", flush=True,
    )  # fmt: skip


MEMORY = """
import ctypes, sys, tachograph as tg
from tachograph.learning.split import undirected
def status(name):
    line = next(x for x in open("/proc/self/status") if x.startswith(name))
    return int(line.split()[1]) * 1024
g = undirected(sys.argv[1])
tg.jaccard(tg.kronecker(14, seed=3), devices="host")  # compiles, starts threads
ctypes.CDLL(None).malloc_trim(0)  # what was freed is not there to be used again unseen
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
r = tg.jaccard(g, devices="host")
peak = status("VmHWM") - before
results = r.source.nbytes + r.target.nbytes + r.values.nbytes
print(g.nbytes, results, peak)
"""


def memory(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    graph, results, peak = map(int, run.stdout.split())
    print(f"{name}: graph {graph / 1e6:.1f} MB, results {results / 1e6:.1f} MB, peak of the run beyond "
          f"the graph {peak / 1e6:.1f} MB: graph + results + "
          f"{(peak - results) / (graph + results):.1%}", flush=True)  # fmt: skip


TWO_HOP = """
import ctypes, sys, tachograph as tg
from tachograph.learning.split import undirected
def status(name):
    line = next(x for x in open("/proc/self/status") if x.startswith(name))
    return int(line.split()[1]) * 1024
g = undirected(sys.argv[1])
tg.jaccard(tg.kronecker(12, seed=3), "two_hop", topk=10)
ctypes.CDLL(None).malloc_trim(0)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
r = tg.jaccard(g, "two_hop", topk=10, memory_limit="200 MB")
peak = status("VmHWM") - before
import numpy as np
np.savez("two_hop.npz", source=r.source, target=r.target, values=r.values)
print(r.seconds, peak)
"""


def two_hop(name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        run = subprocess.run([sys.executable, "-c", TWO_HOP, name], check=True, capture_output=True,
                             text=True, cwd=directory)  # fmt: skip
        found = dict(np.load(Path(directory) / "two_hop.npz"))
    seconds, peak = run.stdout.split()
    g = undirected(name)
    rows = [set(g.neighbors(v).tolist()) for v in range(g.n)]
    checked = np.random.default_rng(2).choice(g.n, 30, replace=False)
    for u in checked.tolist():
        best = sorted(
            (-len(rows[u] & rows[v]) / len(rows[u] | rows[v]), v)
            for v in range(g.n) if v != u and rows[u] & rows[v]
        )[:10]  # fmt: skip
        at = found["source"] == u
        assert found["target"][at].tolist() == [v for _, v in best], u
        assert np.allclose(found["values"][at], [-x for x, _ in best])
    print(f"{name}: best 10 of each of {g.n:,} vertices in {float(seconds):.2f} s, peak beyond the "
          f"graph {int(peak) / 1e6:.0f} MB; {checked.size} vertices equal brute force")  # fmt: skip


def main() -> None:
    which = sys.argv[1] if len(sys.argv) > 1 else ""
    if which not in GRAPHS:
        sys.exit(__doc__)
    run = {"peers": peers, "devices": devices, "memory": memory, "two-hop": two_hop}[which]
    for name in sys.argv[2:] or GRAPHS[which]:
        run(name)


if __name__ == "__main__":
    main()
