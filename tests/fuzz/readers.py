"""Damaged graph files: an error, or the graph that the slow reader in ``graph/files/reference.py`` finds."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

import tachograph as tg
from tachograph.graph.files import FORMATS, recognise
from tachograph.graph.files.streams import Input
from tests.graph.files import reference

from . import must
from .damage import few_places

CORPUS = Path(__file__).resolve().parent.parent / "graph" / "files" / "corpus"
MEMORY = "100 MB"  # so that one large id does not end the run


def unpack(raw: bytes, fresh: Callable[[], Any], unit: int = 1) -> bytes:
    """Parts one behind another; a multiple of ``unit`` zero bytes may follow each. Python skips what it
    does not know.
    """
    made = b""
    while raw:
        part = fresh()
        made += part.decompress(raw)
        raw = part.unused_data.lstrip(b"\0")
        if not part.eof or (len(part.unused_data) - len(raw)) % unit:
            raise ValueError("a part that is cut off, or padding of another size")
    return made


#: How the bytes of a compressed file begin, and functions that compress and that open them.
COMPRESSIONS = {
    ".gz": (b"\x1f\x8b", lambda raw: gzip.compress(raw, mtime=0), gzip.decompress),
    ".bz2": (b"BZh", bz2.compress, lambda raw: unpack(raw, bz2.BZ2Decompressor)),
    ".xz": (b"\xfd7zXZ\0", lzma.compress, lambda raw: unpack(raw, lzma.LZMADecompressor, 4)),
    ".zst": (
        b"\x28\xb5\x2f\xfd",
        lambda raw: pa.compress(raw, codec="zstd", asbytes=True),
        lambda raw: pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read(),
    ),
}


def seeds_of(name: str) -> list[bytes]:
    """The stored files of a format."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def differs(
    path: Path, name: str, given: bool = True, content: Callable[[bytes], bytes] = bytes
) -> str | None:
    """Return how the package and the slow reader disagree about a file, '' if they do not; None if refused.

    ``given``: whether the package is told the format; ``content`` makes the file's content of its bytes.
    """
    try:
        with tg.limits(memory=MEMORY):
            name = name if given else recognise(Input(path)).name
            g = tg.read(path, format=name if given else None)
            source, target, weights = g.to_edges()
    except tg.TachographError:
        return None
    if g.names is not None:
        return ""
    values = [None] * g.m if weights is None else weights.astype(float).tolist()
    found = Counter(zip(source.tolist(), target.tolist(), values, strict=True))
    try:
        expected = reference.READERS[name](content(path.read_bytes())).plain()
    except Exception as error:  # the slow reader does not refuse, it fails
        return f"accepted {g!r}, but: {type(error).__name__} {error}"
    return "" if (g.n, g.directed, found) == expected else f"{g!r} {found}, not {expected}"


class Reader:
    """Files of one format; one in eight is recognised by its content."""

    def __init__(self, name: str, place: Path) -> None:
        self.name, self.seeds = name, seeds_of(name)
        self.path = place / f"fuzzed{FORMATS[name].suffixes[0]}"
        for raw in self.seeds:
            self.check(raw, True)

    def __call__(self, rng: random.Random) -> bool:
        return self.check(few_places(rng, rng.choice(self.seeds)), rng.random() < 0.875)

    def check(self, raw: bytes, given: bool) -> bool:
        self.path.write_bytes(raw)
        problem = differs(self.path, self.name, given=given)
        must(not problem, f"{self.name}: {problem} in {raw[:400]!r}")
        return problem is not None


class Compressed:
    """Compressed edge lists of some parts, damaged before or after they were compressed."""

    def __init__(self, place: Path) -> None:
        self.seeds, self.place = seeds_of("edgelist"), place

    def __call__(self, rng: random.Random) -> bool:
        raw, suffix = rng.choice(self.seeds), rng.choice(list(COMPRESSIONS))
        if rng.random() < 0.3:
            raw = few_places(rng, raw)
        cuts = sorted(rng.randrange(len(raw) + 1) for _ in range(rng.choice((0, 0, 1, 2))))
        parts = [raw[a:b] for a, b in pairwise([0, *cuts, len(raw)])]
        padding = bytes(rng.choice((0, 0, 1, 4)))
        packed = padding.join(map(COMPRESSIONS[suffix][1], parts))
        if rng.random() < 0.8:
            packed = few_places(rng, packed)
        path = self.place / f"fuzzed.txt{suffix}"
        path.write_bytes(packed)
        problem = differs(path, "edgelist", content=self.content)
        must(not problem, f"{suffix}: {problem} in {packed[:400]!r}")
        return problem is not None

    @staticmethod
    def content(packed: bytes) -> bytes:
        opened = (c[2] for c in COMPRESSIONS.values() if packed.startswith(c[0]))
        return next(opened, bytes)(packed)


class Coordinates:
    """Places of vertices, as DIMACS writes them."""

    SEEDS = (
        b"c corners\np aux sp co 3\nv 1 -73530767 41085396\nv 2 0 7\nv 3 1 2\n",
        b"p aux sp co 2\nv 2 0.5 -1e3\nc between\nv 1 3 4\n",
    )

    def __init__(self, place: Path) -> None:
        self.path = place / "places.co"

    def __call__(self, rng: random.Random) -> bool:
        raw = few_places(rng, rng.choice(self.SEEDS))
        self.path.write_bytes(raw)
        try:
            with tg.limits(memory=MEMORY):
                found = tg.read_coordinates(self.path)
        except tg.TachographError:
            return False
        text = raw.decode(errors="replace").removeprefix("\ufeff")
        lines = [line.strip(" \t\r") for line in text.split("\n")]
        rows = [reference.words_of(line) for line in lines if line[:1] == "v"]
        places = {int(words[1]): tuple(map(float, words[2:])) for words in rows}
        want = [places[v] for v in range(1, len(found) + 1)]
        must(
            list(map(tuple, found.tolist())) == want and len(places) == len(found),
            f"{found} of {raw!r}",
        )
        return True


class Names:
    """Edge lists whose vertices are words."""

    WORDS = (
        "a",
        "b",
        "ab",
        "a1",
        "1a",
        "é",
        "日本",
        "10",
        "1_0",
        "07",
        "7",
        "-3",
        "x.y",
        "1.0",
        "1e3",
        "'",
        '"',
    )

    def __init__(self, place: Path) -> None:
        self.path = place / "names.txt"

    def __call__(self, rng: random.Random) -> bool:
        weighted = rng.random() < 0.5
        lines = []
        for _ in range(rng.randrange(1, 12)):
            words = [rng.choice(self.WORDS), rng.choice(self.WORDS)]
            lines.append(" ".join([*words, str(rng.choice((1, 2.5, 7)))] if weighted else words))
        raw = ("\n".join(lines) + "\n").encode()
        if rng.random() < 0.7:
            raw = few_places(rng, raw)
        self.path.write_bytes(raw)
        try:
            with tg.limits(memory=MEMORY):
                g = tg.read(self.path, relabel=True, format="edgelist")
                ends = [g.names[side].tolist() for side in g.to_edges()[:2]]
        except tg.TachographError:
            return False
        whole = all(isinstance(name, int) for side in ends for name in side)
        lines = [line.strip(b" \t\r") for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
        lines = [line.decode() for line in lines if line and line[:1] not in (b"#", b"%")]
        told = [reference.words_of(line)[:2] for line in lines]
        want = Counter((int(u), int(v)) if whole else (u, v) for u, v in told)
        must(Counter(zip(*ends, strict=True)) == want, f"{ends} of {raw!r}")
        return True
