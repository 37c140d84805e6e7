"""A directory with a partitioned graph: its manifest, and whether its files are what that says."""

from __future__ import annotations

import hashlib
import json
import math
import operator
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..graph.foreign import WEIGHTS
from ..util.arguments import single
from ..util.errors import FileFormatError, InputError, MissingFileError, TachographError
from ..util.files import aside, is_directory, is_file, lock, small_content
from ..util.memory import human
from .checks import Marks, marks_of
from .piece import Piece, names_of

__all__ = ["File", "Partition", "Parts", "alone", "digest", "open_partition", "reserve"]

MANIFEST = "partition.json"
LOCK = "lock"
MOST = 1 << 62  # vertices or edges: more are a mistake
FORMAT = 1
KINDS = (None, *(np.dtype(kind).name for kind in WEIGHTS))  # of weights


@dataclass(frozen=True)
class File:
    """A file of a piece, by its content."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Partition:
    """A graph that lies in pieces in a directory; what :func:`tachograph.scale.partition` gives.

    ``weights`` is the type of the weights or None, ``lightest``, ``mean`` and ``heaviest`` tell their
    range; ``arcs`` and ``ghosts`` have a number for each part.

    Examples
    --------
    >>> import tachograph as tg
    >>> made = tg.scale.partition(tg.path(6), parts=2, directory="path")
    >>> made.n, made.parts
    (6, 2)
    """

    directory: Path
    n: int
    m: int
    directed: bool
    weights: str | None
    lightest: float
    mean: float
    heaviest: float
    cuts: tuple[int, ...]
    arcs: tuple[int, ...]
    ghosts: tuple[int, ...]
    files: tuple[tuple[File, ...], ...]

    @property
    def parts(self) -> int:
        return len(self.files)

    @property
    def nbytes(self) -> int:
        """Bytes of all pieces."""
        return sum(file.bytes for file in chain.from_iterable(self.files))

    @property
    def key(self) -> str:
        """A hash of all that is said: the same graph cut in the same way has the same."""
        said = {name: value for name, value in asdict(self).items() if name != "directory"}
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    def piece(self, index: int) -> Piece:
        """Part ``index``, mapped from its files."""
        return Piece.open(self.directory, index, np.array(self.cuts), self.directed)

    def write(self) -> None:
        """Write the manifest, as the last file of the directory."""
        content = {"format": FORMAT, **asdict(self)}
        del content["directory"]
        with aside(self.directory / MANIFEST) as temporary:
            temporary.write_text(json.dumps(content, indent=1))

    def check_piece(self, index: int) -> Marks:
        """Refuse a piece whose content is not what the manifest says, and say how it differs.

        Returns checksums, which :meth:`check_mail` compares.

        Raises
        ------
        MissingFileError, FileFormatError
            If a file is not there, was damaged, or is of another graph.
        """
        found = self.piece(index)  # says so if a file is damaged
        for file in self.files[index]:
            path = self.directory / file.name
            if size_of(path) == file.bytes and digest(path) == file.sha256:
                continue
            other = "an intact piece, but of another graph, or cut in another way: partition again"
            raise FileFormatError(path, other)
        arcs, ghosts = self.arcs[index], self.ghosts[index]
        weights = None if found.out.weights is None else found.out.weights.dtype.name
        if (found.out.arcs, found.ghosts.size, weights) != (arcs, ghosts, self.weights):
            raise FileFormatError(self.directory / MANIFEST, f"does not describe part {index}")
        values = found.out.weights
        if values is not None and values.size:
            low, high = float(values.min()), float(values.max())
            if low < self.lightest or high > self.heaviest:
                told = f"says weights from {self.lightest:g} to {self.heaviest:g}"
                here = f"those of part {index} are from {low:g} to {high:g}"
                raise FileFormatError(self.directory / MANIFEST, f"{told}, but {here}")
        return marks_of(found)

    def check_mail(self, marks: Sequence[Marks]) -> None:
        """Refuse pieces of which one has other ghosts than their owner knows of."""
        for part, mine in enumerate(marks):
            for other, theirs in enumerate(marks):
                if mine["ghosts"].get(other) != theirs["sends"].get(part):
                    problem = f"parts {part} and {other} are not of the same graph"
                    raise FileFormatError(self.directory, f"{problem}: partition again")

    def _check(self) -> None:
        """Raise ``ValueError`` if fields have odd values or do not fit together."""
        cuts, parts = self.cuts, len(self.files)
        sizes = {len(cuts) - 1, len(self.arcs), len(self.ghosts), parts}
        if sizes != {parts} or not parts or cuts[0] != 0 or list(cuts) != sorted(cuts):
            raise ValueError("its parts do not fit together")
        counts = type(self.n) is int and type(self.m) is int and 0 <= self.m < MOST
        if not counts or cuts[-1] != self.n or self.n >= MOST:
            raise ValueError("its counts do not fit together")
        if not isinstance(self.directed, bool) or self.weights not in KINDS:
            raise ValueError("its kind of graph does not exist")
        if not all(isinstance(getattr(self, k), float) for k in ("lightest", "mean", "heaviest")):
            raise ValueError("its range of weights is not of numbers")
        if not -math.inf < self.lightest <= self.heaviest < math.inf or math.isnan(self.mean):
            raise ValueError("its range of weights does not exist")
        for index, files in enumerate(self.files):
            if [file.name for file in files] != names_of(index, self.directed):
                raise ValueError(f"it names other files of part {index}")

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "unweighted" if self.weights is None else f"{self.weights} weights"
        return (
            f"Partition({kind}, {self.n:,} vertices, {self.m:,} edges, {weights}, {self.parts} parts, "
            f"{human(self.nbytes)})"
        )


def size_of(path: Path) -> int:
    """Bytes of a file that must be there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        raise MissingFileError(f"{path}: this piece of the graph is missing") from None


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reserve(path: Path, size: int) -> None:
    """Make room for so many bytes in a file: a full disk is an error now, not a crash later."""
    with path.open("ab") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, max(size, 1))
        else:
            file.truncate(max(size, 1))


