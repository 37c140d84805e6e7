"""Slow readers of all formats that share no code with the package: what a file says, in plain Python.

Each returns what it found, or raises Refused. Readers of the package may refuse more, but what they
accept must be the same.
"""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import zlib
from collections import Counter
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.A)
COUNTS = re.compile(r"nodes:?\s*(\d{1,18})[\s,;]+edges:?\s*(\d{1,18})\b", re.I | re.A)
BLANKS = " \t\r"
NAMES = {
    "source": ["source", "src", "from", "u", "tail", "start"],
    "target": ["target", "dst", "to", "v", "head", "end", "destination"],
    "weight": ["weight", "w", "cost", "distance", "length", "capacity", "value"],
}


class Refused(Exception):
    """The file is not what its format demands."""


class Found(NamedTuple):
    """Edges (u, v, weight or None); ``both``: an undirected file lists both directions (None: unknown)."""

    edges: list[tuple]
    n: int | None
    directed: bool = True
    both: bool | None = None

    def plain(self) -> tuple[int, bool, Counter]:
        """Return vertices, directed, and how often there is each edge, an undirected one once."""
        n = max((max(e[:2]) + 1 for e in self.edges), default=0) if self.n is None else self.n
        need(all(0 <= x < n for e in self.edges for x in e[:2]))
        if self.directed:
            return n, True, Counter(self.edges)
        there, back = Counter(self.edges), Counter((v, u, w) for u, v, w in self.edges)
        both = there == back if self.both is None else self.both
        need(not both or there == back)
        once = [(u, v, w) for u, v, w in self.edges if not both or u <= v]
        return n, False, Counter((min(u, v), max(u, v), w) for u, v, w in once)


def need(condition: object) -> None:
    if not condition:
        raise Refused


def whole(word: str) -> int:
    need(re.fullmatch("[0-9]+", word, re.A))
    return int(word)


def number(word: str) -> float:
    need(DECIMAL.fullmatch(word))
    need(abs(float(word)) < float("inf"))
    return float(word)


def lines_of(raw: bytes) -> list[str]:
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    need(not re.search("\r(?![\r\n])", text + "\n"))
    return text.split("\n")


def words_of(line: str, also: str = "") -> list[str]:
    """Words between blanks or single commas."""
    for c in also:
        line = line.replace(c, " ")
    need(not re.search(r"^\s*,|,[ \t\r]*(,|$)", line))
    return [w for w in re.split("[ \t\r,]", line) if w]


def plain_words(line: str) -> list[str]:
    return [word for word in re.split("[ \t\r]", line) if word]


def edges_of(lines: list[str], comments: str, fields: int, base: int, tag: str = "", weight: int = 2,
             also: str = "") -> list[tuple]:  # fmt: skip
    found = []
    for line in lines:
        line = line.strip(BLANKS + also)
        if not line or line[0] in comments:
            continue
        words = words_of(line, also)
        if tag:
            need(words[0] == tag)
            del words[0]
        fields = fields or len(words)
        need(len(words) == fields >= 2)
        value = number(words[weight]) if weight < fields else None
        found.append((whole(words[0]) - base, whole(words[1]) - base, value))
    return found


def edgelist(raw: bytes) -> Found:
    lines = [line.strip(BLANKS) for line in lines_of(raw)]
    first = next((i for i, line in enumerate(lines) if line and line[0] not in "#%"), len(lines))
    counts, directed = None, True
    for line in lines[:first]:
        if said := COUNTS.search(line):
            counts = int(said[1]), int(said[2])
        if said := re.match(r"[#%]\s*(un)?directed\s+graph", line, re.I | re.A):
            directed = said[1] is None
        if said := re.match(r"%\s*(sym|asym)\b", line, re.A):
            directed = said[1] == "asym"
    if first < len(lines):  # a comma for a point
        need(not re.fullmatch(r"[^\s,]+[ \t]+[^\s,]+[ \t]+[-+]?[0-9]+,[0-9]+", lines[first], re.A))
    edges = edges_of(lines, "#%", 0, 0)
    highest = max((max(e[:2]) for e in edges), default=-1)
    n = counts[0] if counts and highest < counts[0] else None
    if counts is None and edges and edges[0][2] is None and edges[0][1] >= 8:
        rest = edges[1:]
        head = edges[0]
        if len(rest) == head[1] and max(max(e[:2]) for e in rest) < head[0]:
            return Found(rest, head[0], directed)
    need(edges or (counts and counts[1] == 0))
    return Found(edges, n, directed)


