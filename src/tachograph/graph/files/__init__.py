"""Graph files: the table of formats, how one is recognised, and the functions read and write."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from ...util.errors import FileFormatError, InputError, TachographWarning, TooLargeError
from ...util.progress import bar
from ..build import build, rebuilt
from ..edges import EdgeTable, Options
from ..graph import Graph
from . import dimacs, edgelist, gapbs, metis, npz, tables, tgraph, tntp
from . import matrixmarket as mm
from .streams import Input, aside, compression_of, open_output
from .text import NotAnIdError

__all__ = ["FORMATS", "Format", "read", "write"]

Reader: TypeAlias = Callable[[Input, "str | bool | None"], "EdgeTable | Graph"]
Writer: TypeAlias = Callable[[Graph, IO[bytes]], None]


@dataclass(frozen=True)
class Format:
    """A file format: its name, its suffixes, how it is read, written, and recognised by content.

    ``traits`` may have ``"binary"``, ``"columns"`` (``weight=`` can name one) and ``"names"`` (those
    of the vertices are kept).
    """

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    write: Writer
    recognises: Callable[[bytes], bool]
    traits: frozenset[str]


def _format(
    name: str,
    suffixes: str,
    read: Reader,
    write: Writer,
    recognises: Callable[[bytes], bool] = lambda head: False,
    traits: str = "",
) -> Format:
    words = frozenset(traits.split())
    return Format(name, tuple(suffixes.split()), read, write, recognises, words)


def _starts(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magic)


IS_TGRAPH = _starts(tgraph.MAGIC)
IS_PARQUET = _starts(b"PAR1")
IS_ARROW = _starts(b"ARROW1", b"\xff\xff\xff\xff")
IS_ZIP = _starts(b"PK\x03\x04")
TABLE = "binary columns names"
LISTS = ".txt .tsv .edges .edgelist .e .snap"
# The first format that recognises the beginning of a file is taken, so the order matters.
_ALL = (
    _format("tgraph", ".tgraph", tgraph.read, tgraph.write, IS_TGRAPH, "binary names"),
    _format(
        "parquet", ".parquet .pq", tables.read_parquet, tables.write_parquet, IS_PARQUET, TABLE
    ),
    _format(
        "arrow", ".arrow .feather .arrows", tables.read_arrow, tables.write_arrow, IS_ARROW, TABLE
    ),
    _format("npz", ".npz", npz.read, npz.write, IS_ZIP, "binary"),
    _format("mtx", ".mtx .mm", mm.read, mm.write, mm.recognises),
    _format("tntp", ".tntp", tntp.read, tntp.write, tntp.recognises, "columns"),
    _format("max", ".max", dimacs.read, dimacs.write_flow),
    _format("gr", ".gr", dimacs.read, dimacs.write_paths, dimacs.recognises),
    _format("sg", ".sg", gapbs.read, gapbs.write, traits="binary"),
    _format("wsg", ".wsg", gapbs.read, gapbs.write_weighted, traits="binary"),
    _format("metis", ".graph .metis", metis.read, metis.write, metis.recognises),
    _format(
        "csv", ".csv", tables.read_csv, tables.write_csv, tables.recognises_csv, "columns names"
    ),
    _format("el", ".el", edgelist.read, edgelist.write_bare),
    _format("wel", ".wel", edgelist.read, edgelist.write_weighted),
    _format("edgelist", LISTS, edgelist.read, edgelist.write, edgelist.recognises),
)
FORMATS = {made.name: made for made in _ALL}


def _by_name(path: str | os.PathLike[str]) -> Format | None:
    plain = Path(path)
    if compression_of(plain):
        plain = plain.with_suffix("")
    return next((f for f in FORMATS.values() if plain.suffix.lower() in f.suffixes), None)


def recognise(source: Input) -> Format:
    """Return the format of a file: by its content where that tells, else by its name."""
    by_content = next((f for f in FORMATS.values() if f.recognises(source.head)), None)
    by_name = _by_name(source.path)
    if b"\0" in source.head and gapbs.recognises(source):
        return FORMATS["wsg"] if by_name is FORMATS["wsg"] else FORMATS["sg"]
    if by_content is not None and by_content.name == "gr":
        return FORMATS["max"] if by_name is FORMATS["max"] else by_content
    if by_content is not None:
        # Only a plain list of numbers may be in another format, which its name tells.
        other = by_name is not None and by_name.name != "csv" and "binary" not in by_name.traits
        return by_name if by_name and other and by_content.name == "edgelist" else by_content
    if by_name is not None:
        return by_name
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
    options = Options(directed, symmetrize, dedupe, drop_self_loops, relabel)
    source = Input(path)
    kind = _named(format) if format else recognise(source)
    if isinstance(weight, str) and "columns" not in kind.traits:
        raise InputError(f"weight={weight!r}: {kind.name} files have no columns to choose from")
    reader = kind.read
    if relabel and kind.read is edgelist.read:
        reader = _names_or_ids
    try:
        found = reader(source, weight)
        if isinstance(found, Graph):
            return rebuilt(found, options)
        if weight is False:
            found.weight = None
        return build(found, options)
    except InputError as error:
        raise FileFormatError(source.path, str(error)) from None
    except TooLargeError as error:
        said = str(error)
        named = said.startswith(str(source.path))
        raise TooLargeError(said if named else f"{source.path}: {said}") from None


def _names_or_ids(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read an edge list whose names are numbers, or words if there are any."""
    try:
        return edgelist.read(source, weight)
    except NotAnIdError:
        return edgelist.read_names(source, weight)


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a graph; format and compression follow from the name unless ``format`` is given.

    The file is written under another name and renamed at the end, so it is never half there.

    Raises
    ------
    InputError
        If no format has that suffix, if the format cannot hold the graph, or if the file cannot be
        written.

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
        raise InputError(f"{path}: no format has that suffix; the known ones are {known}")
    if graph.names is not None and "names" not in kind.traits:
        warnings.warn(
            f"{kind.name} files hold ids only: the names of the vertices are not in {path}",
            TachographWarning,
            stacklevel=2,
        )
    compression = compression_of(path)
    with aside(path) as temporary, open_output(temporary, compression) as out:
        if "binary" in kind.traits:
            with bar(f"writing {Path(path).name}"):
                _write_binary(kind, graph, out, compression)
        else:
            kind.write(graph, out)


def _write_binary(kind: Format, graph: Graph, out: IO[bytes], compression: str) -> None:
    """Write through memory if compressed: some writers seek, which a compressing stream cannot."""
    if not compression:
        kind.write(graph, out)
        return
    memory_file = io.BytesIO()
    kind.write(graph, memory_file)
    out.write(memory_file.getvalue())
