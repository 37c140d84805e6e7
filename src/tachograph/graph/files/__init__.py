"""Graph files: which formats there are, how one is recognised, and the two doors: read and write."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ...util.errors import FileFormatError, InputError, TachographWarning, TooLargeError
from ...util.progress import bar
from ..assemble import assemble, rebuilt
from ..build import check_dedupe
from ..edge_table import EdgeTable
from ..graph import Graph
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
        Format("tgraph", (".tgraph",), tgraph.read,
               tgraph.write, _starts(tgraph.MAGIC)),
        Format("parquet", (".parquet", ".pq"), tables.read_parquet,
               tables.write_parquet, _starts(b"PAR1")),
        Format("arrow", (".arrow", ".feather", ".arrows"),
               tables.read_arrow, tables.write_arrow, _starts(b"ARROW1", b"\xff\xff\xff\xff")),
        Format("npz", (".npz",), npz.read, npz.write,
               _starts(b"PK\x03\x04")),
        Format("mtx", (".mtx", ".mm"), matrixmarket.read, matrixmarket.write,
               matrixmarket.recognises),
        Format("tntp", (".tntp",), tntp.read, tntp.write, tntp.recognises),
        Format("max", (".max",), dimacs.read, dimacs.write_flow, _never),
        Format("gr", (".gr",), dimacs.read, dimacs.write_paths,
               dimacs.recognises),
        Format("sg", (".sg",), gapbs.read, gapbs.write, _never),
        Format("wsg", (".wsg",), gapbs.read, gapbs.write_weighted,
               _never),
        Format("metis", (".graph", ".metis"), metis.read, metis.write,
               metis.recognises),
        Format("csv", (".csv",), tables.read_csv,
               tables.write_csv, tables.recognises_csv),
        Format("el", (".el",), edgelist.read, edgelist.write_bare, _never),
        Format("wel", (".wel",), edgelist.read,
               edgelist.write_weighted, _never),
        Format("edgelist", (".txt", ".tsv", ".edges", ".edgelist", ".e", ".snap"), edgelist.read,
               edgelist.write, edgelist.recognises),
    )
}  # fmt: skip
WITH_COLUMNS = ("tntp", "parquet", "arrow", "csv")
KEEP_NAMES = ("tgraph", "parquet", "arrow", "csv")
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
    if b"\0" in source.head and gapbs.recognises(source):
        return FORMATS["wsg"] if by_name is FORMATS["wsg"] else FORMATS["sg"]
    if by_content is not None and by_content.name == "gr":
        return FORMATS["max"] if by_name is FORMATS["max"] else by_content
    # Only what looks like a plain list of numbers may be something else by its name.
    if by_content is not None and by_content.name != "edgelist":
        return by_content
    if by_name is not None and not (by_name.name in (*BINARY, "csv") and by_content is not None):
        return by_name
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
    check_dedupe(dedupe)
    source = Input(path)
    kind = _named(format) if format else recognise(source)
    if isinstance(weight, str) and kind.name not in WITH_COLUMNS:
        raise InputError(f"weight={weight!r}: {kind.name} files have no columns to choose from")
    reader = kind.read
    if relabel and kind.read is edgelist.read:
        reader = _names_or_ids
    options: dict[str, Any] = {
        "directed": directed,
        "symmetrize": symmetrize,
        "dedupe": dedupe,
        "drop_self_loops": drop_self_loops,
        "relabel": relabel,
    }
    try:
        found = reader(source, weight)
        return rebuilt(found, **options) if isinstance(found, Graph) else assemble(found, **options)
    except InputError as error:
        raise FileFormatError(source.path, str(error)) from None
    except TooLargeError as error:
        said = str(error)
        path_said = said if said.startswith(str(source.path)) else f"{source.path}: {said}"
        raise TooLargeError(path_said) from None


def _names_or_ids(source: Input, weight: str | bool | None) -> EdgeTable:
    """An edge list with numbers for names if it has only such, else with words."""
    try:
        return edgelist.read(source, weight)
    except NotAnIdError:
        return edgelist.read_names(source, weight)


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
    if graph.names is not None and kind.name not in KEEP_NAMES:
        warnings.warn(
            f"{kind.name} files hold ids only: the names of the vertices are not in {path}",
            TachographWarning,
            stacklevel=2,
        )
    compression = compression_of(path)
    with aside(path) as temporary, open_output(temporary, compression) as out:
        if kind.name in BINARY:
            with bar(f"writing {Path(path).name}"):
                _write_binary(kind, graph, out, compression)
        else:
            kind.write(graph, out)


def _write_binary(kind: Format, graph: Graph, out: IO[bytes], compression: str) -> None:
    """Some binary writers go back and forth, which a compressing stream cannot: those use memory."""
    if not compression:
        kind.write(graph, out)
        return
    memory_file = io.BytesIO()
    kind.write(graph, memory_file)
    out.write(memory_file.getvalue())
