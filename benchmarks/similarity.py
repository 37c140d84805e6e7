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
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import Table, in_turns, main, rounded, seconds

import tachograph as tg
from tachograph.decisions.split.train import undirected

SAMPLE = 20_000  # edges for slow peers
ROUNDS, SHARE_ROUNDS = 9, 3  # of ways; of fixed shares
FEW_GRAPHS = ["kronecker 18 16", "dblp-2010", "cnr-2000", "soc-Slashdot0902"]
DEVICE_GRAPHS = ["kronecker 17 16", "kronecker 18 8", "uniform 150000 16", "road 1100 1100"]
DEVICE_GRAPHS += ["power_law 250000 2.4 5", "small_world 250000 6 0.1", "cnr-2000"]
DEVICE_GRAPHS += ["USA-road-topology.BAY"]


def peers(name: str) -> list[Any]:
    import igraph
    import networkit as nk
    import networkx as nx

    from tachograph.util.cores import threads_available

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
    either = [told.get((min(p), max(p)), told.get((max(p), min(p)))) for p in pairs]
    assert np.allclose(either, expected)
    slow = {
        "~ NetworKit, pairs": partial(index.runOn, pairs),
        "~ igraph": partial(small.similarity_jaccard, pairs=pairs, loops=False),
        "~ NetworkX": lambda: list(nx.jaccard_coefficient(plain, pairs)),
    }
    ours = partial(tg.jaccard, g, device="host")
    ways = {"ours": ours, "again": ours, "NetworKit, triangles": by_triangles}
    ways |= {who: lambda call=call: seconds(call) / part for who, call in slow.items()}
    times = in_turns(ways, 3)
    own = times.pop("ours") + times.pop("again")
    ratios = [rounded([t / statistics.median(own) for t in taken]) for taken in times.values()]
    return [name, int(g.m), rounded([1e3 * t for t in own]), *ratios]


def devices(name: str) -> list[Any]:
    from tachograph.devices.opencl import open_device

    device = open_device(threads=1)
    g = undirected(name)
    run = partial(tg.jaccard, g, threads=1)
    both = ["host", device]
    ways = {"host": partial(run, device="host"), "device": partial(run, device=[device])}
    ways |= {"both": partial(run, device=both), "auto": partial(run, device="auto")}
    shares = {s: partial(run, device=both, split=s) for s in np.linspace(0, 1, 21).tolist()}
    expected = tg.jaccard(g, device="host").values
    for way in (*ways.values(), shares[0.5]):
        assert np.array_equal(way().values, expected)
    times = in_turns({**ways, **shares}, SHARE_ROUNDS)
    for way, more in in_turns(ways, ROUNDS - SHARE_ROUNDS).items():
        times[way] += more
    median = {k: statistics.median(v) for k, v in times.items()}
    one = min(median["host"], median["device"])
    share = min(shares, key=lambda s: median[s])
    ms = [1e3 * median[key] for key in ("host", "device", "both")]
    gains = [one / median["both"], median["auto"] / median[share], median["auto"] / one]
    return [name, *rounded([g.features.gini, *ms, *gains])]


#: A program that measures the peak of one call in a process of its own.
PROBE = """
import ctypes, sys, numpy as np, tachograph as tg
from tachograph.decisions.split.train import undirected
def status(name):
    line = next(x for x in open("/proc/self/status") if x.startswith(name))
    return int(line.split()[1]) * 1024
g = undirected(sys.argv[1])
def run(g): return {call}
run(tg.kronecker(14, rng=3))  # compiles, starts threads
ctypes.CDLL(None).malloc_trim(0)  # what was freed is not there to be used again unseen
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
r = run(g)
peak = status("VmHWM") - before
arrays = {"source": r.source, "target": r.target, "values": r.values}
results = sum(a.nbytes for a in arrays.values())
np.savez("found.npz", **arrays, peak=peak, seconds=r.seconds, graph=g.nbytes, results=results)
"""


def probe(name: str, call: str) -> dict[str, np.ndarray]:
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-c", PROBE.replace("{call}", call), name]
        subprocess.run(command, check=True, capture_output=True, cwd=directory)
        return dict(np.load(Path(directory) / "found.npz"))


def memory(name: str) -> list[Any]:
    found = probe(name, 'tg.jaccard(g, device="host")')
    graph, results, peak = (int(found[key]) for key in ("graph", "results", "peak"))
    beyond = 100 * (peak - results) / (graph + results)
    return [name, *rounded([graph / 1e6, results / 1e6, peak / 1e6, beyond])]


def two_hop(name: str) -> list[Any]:
    found = probe(name, 'tg.jaccard(g, "two_hop", topk=10, memory_limit="200 MB")')
    g = undirected(name)
    rows = [set(g.neighbors(v).tolist()) for v in range(g.n)]
    checked = np.random.default_rng(2).choice(g.n, 30, replace=False)
    for u in checked.tolist():
        near = (v for v in range(g.n) if v != u and rows[u] & rows[v])
        best = sorted((-len(rows[u] & rows[v]) / len(rows[u] | rows[v]), v) for v in near)[:10]
        at = found["source"] == u
        assert found["target"][at].tolist() == [v for _, v in best], u
        assert np.allclose(found["values"][at], [-x for x, _ in best])
    taken = rounded([float(found["seconds"]), int(found["peak"]) / 1e6])
    return [name, g.n, *taken, int(checked.size)]


OVER = ["times as fast as the better one", "auto over the best of 21 shares, time"]
OVER += ["auto over the better one, time"]
SAMPLED = ["~ NetworKit, pairs", "~ igraph", "~ NetworkX"]
#: How a graph is measured, on which graphs, the title, and the columns after the graph's name.
TABLES = {
    "peers": (
        peers,
        FEW_GRAPHS,
        "Edge Jaccard on the host: a peer's time over ours",
        ["edges", "tachograph, ms", "NetworKit, triangles only", *SAMPLED],
    ),
    "devices": (
        devices,
        DEVICE_GRAPHS,
        "Edge Jaccard on host and device, a core each",
        ["Gini", "host, ms", "device, ms", "both, ms", *OVER],
    ),
    "memory": (
        memory,
        FEW_GRAPHS,
        "Memory of edge Jaccard",
        ["graph, MB", "results, MB", "peak beyond the graph, MB", "beyond both, %"],
    ),
    "two-hop": (
        two_hop,
        FEW_GRAPHS[-1:],
        "The ten most similar of all vertices two hops away",
        ["vertices", "s", "peak beyond the graph, MB", "vertices equal to brute force"],
    ),
}


def measure(kind: str, *graphs: str) -> Iterator[Table]:
    one, usual, title, columns = TABLES[kind]
    rows = [one(name) for name in graphs or usual]
    notes = ["~ scaled up from a sample of the edges"] if kind == "peers" else []
    yield Table(title, ["graph", *columns], rows, notes)


if __name__ == "__main__":
    main(measure, TABLES)
