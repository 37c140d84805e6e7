"""Data sets by name: the graphs of the papers, read from disk if they are there, else downloaded.

Directories named in ``$TACHOGRAPH_DATA`` are searched in order. If one has a ``MANIFEST.csv``
(columns name, file, directed, vertices, edges, licence), its rows count as data sets, too.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..util.errors import FileFormatError, InputError, MissingDependencyError, MissingFileError
from .files import FORMATS, read
from .files.streams import COMPRESSIONS
from .graph import Graph

VARIABLE = "TACHOGRAPH_DATA"


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


def _yes(text: str) -> bool:
    return text.strip().lower() in ("true", "yes", "1")


def _count(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdigit() else None


def _described(row: dict[str, str], known: DataSet | None = None, **more: Any) -> DataSet:
    """Return the data set of a row; what the row leaves out is as in ``known``."""
    told = {name: row.get(name) or "" for name in (f.name for f in fields(DataSet))}
    numbers = {name: _count(told[name]) for name in ("vertices", "edges")}
    flags = {name: _yes(told[name]) for name in ("directed", "weighted")}
    lists = {name: tuple(filter(None, told[name].split(";"))) for name in ("aliases", "papers")}
    kept = {}
    if known is not None:
        kept = {name: getattr(known, name) for name in ("aliases", "papers", "kind", "url")}
    return DataSet(**{**told, "file": None, **numbers, **flags, **lists, **kept, **more})


@cache
def _catalogue() -> dict[str, DataSet]:
    text = (resources.files("tachograph.graph") / "catalogue.csv").read_text(encoding="utf-8")
    return {row["name"]: _described(row) for row in csv.DictReader(text.splitlines())}


def _directories() -> list[Path]:
    listed = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [Path(d).expanduser() for d in listed if d]


def _manifest(directory: Path) -> dict[str, DataSet]:
    """Return the data sets that a directory's MANIFEST.csv names and whose files exist."""
    path = directory / "MANIFEST.csv"
    if not path.is_file():
        return {}
    found = {}
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        for row in csv.DictReader(stream):
            file = directory / (row.get("file") or "")
            if not row.get("name") or not file.is_file():
                continue
            known = _catalogue().get(row["name"])
            found[row["name"]] = _described(row, known, sha256="", file=file)
    return found


def _beside(directory: Path, known: DataSet) -> Path | None:
    """Return a file in ``directory`` that has the name of the data set."""
    suffixes = [s for f in FORMATS.values() for s in f.suffixes]
    for name in (known.name, *known.aliases):
        for suffix in suffixes:
            for compression in ("", *COMPRESSIONS):
                path = directory / f"{name}{suffix}{compression}"
                if path.is_file():
                    return path
    return None


def datasets() -> dict[str, DataSet]:
    """Return all data sets by name; those on this machine have a ``file``.

    >>> import tachograph as tg
    >>> tg.datasets()["roadNet-CA"].vertices
    1965206
    """
    found = dict(_catalogue())
    for directory in reversed(_directories()):
        for name, known in found.items():
            if file := _beside(directory, known):
                found[name] = replace(known, file=file)
        found.update(_manifest(directory))
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


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
    match = [
        d for d in every.values() if wanted in (d.name.lower(), *(a.lower() for a in d.aliases))
    ]
    if not match:
        near = [d for d in every if wanted in d.lower()]
        hint = f"; similar: {', '.join(near[:5])}" if near else ""
        raise InputError(f"there is no data set {name!r}{hint} (all: tacho datasets)")
    known = match[0]
    file = known.file or _download(known)
    loaded = read(file, directed=known.directed)
    if known.vertices is not None and loaded.n != known.vertices:
        loaded = read(file, directed=known.directed, relabel=True)
    _verify(known, loaded, file)
    return loaded


def _shown(count: int | None) -> str:
    return "an unknown number" if count is None else f"{count:,}"


def _verify(known: DataSet, loaded: Graph, file: Path) -> None:
    """Compare with the published counts, which count edges or, at some sources, arcs."""
    right_n = known.vertices in (None, loaded.n)
    if not right_n or known.edges not in (None, loaded.m, loaded.arcs):
        raise FileFormatError(
            file,
            f"has {loaded.n:,} vertices and {loaded.m:,} edges, but {known.name} is published with "
            f"{_shown(known.vertices)} and {_shown(known.edges)}: another version, or damaged",
        )


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
    try:
        path = pooch.retrieve(
            known.url, known_hash=f"sha256:{checksum}" if checksum else None, path=home, fname=file
        )
    except Exception as error:
        raise MissingFileError(
            f"{known.name} could not be downloaded from {known.url} ({type(error).__name__}). "
            f"Without a network, {where}"
        ) from error
    if not checksum:
        seen.write_text(pooch.file_hash(path) + "\n")
    return Path(path)
