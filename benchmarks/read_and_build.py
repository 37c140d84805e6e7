"""Reading, building and opening graphs, side by side with peers in one run.

    python benchmarks/read_and_build.py [--rounds 7]

Peers that are not installed are left out. For GAPBS set $GAPBS to the directory of its binaries: its
own "Build Time" for a graph of the same generator, scale and edge factor is taken. The text file is
web-NotreDame from $TACHOGRAPH_DATA (orig/web-NotreDame.txt.gz), else a generated one of that size.

All candidates of a table take turns, each round beginning with another one; a table shows the median,
the spread and the ratio of the medians to ours. Every result is checked for its number of vertices and
edges.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from harness import Table, in_turns, main, rounded

import tachograph as tg
from tachograph.kernels.runtime import random
from tachograph.util.cores import threads_available

SCALE, FACTOR = 20, 16
Candidates = dict[str, Callable[[], tuple[int, int] | float]]


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def text_file(directory: Path) -> tuple[str, Path, tg.Graph]:
    """The name, the path and the graph of a text of about 20 MB."""
    path = directory / "edges.txt"
    for place in os.environ.get("TACHOGRAPH_DATA", "").split(os.pathsep):
        original = Path(place) / "orig" / "web-NotreDame.txt.gz"
        if place and original.is_file():
            path.write_bytes(gzip.open(original).read())
            return "web-NotreDame", path, tg.read(path)
    tg.write(tg.kronecker(17, rng=1, directed=True), path)
    return "kronecker(17), web-NotreDame being absent", path, tg.read(path)


def readers(path: Path, graph: tg.Graph, directory: Path) -> Candidates:
    """Text to a graph in memory that algorithms can run on."""
    plain = directory / "plain.txt"  # igraph and NumPy know no comments
    ends = [a.tolist() for a in graph.to_edges()[:2]]
    plain.write_text("".join(f"{u} {v}\n" for u, v in zip(*ends, strict=True)))
    found: Candidates = {"tachograph": lambda: size(tg.read(path))}
    if has("networkit"):
        import networkit as nk

        def networkit() -> tuple[int, int]:
            g = nk.graphio.EdgeListReader("\t", 0, "#", True, True).read(str(path))
            return g.numberOfNodes(), g.numberOfEdges()

        found["NetworKit"] = networkit
    if has("igraph"):
        import igraph

        def with_igraph() -> tuple[int, int]:
            g = igraph.Graph.Read_Edgelist(str(plain), directed=True)
            return g.vcount(), g.ecount()

        found["igraph"] = with_igraph

    def with_scipy() -> tuple[int, int]:
        import scipy.sparse as sp

        u, v = np.loadtxt(plain, dtype=np.int32, unpack=True)
        matrix = sp.coo_array((np.ones(u.size, np.int8), (u, v)), shape=(graph.n, graph.n)).tocsr()
        return matrix.shape[0], int(matrix.data.sum(dtype=np.int64))

    found["NumPy loadtxt + SciPy"] = with_scipy
    return found


def matrix_readers(graph: tg.Graph, directory: Path) -> Candidates:
    """Matrix Market to a graph or matrix in memory."""
    path = directory / "matrix.mtx"
    tg.write(graph, path)

    def with_scipy() -> tuple[int, int]:
        from scipy.io import mmread

        matrix = mmread(path).tocsr()
        return matrix.shape[0], matrix.nnz

    return {"tachograph": lambda: size(tg.read(path)), "SciPy mmread": with_scipy}


def builders() -> Candidates:
    """An edge list in memory to rows; the undirected Kronecker graph of scale 20.

    Parallel edges are kept by some and combined by others, so only n is compared.
    """
    n = 1 << SCALE
    labels = random.permutation(1, "labels", n)
    source, target = random.kronecker(SCALE, n * FACTOR, (0.57, 0.19, 0.19), 1, labels)

    def ours() -> tuple[int, int]:
        return tg.Graph.from_edges(source, target, n=n, directed=False).n, 0

    def simple() -> tuple[int, int]:
        g = tg.Graph.from_edges(
            source, target, n=n, directed=False, dedupe="first", drop_self_loops=True
        )
        return g.n, 0

    def with_scipy() -> tuple[int, int]:
        import scipy.sparse as sp

        ends = np.concatenate([source, target]), np.concatenate([target, source])
        matrix = sp.coo_array((np.ones(2 * source.size, np.int8), ends), shape=(n, n)).tocsr()
        return matrix.shape[0], 0

    found: Candidates = {
        "tachograph": ours,
        "tachograph, simple and sorted": simple,
        "SciPy coo to csr": with_scipy,
    }
    if has("networkit"):
        import networkit as nk

        def networkit() -> tuple[int, int]:
            data = np.ones(source.size), (source.astype(np.uint64), target.astype(np.uint64))
            return nk.GraphFromCoo(data, n=n, directed=False).numberOfNodes(), 0

        found["NetworKit GraphFromCoo"] = networkit
    if binary := os.environ.get("GAPBS"):

        def gapbs() -> float:
            command = [str(Path(binary) / "bfs"), "-g", str(SCALE), "-k", str(FACTOR), "-n", "1"]
            own = {**os.environ, "OMP_NUM_THREADS": str(threads_available())}
            run = subprocess.run(command, check=True, capture_output=True, text=True, env=own)
            return float(re.search(r"Build Time:\s*([\d.]+)", run.stdout)[1])

        found["GAPBS (its Build Time)"] = gapbs
    return found


def openers(directory: Path) -> Candidates:
    """A .tgraph of about half a gigabyte."""
    path = directory / "large.tgraph"
    tg.write(tg.kronecker(SCALE + 1, FACTOR, rng=1, weights=True), path)
    return {f"tg.read, {path.stat().st_size / 1e6:.0f} MB": lambda: (tg.read(path).n, 0)}


def importing() -> Candidates:
    """``import tachograph`` in a new process, without the interpreter's own start."""
    code = "import time; t = time.perf_counter(); import tachograph; print(time.perf_counter() - t)"

    def once() -> float:
        run = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        return float(run.stdout)

    return {"import tachograph": once}


def size(graph: tg.Graph) -> tuple[int, int]:
    return graph.n, graph.m


def table(title: str, candidates: Candidates, rounds: int) -> Table:
    """Time all candidates; those that do not return their own seconds must return the same."""
    answers = set()

    def run(call: Callable[[], tuple[int, int] | float]) -> float | None:
        answer = call()
        if isinstance(answer, float):
            return answer
        answers.add(answer)
        return None

    times = in_turns({name: partial(run, call) for name, call in candidates.items()}, rounds)
    assert len(answers) <= 1, f"candidates disagree: {answers}"
    ours = statistics.median(times[next(iter(candidates))])
    rows = []
    for name, taken in times.items():
        longer = rounded([statistics.median(taken) / ours])[0]
        rows.append([name, rounded([1e3 * s for s in taken]), longer])
    return Table(title, ["", "ms", "times the first"], rows)


def measure(rounds: int = 7) -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        kind, path, graph = text_file(directory)
        what = f"{path.stat().st_size / 1e6:.1f} MB of text, {graph.m:,} edges"
        yield table(f"Read {kind} ({what})", readers(path, graph, directory), rounds)
        yield table("Read the same as Matrix Market", matrix_readers(graph, directory), rounds)
        title = f"Build Kronecker scale {SCALE}, edge factor {FACTOR}"
        yield table(title, builders(), rounds)
        yield table("Open a .tgraph", openers(directory), rounds)
        yield table("Import", importing(), rounds)


if __name__ == "__main__":
    main(measure)
