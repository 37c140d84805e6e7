"""Similarity of all pairs with a common neighbour: counted first, computed in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..graph.graph import Graph
from ..kernels.runtime.launch import clock, threads_available
from ..kernels.runtime.nouns import WeightedRows
from ..kernels.runtime.team import run_team
from ..kernels.similarity import two_hop as kernels
from ..kernels.similarity.edges import Edges
from ..kernels.similarity.pairs import weighted_sizes
from ..util.memory import human
from .result import Run, Trace
from .similarity import RESULTS, SimilarityResult

if TYPE_CHECKING:
    from .similarity_request import Request

__all__ = ["two_hop"]

COPIES_TO_WRITE = 3  # of a block, that writing it as Parquet takes
UNLIMITED_BLOCK_PAIRS = 1 << 22  # of a block if there is no limit
SERIAL_BELOW_SIZE = 1 << 12  # vertices and arcs; with fewer, one worker is faster than several


def two_hop(request: Request) -> SimilarityResult:
    """Find the pairs, or the best of each vertex, as arrays or in a file."""
    from .similarity_request import host_result

    search = _Search(request)
    begin = clock()
    if request.topk is not None:
        found = search.best(request.topk)
        return host_result(request.task, *found, clock() - begin)
    if request.output is None:
        shared = int(search.graph.transpose.degrees.max(initial=0))
        least = shared * (shared - 1) // 2  # all that share one neighbour are pairs
        search.require(least, f"the similarity of at least {least:,} pairs")
    counts = search.count()
    if request.output is not None:
        return search.to_file(counts, Path(request.output), begin)
    total = int(counts.sum())
    streamed = search.fixed + COPIES_TO_WRITE * search.pair * int(counts.max(initial=1))
    what = f"the similarity of {total:,} pairs with a common neighbour"
    search.require(total, what, f", which needs {human(streamed)}")
    found = search.fill(0, search.graph.n, counts)
    return host_result(request.task, *found, clock() - begin)


def _weighted(graph: Graph, weighted: bool) -> WeightedRows:
    """Return the rows with weights of doubles, or with none."""
    weights = graph.weights if weighted else None
    return WeightedRows(*graph.rows, np.array([] if weights is None else weights, np.float64))


class _Search:
    """The graph, its transpose and weights as kernels take them, and how many workers fit."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.graph = g = request.graph
        compared = request.compared
        self.rows = _weighted(compared, request.weighted)
        self.back = _weighted(compared.transpose, request.weighted)
        sizes = g.degrees.astype(np.float64)
        if request.weighted:
            sizes = weighted_sizes(g.indptr, self.rows.weights, request.kind)
        self.measure = kernels.Measure(request.kind, sizes)
        ids = g.indices.itemsize
        self.pair = 2 * ids + 8  # bytes
        self.brief = g.n + g.arcs < SERIAL_BELOW_SIZE
        weights = self.rows.weights.nbytes + self.back.weights.nbytes
        self.each = g.n * (8 + ids)  # bytes of a worker
        self.own = weights + sizes.nbytes + 16 * g.n
        self.fixed = self.own + self.each  # bytes that are needed in any case

    def require(self, pairs: int, what: str, more: str = "") -> None:
        """Refuse arrays of so many pairs if they do not fit."""
        size = self.fixed + pairs * self.pair
        self.request.require(size, what, f"topk, or output='pairs.parquet'{more}")

    def workers(self, rest: int) -> int:
        """Return how many workers fit into the limit beside ``rest`` bytes."""
        workers = 1 if self.brief else threads_available()
        if self.request.limit is None:
            return workers
        return max(1, min(workers, (self.request.limit - self.own - rest) // max(1, self.each)))

    def best(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the ``k`` best partners of every vertex."""
        g, n = self.graph, self.graph.n
        k = min(k, max(1, n - 1))
        size = n * k * (g.indices.itemsize + 8) + n * k * self.pair
        self.request.require(
            self.fixed + size, f"the best {k} of each vertex", "ask for a smaller topk"
        )
        targets = np.empty(n * k, g.indices.dtype)
        values = np.empty(n * k)
        held = np.zeros(n, np.int64)
        found = kernels.Best(targets, values, held)
        given = (self.rows, self.back, self.measure, k, found)
        run_team(kernels.best, self.workers(size), *given, brief=self.brief)
        kept = np.arange(n * k) % k < np.repeat(held, k)
        source = np.repeat(np.arange(n, dtype=g.indices.dtype), held)
        return source, targets[kept], values[kept]

    def count(self) -> np.ndarray:
        """Count the pairs of every vertex with higher ones."""
        n = self.graph.n
        self.request.require(self.fixed, "counting the pairs", "there is nothing smaller")
        found = np.zeros(n, np.int64)
        workers = self.workers(0)
        seen = np.full(workers * n, -1, self.graph.indices.dtype)
        given = (0, n, self.rows, self.back, seen, found)
        run_team(kernels.count, workers, *given, brief=self.brief)
        return found

    def fill(
        self, lo: int, hi: int, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the pairs of the rows ``lo:hi``."""
        ends = np.cumsum(counts[lo:hi])
        total = int(ends[-1]) if ends.size else 0
        ids = self.graph.indices.dtype
        made = Edges(np.empty(total, ids), np.empty(total, ids), np.empty(total))
        given = (lo, hi, self.rows, self.back, self.measure, ends - counts[lo:hi], made)
        run_team(kernels.fill, self.workers(total * self.pair), *given, brief=self.brief)
        return made

    def to_file(self, counts: np.ndarray, path: Path, begin: float) -> SimilarityResult:
        """Write the pairs, block by block; the file appears when all are in it."""
        import pyarrow as pa
        from pyarrow import parquet

        from ..util.files import arrow_file, aside

        names = self.request.names
        blocks: list[tuple[float, float, int]] = []
        writer = None
        with aside(path) as temporary, arrow_file(temporary, "wb") as file:
            for lo, hi in self._blocks(counts):
                start = clock()
                source, target, values = self.fill(lo, hi, counts)
                columns = {"source": source, "target": target}
                if names is not None:
                    columns = {k: names[v] for k, v in columns.items()}
                table = pa.table({k: pa.array(v) for k, v in {**columns, "values": values}.items()})
                if writer is None:
                    writer = parquet.ParquetWriter(file, table.schema)
                writer.write_table(table)
                blocks.append((start - begin, clock() - start, values.size))
            assert writer is not None
            writer.close()
        begins, seconds, sizes = zip(*blocks, strict=True)
        trace = {"begin": begins, "seconds": seconds, "edges": sizes}
        run = Run(clock() - begin, Trace({"phase": ["host"] * len(blocks), **trace}))
        none = np.empty(0, self.graph.indices.dtype)
        kind, count, name = RESULTS[self.request.task], int(counts.sum()), str(path)
        return kind(source=none, target=none, values=np.empty(0), count=count, output=name, run=run)

    def _blocks(self, counts: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield runs of rows, at least one each, whose pairs fit into the limit."""
        limit = self.request.limit
        most = int(counts.max(initial=1))
        room = UNLIMITED_BLOCK_PAIRS
        if limit is not None:
            least = self.fixed + COPIES_TO_WRITE * self.pair * most
            self.request.require(least, "the pairs of one vertex", "there is nothing smaller")
            room = (limit - self.fixed) // (COPIES_TO_WRITE * self.pair)  # for one worker
        upto = np.cumsum(counts)
        lo, n = 0, self.graph.n
        while lo < n or lo == 0:
            before = int(upto[lo - 1]) if lo else 0
            hi = max(lo + 1, int(np.searchsorted(upto, before + max(room, most), "right")))
            yield lo, min(hi, n)
            lo = hi
