"""Cut a graph into parts that lie in a directory, so that a machine needs to hold only some of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..graph.build import index_type
from ..graph.convert import as_graph
from ..graph.files import read, tgraph
from ..graph.graph import Graph
from ..util.arguments import checked, single
from ..util.errors import InputError
from ..util.files import aside, directory_aside, is_directory, is_there
from ..util.progress import bar
from .building import Chunks, make_piece
from .edges import Counted, EdgeFiles, Spill
from .manifest import File, Partition, digest
from .piece import CHUNK_ARCS, Arcs, names_of

__all__ = ["cut", "partition"]

Files: TypeAlias = str | os.PathLike[str]
#: Edges, whether they are directed, the type of weights, and their least, mean and largest value.
About: TypeAlias = tuple[int, bool, str | None, float, float, float]
CHUNK_VERTICES = 1 << 20  # summed at a time
MOST_PARTS = 1 << 16  # each is a file or two
PARQUET = (".parquet", ".pq")


@checked
def partition(
    graph: Graph | Files | Sequence[Files],
    *,
    parts: int,
    directory: Files,
    directed: bool | None = None,
) -> Partition:
    """Cut a graph into parts of consecutive vertices and about equally many arcs.

    Parameters
    ----------
    graph
        A graph, or a file of any format, which has to fit into memory; or one or several Parquet files
        of edges, which are read batch by batch and need not.
    parts
        How many. One part at a time has to fit into a worker's memory: about 5 bytes for each of its
        arcs (more with weights), and 50 for each vertex that it knows.
    directory
        Where the parts go; must not exist yet. Workers of a cluster have to see it, too. It appears
        whole at the end, or not at all.
    directed
        Whether edges lead one way. Default: what the graph or the files say, else True.

    Returns
    -------
    Partition
        What there is; all algorithms of ``tachograph.scale`` take this, or the directory.

    Raises
    ------
    InputError
        For a number of parts below one, a directory that exists or cannot be written.
    MissingFileError, FileFormatError
        For files that cannot be read as edges.

    Examples
    --------
    >>> import tachograph as tg
    >>> made = tg.scale.partition(tg.path(1000), parts=4, directory="path")
    >>> made.m, made.parts
    (999, 4)
    """
    final = Path(single("directory", directory, "str | os.PathLike[str]"))
    if not 1 <= parts <= MOST_PARTS:
        raise InputError(f"parts = {parts}: at least one is needed, at most {MOST_PARTS:,}")
    if is_there(final) and (not is_directory(final) or any(final.iterdir())):
        raise InputError(f"{final} exists already: remove it, or choose another directory")
    with directory_aside(final) as work:
        made = _partition(graph, parts, work, directed)
        made.write()
    return replace(made, directory=final)


def _partition(
    graph: Graph | Files | Sequence[Files], parts: int, work: Path, directed: bool | None
) -> Partition:
    if isinstance(graph, Graph):
        return _of_graph(graph, parts, work, directed)
    names = [graph] if isinstance(graph, str | os.PathLike) else graph
    if not isinstance(names, list | tuple) or not all(
        isinstance(p, str | os.PathLike) for p in names
    ):
        return _of_graph(as_graph(graph, "partition"), parts, work, directed)
    paths = [Path(p) for p in names]
    if all(path.suffix.lower() in PARQUET for path in paths):
        return _of_files(EdgeFiles(paths, directed), parts, work)
    if len(paths) > 1:
        raise InputError("several files have to be Parquet files of edges")
    return _of_graph(read(paths[0], directed=directed), parts, work, None)


def cut(work: Sequence[np.ndarray], n: int, parts: int) -> np.ndarray:
    """Where to cut ``n`` vertices so that parts have about the same sum of all ``work`` arrays."""
    total = sum(int(w.sum(dtype=np.int64)) for w in work) + n
    wanted = [total * p // parts for p in range(1, parts)]
    cuts = [0]
    done = 0
    for at in range(0, n, CHUNK_VERTICES):
        sums = np.cumsum(sum(w[at : at + CHUNK_VERTICES] for w in work) + 1) + done
        while len(cuts) < parts and wanted[len(cuts) - 1] <= sums[-1]:
            cuts.append(at + int(np.searchsorted(sums, wanted[len(cuts) - 1])) + 1)
        done = int(sums[-1])
    return np.array([*cuts, *[n] * (parts + 1 - len(cuts))], np.int64)


def _of_graph(graph: Graph, parts: int, work: Path, directed: bool | None) -> Partition:
    if directed is not None and directed != graph.directed:
        raise InputError("directed is for files: the graph knows whether it is")
    rows = [graph, graph.transpose] if graph.directed else [graph]
    degrees = [g.degrees for g in rows]
    cuts = cut(degrees, graph.n, parts)

    def arcs(part: int) -> list[Chunks]:
        ends = int(cuts[part]), int(cuts[part + 1])
        return [partial(_chunks, *side, *ends) for side in zip(rows, degrees, strict=True)]

    known = graph.features.weights or {"min": 1.0, "mean": 1.0, "max": 1.0}
    low, mean, high = (float(known[name]) for name in ("min", "mean", "max"))
    kind = None if graph.weights is None else graph.weights.dtype.name
    about = (graph.m, graph.directed, kind, low, mean, high)
    with bar("partitioning", parts) as shown:
        return _write(work, cuts, about, arcs, degrees, shown.advance)


def _chunks(rows: Graph, degree: np.ndarray, first: int, last: int) -> Iterator[Arcs]:
    """The arcs of rows ``first:last``, some rows together; at least one chunk: it tells the types."""
    indptr = rows.indptr
    while True:
        upto = int(np.searchsorted(indptr, indptr[first] + CHUNK_ARCS, "right")) - 1
        upto = min(max(upto, first + 1), last)
        here = slice(int(indptr[first]), int(indptr[upto]))
        source = np.repeat(np.arange(first, upto, dtype=rows.indices.dtype), degree[first:upto])
        yield source, rows.indices[here], None if rows.weights is None else rows.weights[here]
        first = upto
        if first >= last:
            return


def _of_files(files: EdgeFiles, parts: int, work: Path) -> Partition:
    with bar("partitioning") as shown:
        counted = Counted(files, work, parts, shown.advance)
        degrees = counted.degrees
        cuts = cut(degrees, counted.n, parts)
        kind = None if counted.weights is None else np.dtype(counted.weights)
        spill = Spill(work, cuts, index_type(counted.n), kind)
        loops = 0
        for source, target, weight in files.batches():
            spill.add("out", source, target, weight)
            loops += int(np.count_nonzero(source == target))
            if files.directed:
                spill.add("in", target, source, weight)
            elif not counted.both:
                other = source != target
                kept = None if weight is None else weight[other]
                spill.add("out", target[other], source[other], kept)
            shown.advance(source.size)
        m = (counted.edges + loops) // 2 if counted.both else counted.edges
        names = ["out", "in"] if files.directed else ["out"]

        def arcs(part: int) -> list[Chunks]:
            spill.forget(part - 1)
            return [partial(spill.chunks, name, part) for name in names]

        about = (m, files.directed, None if kind is None else kind.name, *counted.range)
        made = _write(work, cuts, about, arcs, degrees, shown.advance)
    for left in (*work.glob("*.count"), *work.glob("*.spill")):
        left.unlink()
    return made


def _write(
    work: Path,
    cuts: np.ndarray,
    about: About,
    arcs: Callable[[int], list[Chunks]],
    degrees: list[np.ndarray],
    progress: Callable[[float], None],
) -> Partition:
    """Write all pieces, one after the other."""
    files: list[tuple[File, ...]] = []
    counts, ghosts = [], []
    for part in range(cuts.size - 1):
        rows = make_piece(part, cuts, arcs(part), degrees)
        paths = [work / name for name in names_of(part, directed=len(rows) > 1)]
        for path, graph in zip(paths, rows, strict=True):
            with aside(path) as temporary, temporary.open("wb") as out:
                tgraph.write(graph, out)
        files.append(tuple(File(p.name, p.stat().st_size, digest(p)) for p in paths))
        counts.append(rows[0].arcs)
        ghosts.append(int(rows[0].meta["ghosts"].size))
        progress(1)
    sizes = tuple(cuts.tolist()), tuple(counts), tuple(ghosts)
    return Partition(work, int(cuts[-1]), *about, *sizes, tuple(files))
