"""Similarity of edges beside peers, by one device and two, its memory, and two-hop pairs.

    python benchmarks/similarity.py peers|devices|memory|two-hop [GRAPH ...] [--record]

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
from typing import Any

import numpy as np
from record import rounded, show

import tachograph as tg
from tachograph.decisions.split.train import undirected
from tachograph.papers.reproduce import Table

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


def peers(name: str) -> list[Any]:
    import igraph
    import networkit as nk
    import networkx as nx

    from tachograph.kernels.runtime.launch import threads_available

    g = undirected(name)
    found = tg.jaccard(g, device="host")
    source, target = found.source, found.target
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

    expected = found.values[some]
    assert np.allclose(small.similarity_jaccard(pairs=pairs, loops=False), expected)
    assert np.allclose([v for *_, v in nx.jaccard_coefficient(plain, pairs)], expected)
    both = (g.degrees[source] + g.degrees[target]) * found.values / (1 + found.values)
    assert np.array_equal(np.sort(by_triangles()), np.sort(np.round(both)))
    told = {(u, v): x for (u, v), x in index.runOn(pairs)}
    assert np.allclose([told[min(p), max(p)] if (min(p), max(p)) in told else told[max(p), min(p)]
                        for p in pairs], expected)  # fmt: skip
    slow = {
        "~ NetworKit, pairs": lambda: index.runOn(pairs),
        "~ igraph": lambda: small.similarity_jaccard(pairs=pairs, loops=False),
        "~ NetworkX": lambda: list(nx.jaccard_coefficient(plain, pairs)),
    }
    times: dict[str, list[float]] = {}
    for _ in range(3):
        for _ in range(3):
            times.setdefault("tachograph", []).append(tg.jaccard(g, device="host").seconds)
        times.setdefault("NetworKit, triangles", []).append(timed(by_triangles))
        for who, call in slow.items():
            times.setdefault(who, []).append(timed(call) / part)
    ours = times.pop("tachograph")
    mine = statistics.median(ours)
    ratios = [rounded([t / mine for t in taken]) for taken in times.values()]
    return [name, int(g.m), rounded([1e3 * t for t in ours]), *ratios]


def devices(name: str) -> list[Any]:
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
    expected = tg.jaccard(g, device="host").values
    for options in (*ways.values(), {"devices": ["host", device], "split": 0.5}):
        assert np.array_equal(tg.jaccard(g, threads=1, **options).values, expected)
    times: dict[object, list[float]] = {}
    for turn in range(ROUNDS):
        for key, options in (*ways.items(), *(shares.items() if turn < 3 else ())):
            found = tg.jaccard(g, threads=1, **options)
            times.setdefault(key, []).append(found.seconds)
    median = {k: statistics.median(v) for k, v in times.items()}
    one = min(median["host"], median["device"])
    share = min(shares, key=lambda s: median[s])
    ms = [1e3 * median[key] for key in ("host", "device", "both")]
    gains = [one / median["both"], median["auto"] / median[share], median["auto"] / one]
    return [name, *rounded([g.features.gini, *ms, *gains])]


MEMORY = """
import ctypes, sys, tachograph as tg
from tachograph.decisions.split.train import undirected
def status(name):
    line = next(x for x in open("/proc/self/status") if x.startswith(name))
    return int(line.split()[1]) * 1024
g = undirected(sys.argv[1])
tg.jaccard(tg.kronecker(14, rng=3), device="host")  # compiles, starts threads
ctypes.CDLL(None).malloc_trim(0)  # what was freed is not there to be used again unseen
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
r = tg.jaccard(g, device="host")
peak = status("VmHWM") - before
results = r.source.nbytes + r.target.nbytes + r.values.nbytes
print(g.nbytes, results, peak)
"""


def memory(name: str) -> list[Any]:
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    graph, results, peak = map(int, run.stdout.split())
    beyond = 100 * (peak - results) / (graph + results)
    return [name, *rounded([graph / 1e6, results / 1e6, peak / 1e6, beyond])]


TWO_HOP = """
import ctypes, sys, tachograph as tg
from tachograph.decisions.split.train import undirected
def status(name):
    line = next(x for x in open("/proc/self/status") if x.startswith(name))
    return int(line.split()[1]) * 1024
g = undirected(sys.argv[1])
tg.jaccard(tg.kronecker(12, rng=3), "two_hop", topk=10)
ctypes.CDLL(None).malloc_trim(0)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
r = tg.jaccard(g, "two_hop", topk=10, memory_limit="200 MB")
peak = status("VmHWM") - before
import numpy as np
np.savez("two_hop.npz", source=r.source, target=r.target, values=r.values)
print(r.seconds, peak)
"""


def two_hop(name: str) -> list[Any]:
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
    return [name, g.n, *rounded([float(seconds), int(peak) / 1e6]), int(checked.size)]


TABLES = {
    "peers": (peers, "Edge Jaccard on the host: a peer's time over ours", [
        "graph", "edges", "tachograph, ms", "NetworKit, triangles only", "~ NetworKit, pairs",
        "~ igraph", "~ NetworkX"]),
    "devices": (devices, "Edge Jaccard on host and device, a core each", [
        "graph", "Gini", "host, ms", "device, ms", "both, ms", "times as fast as the better one",
        "auto over the best of 21 shares, time", "auto over the better one, time"]),
    "memory": (memory, "Memory of edge Jaccard", [
        "graph", "graph, MB", "results, MB", "peak beyond the graph, MB", "beyond both, %"]),
    "two-hop": (two_hop, "The ten most similar of all vertices two hops away", [
        "graph", "vertices", "s", "peak beyond the graph, MB", "vertices equal to brute force"]),
}  # fmt: skip


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--record"]
    if not words or words[0] not in TABLES:
        sys.exit(__doc__)
    measure, title, columns = TABLES[words[0]]
    rows = [measure(name) for name in words[1:] or GRAPHS[words[0]]]
    notes = ["~ scaled up from a sample of the edges"] if words[0] == "peers" else []
    table = Table(title, columns, rows, notes)
    show(f"similarity-{words[0]}", [table], "--record" in sys.argv)


if __name__ == "__main__":
    main()
