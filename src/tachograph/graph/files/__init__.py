"""Graph files: which formats there are, how one is recognised, and the two doors: read and write."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ...errors import FileFormatError, InputError, TooLargeError
from ..build import as_ids, as_weights, lists_both_directions
from ..edge_table import EdgeTable
from ..graph import Graph
from ..relabel import relabelled
from . import dimacs, edgelist, gapbs, matrixmarket, metis, npz, tables, tgraph, tntp
from .streams import Input, aside, compression_of, open_output
from .text import NotAnIdError

__all__ = ["FORMATS", "Format", "read", "write"]

Reader = Callable[[Input, "str | bool | None"], "EdgeTable | Graph"]
Writer = Callable[[Graph, IO[bytes]], None]


@dataclass(frozen=True)
class Format:
    """A file format: its name, the suffixes it goes by, how it is read, written, recognised."""

    name: str
    suffixes: tuple[str, ...]
    description: str
    read: Reader
    write: Writer
    recognises: Callable[[bytes], bool]


def _starts(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magic)


def _never(head: bytes) -> bool:
    return False


# Ordered so that the first that recognises a head is right.
FORMATS = {
    f.name: f
    for f in (
        Format("tgraph", (".tgraph",), "our own: memory-mapped, checksummed", tgraph.read,
               tgraph.write, _starts(tgraph.MAGIC)),
        Format("parquet", (".parquet", ".pq"), "Parquet edge table", tables.read_parquet,
               tables.write_parquet, _starts(b"PAR1")),
        Format("arrow", (".arrow", ".feather", ".arrows"), "Arrow IPC edge table",
               tables.read_arrow, tables.write_arrow, _starts(b"ARROW1", b"\xff\xff\xff\xff")),
        Format("npz", (".npz",), "NumPy arrays, or SciPy's save_npz", npz.read, npz.write,
               _starts(b"PK\x03\x04")),
        Format("mtx", (".mtx", ".mm"), "Matrix Market", matrixmarket.read, matrixmarket.write,
               matrixmarket.recognises),
        Format("tntp", (".tntp",), "TNTP road network", tntp.read, tntp.write, tntp.recognises),
        Format("max", (".max",), "DIMACS maximum flow", dimacs.read, dimacs.write_flow, _never),
        Format("gr", (".gr",), "DIMACS shortest paths", dimacs.read, dimacs.write_paths,
               dimacs.recognises),
        Format("sg", (".sg",), "GAPBS serialized", gapbs.read, gapbs.write, _never),
        Format("wsg", (".wsg",), "GAPBS serialized, weighted", gapbs.read, gapbs.write_weighted,
               _never),
        Format("metis", (".graph", ".metis"), "METIS / DIMACS 10", metis.read, metis.write,
               metis.recognises),
        Format("csv", (".csv",), "CSV edge table with a header line", tables.read_csv,
               tables.write_csv, tables.recognises_csv),
        Format("el", (".el",), "GAPBS edge list", edgelist.read, edgelist.write_bare, _never),
        Format("wel", (".wel",), "GAPBS edge list, weighted", edgelist.read,
               edgelist.write_weighted, _never),
        Format("edgelist", (".txt", ".tsv", ".edges", ".edgelist", ".e", ".snap"),
               "SNAP and plain edge lists", edgelist.read, edgelist.write, edgelist.recognises),
    )
}  # fmt: skip
BINARY = ("tgraph", "parquet", "arrow", "npz", "sg", "wsg")


def _by_name(path: str | os.PathLike[str]) -> Format | None:
    plain = Path(path)
    if compression_of(plain):
        plain = plain.with_suffix("")
    return next((f for f in FORMATS.values() if plain.suffix.lower() in f.suffixes), None)


def recognise(source: Input) -> Format:
    """The format of a file: by its content where that tells, else by its name."""
    by_content = next((f for f in FORMATS.values() if f.recognises(source.head)), None)
    by_name = _by_name(source.path)
    if by_content is not None and by_content.name not in ("edgelist", "csv", "metis"):
        return (
            FORMATS["max"] if by_content.name == "gr" and by_name is FORMATS["max"] else by_content
        )
    if by_name is not None and not (by_name.name in BINARY and by_content is not None):
        if by_name.name == "csv" and by_content is FORMATS["edgelist"]:
            return by_content  # numbers with commas, without a header line
        return by_name
    if gapbs.recognises(source):
        return FORMATS["sg"]
    if by_content is not None:
        return by_content
    if b"\0" in source.head:
        raise FileFormatError(source.path, "binary data in no format that tachograph knows")
    return FORMATS["edgelist"]


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise InputError(f"format {format!r} is not one of {', '.join(FORMATS)}")
    return FORMATS[format]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    directed: bool | None = None,
    symmetrize: bool | None = None,
    dedupe: str = "keep",
    drop_self_loops: bool = False,
    relabel: bool = False,
    weight: str | bool | None = None,
) -> Graph:
    """Read a graph from a file of any known format, compressed (.gz, .bz2, .xz, .zst) or not.

    Parameters
    ----------
    path
        The file. Its format is recognised by content and name, or given as ``format``.
    directed
        Whether edges lead one way. Default: what the file or its format says, else True.
    symmetrize
        Whether to add the reverse of each edge. Default for undirected graphs: if the file does
        not list both directions already.
    dedupe, drop_self_loops, relabel
        As in :meth:`Graph.from_edges`.
    weight
        The column with the weights, where a format has several; False to leave weights out.

    Raises
    ------
    MissingFileError, FileFormatError, TooLargeError
        Naming the file and, if it is known, the line.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.write(tg.star(4), "star.txt")
    >>> tg.read("star.txt")
    Graph(undirected, 4 vertices, 3 edges, unweighted, 64 B)
    """
    source = Input(path)
    kind = _named(format) if format else recognise(source)
    reader = kind.read
    if relabel and kind.read is edgelist.read:
        reader = _names_or_ids
    table = reader(source, weight)
    if isinstance(table, Graph):
        plain = (directed in (None, table.directed), symmetrize is None, dedupe == "keep",
                 not drop_self_loops, not relabel)  # fmt: skip
        if all(plain):
            return table
        table = _as_table(table, directed)
    if directed is not None:
        table.directed = directed
        table.both = table.both if not directed else None
    try:
        return _build(table, symmetrize, dedupe, drop_self_loops, relabel)
    except InputError as error:
        raise FileFormatError(source.path, str(error)) from None
    except TooLargeError as error:
        raise TooLargeError(f"{source.path}: {error}") from None


def _names_or_ids(source: Input, weight: str | bool | None) -> EdgeTable:
    """An edge list with numbers for names if it has only such, else with words."""
    try:
        return edgelist.read(source, weight)
    except NotAnIdError:
        return edgelist.read_names(source, weight)


def _as_table(graph: Graph, directed: bool | None) -> EdgeTable:
    """The edges of a graph that is to be built anew with other options."""
    turned = directed is True and not graph.directed
    ends = graph._replace(directed=True).to_edges() if turned else graph.to_edges()
    both = None if graph.directed or turned else False
    return EdgeTable(*ends, n=graph.n, directed=graph.directed, both=both, meta=dict(graph.meta))


def _build(
    table: EdgeTable, symmetrize: bool | None, dedupe: str, drop_self_loops: bool, relabel: bool
) -> Graph:
    directed = table.directed is not False
    source, target, weight = table.source, table.target, table.weight
    names = None
    if relabel:
        source, target, names = relabelled(source, target)
        table.n = names.size
    if symmetrize is None and not directed:
        symmetrize = True
        if table.both is not False:
            source, target = as_ids(source, "source"), as_ids(target, "target")
            weight = as_weights(weight, source.size)
            symmetrize = not lists_both_directions(source, target, weight)
            if symmetrize and table.both:
                raise InputError("an edge is listed in one direction only, or with two weights")
    made = Graph.from_edges(
        source,
        target,
        weight,
        n=table.n,
        directed=directed,
        symmetrize=symmetrize,
        dedupe=dedupe,
        drop_self_loops=drop_self_loops,
    )
    return made._replace(meta=table.meta, names=names)


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a graph; format and compression follow from the name unless ``format`` is given.

    The file is written aside and renamed at the end: it is there whole, or not at all.

    Raises
    ------
    InputError
        If the name tells no format, the format cannot hold the graph, or the place is not writable.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.write(tg.path(3), "path.mtx")
    >>> print(open("path.mtx").read().strip())
    %%MatrixMarket matrix coordinate pattern symmetric
    3 3 2
    2 1
    3 2
    """
    kind = _named(format) if format else _by_name(path)
    if kind is None:
        known = " ".join(s for f in FORMATS.values() for s in f.suffixes)
        raise InputError(f"{path}: no format goes by that suffix; known are {known}")
    compression = compression_of(path)
    if compression and kind.name in BINARY:
        raise InputError(
            f"{path}: {kind.name} files are not compressed from outside; drop {compression}"
        )
    with aside(path) as temporary, open_output(temporary, compression) as out:
        kind.write(graph, out)
