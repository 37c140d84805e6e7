"""What inferred parameters of accelerators do, and both designs on graphs that the paper lacks.

    python benchmarks/designs.py

Simulated, so the numbers are the same on every machine. Data sets that are not here are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness import Table, main, rounded

import tachograph as tg
from tachograph.papers.accelerators import COMPARED_MEMORY, COMPARED_PARTITION
from tachograph.papers.published import published

SLASHDOT = "soc-Slashdot0902"
CLOCKS_MHZ = (150.0, 200.0, 250.0)
SETTINGS: dict[str, dict[str, Any]] = {
    "one request in a cycle": {"inject": 1},
    "no stalls": {"stalls": False},
    "pipelines read 1 line ahead": {"vertex_pipeline_size": 1, "edge_pipeline_size": 1},
    "pipelines read 64 lines ahead": {"vertex_pipeline_size": 64, "edge_pipeline_size": 64},
}
OTHERS = ["soc-Epinions1", "email-Enron", "p2p-Gnutella31", "cit-HepPh", "dblp-2010"]
OTHERS += ["web-NotreDame", "cnr-2000", "delaunay_n16", "rome99", "luxembourg_osm"]


def simulated(task: str, graph: tg.Graph, design: object, **options: Any) -> Any:
    if task == "bfs":
        options["source"] = int(graph.degrees.argmax())
    else:
        options["along_arcs"] = task == "connected_components"
    return tg.simulate(task, graph, design, **options)


def parameters(graph: tg.Graph) -> Table:
    rows = []
    for task in ("bfs", "pagerank", "connected_components"):
        theirs = float(published("accelerators", "table-6").row(task, "slashdot")["simulation"])
        rates = [
            simulated(task, graph, tg.AccuGraph(clock_mhz=clock)).reps / 1e9 for clock in CLOCKS_MHZ
        ]
        usual = simulated(task, graph, tg.AccuGraph()).seconds
        with_them = [
            simulated(task, graph, tg.AccuGraph(**s)).seconds / usual for s in SETTINGS.values()
        ]
        off = [100 * (rate / theirs - 1) for rate in rates]
        rows.append([task, *rounded(off), *rounded([100 * (t - 1) for t in with_them])])
    columns = ["task", *(f"{c:.0f} MHz: rate to the paper's simulation, %" for c in CLOCKS_MHZ)]
    columns += [f"{name}: more time, %" for name in SETTINGS]
    return Table(f"Inferred parameters of AccuGraph, on {SLASHDOT}", columns, rows)


def comparison() -> Table:
    here = tg.datasets()
    graphs = {name: plain(tg.dataset(name)) for name in OTHERS if here[name].file is not None}
    rows = [compared(name, graph, COMPARED_PARTITION) for name, graph in graphs.items()]
    tiny = tg.kronecker(8, directed=True, simple=False, rng=1)
    rows.append(compared("R-MAT, 256 vertices in 3 partitions", tiny, -(-tiny.n // 3)))
    columns = ["graph", "HitGraph, ms", "AccuGraph, ms", "AccuGraph, times as fast"]
    return Table("connected_components on equal terms", columns, rows)


def plain(graph: tg.Graph) -> tg.Graph:
    """Drop weights, which AccuGraph does not read."""
    return tg.Graph.from_csr(graph.indptr, graph.indices, directed=graph.directed)


def compared(name: str, graph: tg.Graph, size: int) -> list[Any]:
    hit = tg.HitGraph(partition_size=size, pipelines=16, weighted=False)
    accu = tg.AccuGraph(partition_size=size)
    seconds = [
        simulated("connected_components", graph, design, memory=COMPARED_MEMORY).seconds
        for design in (hit, accu)
    ]
    return [name, *rounded([1e3 * s for s in seconds]), *rounded([seconds[0] / seconds[1]])]


def measure() -> Iterator[Table]:
    if tg.datasets()[SLASHDOT].file is not None:
        yield parameters(tg.dataset(SLASHDOT))
    yield comparison()


if __name__ == "__main__":
    main(measure)