def mtx(raw: bytes) -> Found:
    lines = lines_of(raw)
    banner = plain_words(lines[0].lower())
    need(banner[:3] == ["%%matrixmarket", "matrix", "coordinate"] and len(banner) == 5)
    field, symmetry = banner[3:]
    need(field in ("pattern", "integer", "real", "double"))
    need(symmetry in ("general", "symmetric", "skew-symmetric"))
    rest = [i for i, x in enumerate(lines) if i and x.strip(BLANKS) and x.strip(BLANKS)[0] != "%"]
    need(rest)
    rows, columns, count = map(whole, plain_words(lines[rest[0]]))
    edges = edges_of(lines[rest[0] + 1 :], "%", 2 if field == "pattern" else 3, 1)
    need(rows == columns and len(edges) == count)
    if symmetry == "general":
        return Found(edges, rows)
    need(all(v < u if symmetry[1] == "k" else v <= u for u, v, _ in edges))
    if symmetry == "symmetric":
        return Found(edges, rows, False, False)
    return Found(edges + [(v, u, None if w is None else -w) for u, v, w in edges], rows)


def dimacs(raw: bytes) -> Found:
    lines = [line.strip(BLANKS) for line in lines_of(raw)]
    at = next((i for i, line in enumerate(lines) if line and line[0] != "c"), None)
    need(at is not None)
    words = plain_words(lines[at])
    need(len(words) == 4 and words[0] == "p")
    tag, fields = {"sp": ("a", 3), "max": ("a", 3), "edge": ("e", 2), "col": ("e", 2),
                   "tw": ("", 2)}.get(words[1], (None, 0))  # fmt: skip
    need(fields)
    lines = lines[at + 1 :]
    if words[1] == "max":
        ends = set()
        while lines and (not lines[0] or plain_words(lines[0])[0] in ("n", "c")):
            said = plain_words(lines.pop(0))
            if said and said[0] == "n":
                need(len(said) == 3 and said[2] in "st" and 1 <= whole(said[1]) <= int(words[2]))
                need(said[2] not in ends)
                ends.add(said[2])
        need(ends == {"s", "t"})
    edges = edges_of(lines, "c", fields, 1, tag)
    need(len(edges) == whole(words[3]))
    directed = words[1] in ("sp", "max")
    return Found(edges, whole(words[2]), directed, None if directed else False)


def metis(raw: bytes) -> Found:
    lines = lines_of(raw)
    if not lines[-1]:
        lines.pop()
    at = next((i for i, x in enumerate(lines) if x.strip(BLANKS)[:1] not in ("", "%")), None)
    need(at is not None)
    words = plain_words(lines[at])
    need(2 <= len(words) <= 4)
    n, m = whole(words[0]), whole(words[1])
    fmt = words[2].zfill(3) if len(words) > 2 else "000"
    need(re.fullmatch("[01]{3}", fmt))
    ncon = whole(words[3]) if len(words) > 3 else int(fmt[1])
    rows = [[whole(w) for w in plain_words(x)] for x in lines[at + 1 :] if x[:1] != "%"]
    need(len(rows) >= n and not any(rows[n:]))
    step, skip, edges = 1 + (fmt[2] == "1"), (fmt[0] == "1") + ncon, []
    for v, row in enumerate(rows[:n]):
        need(len(row) >= skip and (len(row) - skip) % step == 0)
        for k in range(skip, len(row), step):
            edges.append((v, row[k] - 1, float(row[k + 1]) if step == 2 else None))
    need(len(edges) + sum(u == v for u, v, _ in edges) == 2 * m)
    return Found(edges, n, False, True)


def tntp(raw: bytes) -> Found:
    said, lines = {}, lines_of(raw)
    for at, line in enumerate(lines):  # noqa: B007
        if key := re.match(r"<([^>]*)>\s*([^~]*)", line.strip(BLANKS), re.A):
            said[key[1].upper().strip(BLANKS)] = key[2].strip(BLANKS)
            if key[1].upper().strip(BLANKS) == "END OF METADATA":
                break
    need("END OF METADATA" in said)
    edges = edges_of(lines[at + 1 :], "~<", 0, 1, weight=4, also=";")
    need(len(edges) == whole(said["NUMBER OF LINKS"]))
    return Found(edges, whole(said["NUMBER OF NODES"]))


def places(names: list[str]) -> list[int]:
    """Where source, target and, if there is one, weight stand; other columns need a known weight."""
    found = []
    for kind, known in NAMES.items():
        here = [k for k, name in enumerate(names) if name.lower() in known]
        usual = [k for k in here if names[k].lower() == kind]
        need(len(usual or here) == 1 or (kind == "weight" and len(names) == 2))
        found += usual or here
    return found


def columns(rows: list[list], weighted: bool, **about: object) -> Found:
    need(all(type(x) is int or (type(x) is float and x == int(x)) for r in rows for x in r[:2]))
    edges = [(int(r[0]), int(r[1]), float(r[2]) if weighted else None) for r in rows]
    return Found(edges, about.get("n"), about.get("directed", True))