#: A partition, or the directory that it lies in.
Parts: TypeAlias = Partition | str | os.PathLike[str]


def open_partition(given: Parts) -> Partition:
    """Return the partition in a directory, if all its files are there.

    Raises
    ------
    InputError, MissingFileError, FileFormatError
        If there is no such directory or no partition in it, or it is incomplete or of another version.
    """
    if isinstance(given, Partition):
        directory = given.directory
    else:
        directory = Path(single("graph", given, "str | os.PathLike[str]"))
    if not is_directory(directory):
        raise InputError(
            f"there is no directory {directory}: a partitioned graph lies where this process and all "
            "workers see it"
        )
    path = directory / MANIFEST
    if not is_file(path):
        raise InputError(f"{directory} holds no partitioned graph: make one with scale.partition")
    try:
        content = json.loads(small_content(path))
        if (version := content.pop("format")) != FORMAT:
            known = f"this tachograph knows {FORMAT}: partition the graph again"
            raise FileFormatError(path, f"has format {version}, {known}")
        for name in ("cuts", "arcs", "ghosts"):
            content[name] = tuple(map(operator.index, content[name]))
        content["files"] = tuple(tuple(File(**f) for f in part) for part in content["files"])
        found = Partition(directory=directory, **content)
        found._check()
    except TachographError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, IndexError) as error:
        raise FileFormatError(path, f"is damaged ({error}): partition the graph again") from None
    for file in chain.from_iterable(found.files):
        size_of(directory / file.name)
    return found


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Refuse to work where another process does. The lock ends with the process, however it ends."""
    held = lock(directory / LOCK)
    if held is None:
        raise InputError(f"another process is at work in {directory}: wait for it, or stop it")
    try:
        yield
    finally:
        os.close(held)
