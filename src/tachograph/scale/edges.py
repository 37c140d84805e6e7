"""Edges from Parquet files, batch by batch, and their way to the parts that own them.

First all batches are read to count the arcs of each vertex, which decides where the graph is cut; then
again, and every arc is appended to a file of its part. Neither needs more memory than a batch and,
mapped from files, two counters for each vertex.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..graph.columns import Columns, edge_table
from ..graph.foreign import as_ids, as_weights
from ..kernels.pieces.rows import count_ids
from ..kernels.rows import build as csr
from ..kernels.rows import passes as rows
from ..kernels.runtime.launch import over_parts, read_only, run
from ..util import memory
from ..util.errors import FileFormatError, InputError, MissingFileError, TachographError
from ..util.files import arrow_file, is_file
from ..util.packed import require_pages
from .manifest import reserve
from .piece import CHUNK_ARCS, Arcs

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

__all__ = ["Counted", "EdgeFiles", "Spill"]

BATCH_EDGES = 1 << 17  # read at a time
BUFFER_BYTES = 1 << 20  # of a file read at a time, however large its row groups are
BYTES_FOR_A_VERTEX = 16  # of a part, at the least
GROW_VERTICES = 1 << 20  # the least number that counters are made for at a time


class EdgeFiles:
    """Parquet files that together list the edges of a graph."""

    def __init__(self, paths: Sequence[Path], directed: bool | None) -> None:
        if not paths:
            raise InputError("there are no files to partition")
        for path in paths:
            if not is_file(path):
                raise MissingFileError(f"{path}: there is no such file")
        self.paths = list(paths)
        said = [self._says(path) for path in self.paths]
        self._vertices = [n for _, n in said]
        directions = {d for d, _ in said if d is not None}
        if directed is None and len(directions) > 1:
            raise InputError("some files say directed, others undirected: give directed=...")
        self.directed: bool = directed if directed is not None else directions != {False}
        self.n: int | None = max((n for _, n in said if n is not None), default=None)

    def _says(self, path: Path) -> tuple[bool | None, int | None]:
        """Whether edges are directed and how many vertices there are, if the file says so."""
        import pyarrow as pa

        with _errors(path):
            file = _open(path)
            # what the file itself says, as read() sees it: Arrow keeps another copy in its schema
            schema = file.schema_arrow.with_metadata(file.metadata.metadata)
            # neither schema.empty_table() nor arrays from lists: they would import pandas, 50 MB
            empty = [pa.nulls(0, field.type) for field in schema]
            table = pa.Table.from_arrays(empty, schema=schema)
            found = edge_table(table, Columns())
            if found.named:
                raise InputError("holds names, not ids: number them with tacho convert --relabel")
            return found.directed, found.n

    def batches(self) -> Iterator[Arcs]:
        """Source, target and weight of the next edges."""
        import pyarrow as pa

        for path, n in zip(self.paths, self._vertices, strict=True):
            with _errors(path):
                file = _open(path)
                require_pages(path, file.schema_arrow.names)
                left = file.metadata.num_rows
                for batch in file.iter_batches(BATCH_EDGES):
                    left -= batch.num_rows
                    found = edge_table(pa.Table.from_batches([batch]), Columns())
                    source, target = as_ids(found.source, "source"), as_ids(found.target, "target")
                    for what, ids in (("source", source), ("target", target)):
                        if ids.size and int(ids.min()) < 0:
                            raise InputError(f"a {what} is {ids.min()}: ids cannot be negative")
                        if ids.size and n is not None and int(ids.max()) >= n:
                            raise InputError(f"a {what} is {ids.max()}, but it says {n:,} vertices")
                    # one type for both, int32 or int64: loops are compiled for these
                    kind = np.int32 if source.dtype == target.dtype == np.int32 else np.int64
                    ends = source.astype(kind, copy=False), target.astype(kind, copy=False)
                    yield *ends, as_weights(found.weight, source.size)
                if left:  # Arrow takes the first column's end for that of all
                    raise InputError(f"{abs(left):,} rows are missing, or too many: it is damaged")
        pa.default_memory_pool().release_unused()  # what comes next needs it


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong with a file into an error that names it."""
    try:
        yield
    except FileFormatError:
        raise
    except TachographError as error:
        raise FileFormatError(path, str(error)) from None
    except Exception as error:  # damaged files make Arrow raise all kinds
        raise FileFormatError(path, str(error).split("\n")[0]) from None


def _open(path: Path) -> ParquetFile:
    from pyarrow import parquet

    return parquet.ParquetFile(arrow_file(path), pre_buffer=False, buffer_size=BUFFER_BYTES)