def table(raw: bytes) -> Found:
    rows = [row for row in csv.reader(re.split("\r\n|\r|\n", raw.decode("utf-8-sig"))) if row]
    need(rows and all(len(row) == len(rows[0]) for row in rows))
    at = places(rows[0])
    cells = []
    for row in rows[1:]:
        ends = [re.fullmatch(r"\s*(-?[0-9]+)(\.0*)?\s*", row[k]) for k in at[:2]]
        need(all(ends))
        cells.append([*(int(x[1]) for x in ends), *(number(row[k].strip()) for k in at[2:])])
    return columns(cells, len(at) > 2)


def arrow(raw: bytes) -> Found:
    opener = ipc.open_file if raw[:6] == b"ARROW1" else ipc.open_stream
    return arrow_table(opener(pa.BufferReader(raw)).read_all())


def arrow_table(made: pa.Table) -> Found:
    made.validate(full=True)
    said = made.schema.metadata or {}
    n = said.get(b"vertices", b"")
    at = places(made.column_names)
    rows = [list(row) for row in zip(*(made.column(k).to_pylist() for k in at), strict=True)]
    about = {"n": int(n) if n.isdigit() and len(n) < 19 else None}
    about["directed"] = said.get(b"directed", b"").lower() != b"false"
    need(said.get(b"named") != b"True")
    return columns(rows, len(at) > 2, **about)


def rows_of(indptr: list, indices: list, weights: list | None, directed: bool) -> Found:
    need(indptr and indptr[0] == 0 and indptr[-1] == len(indices) and indptr == sorted(indptr))
    values = [None] * len(indices) if weights is None else [float(w) for w in weights]
    need(len(values) == len(indices))
    edges = [
        (v, int(indices[k]), values[k])
        for v in range(len(indptr) - 1)
        for k in range(int(indptr[v]), int(indptr[v + 1]))
    ]
    return Found(edges, len(indptr) - 1, directed, None if directed else True)


def npz(raw: bytes) -> Found:
    with np.load(io.BytesIO(raw), allow_pickle=False) as file:
        used = {"indptr", "indices", "weights", "data", "directed"} & set(file.files)
        found = {name: file[name] for name in used}
    weights = found.get("weights", found.get("data"))
    if weights is not None and weights.dtype == bool:
        need(weights.all())
        weights = None
    weights = None if weights is None else weights.tolist()
    directed = bool(found["directed"].item()) if "directed" in found else True
    return rows_of(found["indptr"].tolist(), found["indices"].tolist(), weights, directed)


def gapbs(raw: bytes) -> Found:
    directed, arcs, n = struct.unpack_from("<?qq", raw)
    width = (len(raw) - 17) // (1 + directed) - 8 * (n + 1)
    need(arcs >= 0 and n >= 0 and width in (4 * arcs, 8 * arcs))
    indptr = list(struct.unpack_from(f"<{n + 1}q", raw, 17))
    flat = struct.unpack_from(f"<{width // 4}i", raw, 17 + 8 * (n + 1))
    pairs = bool(arcs) and width == 8 * arcs
    return rows_of(indptr, list(flat[:: 1 + pairs]), list(flat[1::2]) if pairs else None, directed)


def tgraph(raw: bytes) -> Found:
    magic, version, length, crc = struct.unpack_from("<8sIII", raw)
    text = raw[20 : 20 + length]
    need(magic == b"\x89TGRAPH\n" and version == 1 and zlib.crc32(text) == crc)
    header = json.loads(text)
    arrays = {}
    for a in header["arrays"]:
        size = int(np.prod(a["shape"])) * np.dtype(a["type"]).itemsize
        body = raw[a["at"] : a["at"] + size]
        need(len(body) == size and zlib.crc32(body) == a["crc32"])
        arrays[a["name"]] = np.frombuffer(body, a["type"]).tolist()
    found = rows_of(arrays["indptr"], arrays["indices"], arrays.get("weights"), header["directed"])
    n, _, edges = found.plain()
    need(n == header["n"] and edges.total() == header["m"])
    rows = zip(arrays["indptr"][:-1], arrays["indptr"][1:], strict=True)
    need(
        header["sorted"]
        == all(arrays["indices"][a:b] == sorted(arrays["indices"][a:b]) for a, b in rows)
    )
    return found


READERS = {
    "tgraph": tgraph, "parquet": lambda raw: arrow_table(parquet.ParquetFile(pa.BufferReader(raw)).read()), "arrow": arrow, "npz": npz, "mtx": mtx, "tntp": tntp,
    "max": dimacs, "gr": dimacs, "sg": gapbs, "wsg": gapbs, "metis": metis, "csv": table,
    "el": edgelist, "wel": edgelist, "edgelist": edgelist,
}  # fmt: skip
