"""Data sets by name: the graphs of the papers, read from disk if they are there, else downloaded.

Directories named in ``$TACHOGRAPH_DATA`` are searched in order. If one has a ``MANIFEST.csv``
(columns name, file, directed, vertices, edges, licence), its rows count as data sets, too.
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..util.arguments import checked
from ..util.errors import FileFormatError, InputError, MissingDependencyError, MissingFileError
from ..util.files import aside, is_file
from ..util.text import did_you_mean
from .files import FORMATS, read
from .files.streams import COMPRESSIONS
from .graph import Graph

VARIABLE = "TACHOGRAPH_DATA"
COUNT = re.compile("[0-9]{1,18}")
COMPRESSED = ("", *COMPRESSIONS)
NOT_IN_MANIFESTS = ("aliases", "papers", "kind", "url")


@dataclass(frozen=True)
class DataSet:
    """A graph that is known by name: where it comes from, and its published size."""

    name: str
    aliases: tuple[str, ...]
    papers: tuple[str, ...]
    kind: str
    directed: bool
    weighted: bool
    vertices: int | None
    edges: int | None
    source: str
    url: str
    sha256: str
    licence: str
    note: str
    file: Path | None = None  # where it lies on this machine, if it does


def _described(row: dict[str, str]) -> DataSet:
    """Return the data set of a row."""
    told: dict[str, Any] = {f.name: (row.get(f.name) or "").strip() for f in fields(DataSet)}
    for name in ("vertices", "edges"):
        told[name] = int(told[name]) if COUNT.fullmatch(told[name]) else None
    for name in ("directed", "weighted"):
        told[name] = told[name].lower() in ("true", "yes", "1")
    for name in ("aliases", "papers"):
        told[name] = tuple(filter(None, told[name].split(";")))
    return DataSet(**told | {"file": None})


@cache
def _catalogue() -> dict[str, DataSet]:
    text = (resources.files("tachograph.graph") / "catalogue.csv").read_text(encoding="utf-8")
    return {row["name"]: _described(row) for row in csv.DictReader(text.splitlines())}


def _manifest(directory: Path) -> dict[str, DataSet]:
    """Return the data sets that a directory's MANIFEST.csv names and whose files exist."""
    path = directory / "MANIFEST.csv"
    if not is_file(path):
        return {}
    found = {}
    try:
        text = path.read_bytes().decode(errors="replace")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (OSError, csv.Error) as error:
        raise FileFormatError(path, f"cannot be read: {error}") from None
    for row in rows:
        file = directory / (row.get("file") or "")
        if row.get("name") and is_file(file):
            made = replace(_described(row), sha256="", file=file)
            if known := _catalogue().get(row["name"]):
                kept = {name: getattr(known, name) for name in NOT_IN_MANIFESTS}
                made = replace(made, **kept)
            found[row["name"]] = made
    return found


def _directory(named: str) -> Path:
    """Return a directory that may begin with ``~``; a user that there is not is a name like others."""
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def _beside(directory: Path, known: DataSet, here: Collection[str]) -> Path | None:
    """Return a file in ``directory``, which has the entries ``here``, with the name of the data set."""
    suffixes = [suffix for f in FORMATS.values() for suffix in f.suffixes]
    names = map("".join, itertools.product((known.name, *known.aliases), suffixes, COMPRESSED))
    return next((p for name in names if name in here and is_file(p := directory / name)), None)


def datasets() -> dict[str, DataSet]:
    """Return all data sets by name; those on this machine have a ``file``.

    >>> import tachograph as tg
    >>> tg.datasets()["roadNet-CA"].vertices
    1965206
    """
    found = dict(_catalogue())
    listed = os.environ.get(VARIABLE, "").split(os.pathsep)
    for directory in (_directory(d) for d in reversed(listed) if d):
        try:
            here = {path.name for path in directory.iterdir()}
        except OSError:  # there is no such directory
            continue
        for name, known in found.items():
            if file := _beside(directory, known, here):
                found[name] = replace(known, file=file)
        found.update(_manifest(directory))
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


@checked
def dataset(name: str) -> Graph:
    """Load a data set by name or alias; see ``tacho datasets``. Its counts are verified.

    Raises
    ------
    InputError
        If there is no such data set.
    MissingFileError
        If it is neither in ``$TACHOGRAPH_DATA`` nor can be downloaded.
    FileFormatError
        If the loaded graph does not have the published number of vertices and edges.

    Examples
    --------
    A directory of your own, with a list of what is in it:

    >>> import os, tachograph as tg
    >>> from unittest.mock import patch
    >>> tg.write(tg.road(3, 3, deleted=0), "corner.gr")
    >>> with open("MANIFEST.csv", "w") as file:
    ...     print("name,file,directed,vertices,edges", file=file)
    ...     print("corner,corner.gr,0,9,12", file=file)
    >>> with patch.dict(os.environ, TACHOGRAPH_DATA=os.getcwd()):  # usually set in the shell
    ...     tg.dataset("corner").n
    9
    """
    every = datasets()
    wanted = name.lower()
    match = [d for d in every.values() if wanted in map(str.lower, (d.name, *d.aliases))]
    if not match:
        near = [d for d in every if wanted in d.lower()]
        hint = f"; similar: {', '.join(near[:5])}" if near else did_you_mean(name, every)
        raise InputError(f"there is no data set {name!r}{hint} (all: tacho datasets)")
    known = match[0]
    file = known.file or _download(known)
    loaded = read(file, directed=known.directed)
    if known.vertices is not None and loaded.n != known.vertices:
        loaded = read(file, directed=known.directed, relabel=True)
    right_n = known.vertices in (None, loaded.n)
    if not right_n or known.edges not in (None, loaded.m, loaded.arcs):  # some sources count arcs
        published = [
            "an unknown number" if count is None else f"{count:,}"
            for count in (known.vertices, known.edges)
        ]
        raise FileFormatError(
            file,
            f"has {loaded.n:,} vertices and {loaded.m:,} edges, but {known.name} is published with "
            f"{' and '.join(published)}: another version, or damaged",
        )
    return loaded


def _download(known: DataSet) -> Path:
    where = f"put its file into a directory named in ${VARIABLE}"
    if not known.url:
        raise MissingFileError(
            f"{known.name} is not on this machine and {known.source} offers no file that can be read "
            f"directly: convert it yourself and {where}"
        )
    try:
        import pooch
    except ImportError:
        raise MissingDependencyError(
            f"{known.name} is not on this machine. To download it: pip install 'tachograph[data]'; "
            f"or {where}"
        ) from None
    pooch.get_logger().setLevel("WARNING")
    home = Path(os.environ.get("TACHOGRAPH_HOME") or pooch.os_cache("tachograph")) / "datasets"
    file = known.url.rsplit("/", 1)[-1]
    # Without a published checksum, later downloads must have the checksum of the first.
    seen = home / f"{file}.sha256"
    checksum = known.sha256 or (seen.read_text().strip() if seen.is_file() else "")
    wanted = f"sha256:{checksum}" if checksum else None
    try:
        path = pooch.retrieve(known.url, known_hash=wanted, path=home, fname=file)
    except Exception as error:
        raise MissingFileError(
            f"{known.name} could not be downloaded from {known.url} ({type(error).__name__}). "
            f"Without a network, {where}"
        ) from error
    if not checksum:
        with aside(seen) as temporary:
            temporary.write_text(pooch.file_hash(path) + "\n")
    return Path(path)
