"""Graph files: the table of formats, how one is recognised, and the functions read and write."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from ...util.arguments import checked
from ...util.errors import FileFormatError, InputError, TooLargeError, warn
from ...util.memory import enough
from ...util.progress import bar
from ..build import EdgeTable, Options, build, rebuilt
from ..convert import as_graph
from ..graph import Graph
from . import arrays, headed, metis, named, text, tgraph
from .streams import Input, compression_of, open_output

Reader: TypeAlias = Callable[[Input, "str | bool"], "EdgeTable | Graph"]
Writer: TypeAlias = Callable[[Graph, IO[bytes]], None]


class Format(NamedTuple):
    """A row of the table: a format's name, its suffixes, how it is recognised, read and written.

    ``traits`` may have "binary", "columns" (``weight=`` can name one) and "names" (those of the
    vertices are kept). ``recognises`` is given the first bytes of a file.
    """

    name: str
    suffixes: list[str]
    traits: list[str]
    recognises: Callable[[bytes], object]
    read: Reader
    write: Writer


def _is_metis(head: bytes) -> bool:
    """Whether a header is followed by rows of different length, which no edge list has."""
    rows = [line.split() for line in head[:4096].splitlines()[:-1] if not line.startswith(b"%")]
    if len(rows) < 2 or not 2 <= len(rows[0]) <= 4:
        return False
    numbers = all(word.isdigit() for row in rows[:50] for word in row)
    return numbers and len({len(row) for row in rows[1:50]}) > 1


def _is_csv(head: bytes) -> bool:
    """Whether the first line has commas and words where later lines have numbers or words."""
    first, _, rest = head.partition(b"\n")
    words = [w.strip().strip(b'"') for w in first.split(b",")]
    commas = len(words) > 1 and rest.split(b"\n", 1)[0].count(b",") == len(words) - 1
    return commas and not any(w.replace(b".", b"").isdigit() for w in words) and b"#" not in first


NEVER = rb"(?!)"  # the name tells, or only the size of the file
# The first line that is neither empty nor a comment tells these.
TNTP = rb"(?is)(?:[ \t\r]*(?:~[^\n]*)?\n)*+[ \t\r]*+(?=<).*?<NUMBER OF LINKS>"
DIMACS = rb"(?:(?:c.*|[ \t\r]*)\n)*+[ \t\r]*+p(?:[ \t\r]+[^\s]+){3}"
COMMENTS = rb"(?:\xef\xbb\xbf)*(?:[ \t\r,]*(?:[#%].*)?\n)*+"
LIST = COMMENTS + rb"[ \t\r,]*+[0-9]{1,18}[ \t\r,]+[0-9]{1,18}(?![^\s,])"
LIST_SUFFIXES = ".txt .tsv .edges .edgelist .e .snap"
ARROW = rb"ARROW1|\xff\xff\xff\xff"
TABLE = "binary columns names"
TABLES = ("csv", "parquet", "arrow")  # formats whose columns have names
write_wsg = partial(arrays.write_gapbs, weighted=True)
# The first format that recognises the beginning of a file is taken, so the order matters.
_ROWS: tuple[tuple[str, str, str, bytes | Callable[[bytes], object], Reader, Writer], ...] = (
    ("tgraph", ".tgraph", "binary names", tgraph.MAGIC, tgraph.read, tgraph.write),
    ("parquet", ".parquet .pq", TABLE, b"PAR1", arrays.read_parquet, arrays.write_parquet),
    ("arrow", ".arrow .feather .arrows", TABLE, ARROW, arrays.read_arrow, arrays.write_arrow),
    ("npz", ".npz", "binary", b"PK\x03\x04", arrays.read_npz, arrays.write_npz),
    ("mtx", ".mtx .mm", "", b"(?i)%%MatrixMarket", headed.read_matrix, headed.write_matrix),
    ("tntp", ".tntp", "columns", TNTP, headed.read_links, headed.write_links),
    ("max", ".max", "", NEVER, headed.read_dimacs, headed.write_flow),
    ("gr", ".gr", "", DIMACS, headed.read_dimacs, headed.write_paths),
    ("sg", ".sg", "binary", NEVER, arrays.read_gapbs, arrays.write_gapbs),
    ("wsg", ".wsg", "binary", NEVER, arrays.read_gapbs, write_wsg),
    ("metis", ".graph .metis", "", _is_metis, metis.read, metis.write),
    ("csv", ".csv", "columns names", _is_csv, arrays.read_csv, arrays.write_csv),
    ("el", ".el", "", NEVER, text.read, text.write_bare),
    ("wel", ".wel", "", NEVER, text.read, text.write_weighted),
    ("edgelist", LIST_SUFFIXES, "", LIST, text.read, text.write),
)


def _recogniser(begins: bytes | Callable[[bytes], object]) -> Callable[[bytes], object]:
    return re.compile(begins).match if isinstance(begins, bytes) else begins


FORMATS = {
    name: Format(name, suffixes.split(), traits.split(), _recogniser(begins), reader, writer)
    for name, suffixes, traits, begins, reader, writer in _ROWS
}


def _by_name(path: str | os.PathLike[str]) -> Format | None:
    plain = Path(path).with_suffix("") if compression_of(path) else Path(path)
    return next((f for f in FORMATS.values() if plain.suffix.lower() in f.suffixes), None)


def recognise(source: Input) -> Format:
    """Return the format of a file: by its content where that tells, else by its name."""
    by_content = next((f for f in FORMATS.values() if f.recognises(source.head)), None)
    by_name = _by_name(source.path)
    called = "" if by_name is None else by_name.name
    if b"\0" in source.head and arrays.is_gapbs(source):
        return FORMATS["wsg" if called == "wsg" else "sg"]
    if by_content is FORMATS["gr"]:
        return FORMATS["max" if called == "max" else "gr"]
    # Only a plain list of numbers may be in another format, which its name tells.
    other = by_name is not None and called != "csv" and "binary" not in by_name.traits
    if by_content is not None and not (other and by_content is FORMATS["edgelist"]):
        return by_content
    if by_name is None and b"\0" in source.head:
        raise source.error("binary data in no format that tachograph knows")
    return by_name or FORMATS["edgelist"]


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise InputError(f"format {format!r} is not one of {', '.join(FORMATS)}")
    return FORMATS[format]


@checked
def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    directed: bool | None = None,
    symmetrize: bool | None = None,
    dedupe: str = "keep",
    drop_self_loops: bool = False,
    relabel: bool = False,
    source: str | None = None,
    target: str | None = None,
    weight: str | bool | None = True,
    pipe: bool = False,
    mapped: bool = False,
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
    source, target
        The columns with the ends of the edges, in tables (CSV, Parquet, Arrow) where they have other
        names. Ends that are text are the names of vertices.
    weight
        The column with the weights, where a format has several; None or False to leave weights out.
    pipe
        Whether ``path`` may be a named pipe or a device, which is read to its end. ``/dev/stdin`` and
        ``/dev/fd/N`` always may.
    mapped
        Whether a large ``.tgraph`` stays in its file, where processes share it, instead of being
        copied when it is first used. Then nobody may write into the file: that can end the process.

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
    weight = weight if isinstance(weight, str) else bool(weight)
    options = Options(directed, symmetrize, dedupe, drop_self_loops, relabel)
    file = Input(path, pipe)
    file.ends = source, target
    kind = _named(format) if format else recognise(file)
    if (source or target) and kind.name not in TABLES:
        raise InputError(f"source and target: {kind.name} files have no columns to choose from")
    if isinstance(weight, str) and "columns" not in kind.traits:
        raise InputError(f"weight={weight!r}: {kind.name} files have no columns to choose from")
    reader = named.read if relabel and kind.read is text.read else kind.read
    if mapped and kind.name == "tgraph":
        reader = tgraph.read_mapped
    try:
        with enough("reading"):
            found = reader(file, weight)
        if isinstance(found, Graph):
            return rebuilt(found, options)
        if weight is False:
            found.weight = None
        made = build(found, options)
    except InputError as error:
        raise FileFormatError(file.path, str(error)) from None
    except TooLargeError as error:
        said = str(error)
        told = said.startswith(str(file.path))
        raise TooLargeError(said if told else f"{file.path}: {said}") from None
    if file.promised is not None and made.n > file.promised and not relabel:
        gaps = (
            f"{path}: ids go up to {made.n - 1:,}, but the file promises {file.promised:,} nodes: ids "
            "that do not occur are vertices without edges; relabel=True leaves them out"
        )
        warn(gaps)
    return made


@checked
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
    graph = as_graph(graph, "write")
    kind = _named(format) if format else _by_name(path)
    if kind is None:
        known = " ".join(s for f in FORMATS.values() for s in f.suffixes)
        raise InputError(f"{path}: no format has that suffix; the known ones are {known}")
    if graph.names is not None and "names" not in kind.traits:
        lost = f"{kind.name} files hold ids only: the names of the vertices are not in {path}"
        warn(lost)
    with open_output(path) as out:
        if "binary" not in kind.traits:
            kind.write(graph, out)
            return
        with bar(f"writing {Path(path).name}"):
            # Some writers seek, which a compressing stream cannot.
            whole = io.BytesIO() if compression_of(path) else out
            kind.write(graph, whole)
            if isinstance(whole, io.BytesIO):
                out.write(whole.getvalue())