class Counted:
    """What one pass over all edges tells: counts for each vertex, and the range of the weights."""

    def __init__(
        self, files: EdgeFiles, directory: Path, parts: int, progress: Callable[[float], None]
    ) -> None:
        self.n, self.edges = files.n or 0, 0
        _require(self.n, parts)
        self.weights: np.dtype[np.generic] | None = None
        total, lightest, heaviest = 0.0, np.inf, -np.inf
        balance = 0
        self._out = _Counter(directory / "out.count", self.n)
        self._in = _Counter(directory / "in.count", self.n)
        for source, target, weight in files.batches():
            if source.size and (most := 1 + int(max(source.max(), target.max()))) > self.n:
                _require(most, parts)
                self.n = most
            ends = read_only(np.ascontiguousarray(source)), read_only(np.ascontiguousarray(target))
            self._out.add(*ends, True, self.n)
            self._in.add(*ends[::-1], files.directed, self.n)  # an undirected loop is one arc
            if self.edges and (weight is None) != (self.weights is None):
                raise InputError("some files have weights, others have none")
            if weight is not None:
                kinds = [weight.dtype] if self.weights is None else [self.weights, weight.dtype]
                self.weights = np.result_type(*kinds)
                total += float(weight.sum(dtype=np.float64))
                if weight.size:
                    lightest = min(lightest, float(weight.min()))
                    heaviest = max(heaviest, float(weight.max()))
            if not files.directed and source.size:
                bits = csr.as_bits(weight)
                found = over_parts(rows.asymmetry_of_edges, source.size, *ends, *bits)
                balance += sum(int(p) for p in found)
            self.edges += source.size
            progress(source.size)
        #: Whether an undirected graph's edges are listed in both directions.
        self.both: bool = not files.directed and balance % 2**64 == 0
        self.directed: bool = files.directed
        self.range: tuple[float, float, float] = (1.0, 1.0, 1.0)
        if self.weights is not None and self.edges:
            self.range = (lightest, total / max(self.edges, 1), heaviest)

    @property
    def degrees(self) -> list[np.ndarray]:
        """Arcs out of each vertex, and, if directed, into it."""
        out, into = self._out.upto(self.n), self._in.upto(self.n)
        if self.directed:
            return [out, into]
        if not self.both:
            out += into
            into[:] = 0  # so that asking again gives the same
        return [out]


def _require(n: int, parts: int) -> None:
    """Refuse ids that no part has room for, before files are made for them."""
    what, advice = (
        f"each of {parts:,} parts of {n:,} vertices",
        "are ids so large? Else take more parts",
    )
    memory.require(BYTES_FOR_A_VERTEX * n // parts, what, advice)


class _Counter:
    """Counts by id in a file that grows with the ids."""

    def __init__(self, path: Path, n: int) -> None:
        self.path, self.counts = path, np.empty(0, np.int64)
        if n:
            self._grow(n)

    def _grow(self, n: int) -> None:
        reserve(self.path, 8 * n)
        self.counts = np.memmap(self.path, np.int64, "r+", shape=(n,))

    def add(self, ids: np.ndarray, others: np.ndarray, loops: bool, n: int) -> None:
        # a plain view: kernels need no variant for arrays that are mapped from files
        run(count_ids, [(ids, others, loops, np.asarray(self.upto(n)))], brief=True)

    def upto(self, n: int) -> np.ndarray:
        if n > self.counts.size:
            self._grow(max(n, 2 * self.counts.size, GROW_VERTICES))
        return self.counts[:n]


class Spill:
    """The arcs of each part, in files, until the part is built."""

    def __init__(
        self, directory: Path, cuts: np.ndarray, ids: npt.DTypeLike, weights: npt.DTypeLike | None
    ) -> None:
        self.directory = directory
        self.cuts = cuts
        fields: list[tuple[str, npt.DTypeLike]] = [("source", ids), ("target", ids)]
        self.kind = np.dtype(fields + ([("weight", weights)] if weights is not None else []))

    def _path(self, name: str, part: int) -> Path:
        return self.directory / f"{name}-{part:04d}.spill"

    def add(
        self, name: str, source: np.ndarray, target: np.ndarray, weight: np.ndarray | None
    ) -> None:
        """Append arcs to the files of the parts that own their sources."""
        part = np.searchsorted(self.cuts, source, "right") - 1
        # numbers of two bytes are sorted in time that grows with their count only
        short = part.astype(np.uint16) if self.cuts.size < 1 << 16 else part
        order = np.argsort(short, kind="stable")
        arcs = np.empty(source.size, self.kind)
        arcs["source"], arcs["target"] = source[order], target[order]
        if weight is not None:
            arcs["weight"] = weight[order]
        ends = np.cumsum(np.bincount(part, minlength=self.cuts.size - 1)).tolist()
        for p, (begin, end) in enumerate(itertools.pairwise([0, *ends])):
            if begin < end:
                with self._path(name, p).open("ab") as file:
                    file.write(arcs[begin:end].data)

    def chunks(self, name: str, part: int) -> Iterator[Arcs]:
        """The arcs of a part, some at a time; at least one chunk, which tells the types."""
        path = self._path(name, part)
        path.touch()
        weighted = "weight" in (self.kind.names or ())
        with path.open("rb") as file:
            while True:
                arcs = np.fromfile(file, self.kind, CHUNK_ARCS)
                weight = arcs["weight"].copy() if weighted else None
                yield arcs["source"].copy(), arcs["target"].copy(), weight
                if arcs.size < CHUNK_ARCS:
                    return

    def forget(self, part: int) -> None:
        """Remove the files of a part that was built."""
        for path in self.directory.glob(f"*-{part:04d}.spill"):
            path.unlink()
