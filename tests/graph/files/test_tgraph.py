"""``.tgraph``: what the header claims is verified, and a file that changes under us is an error."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.graph.files import streams, tgraph

FIXED = struct.Struct("<8sIII")


def forged(name, change):
    """Write the file again with a changed header and arrays; all checksums are right."""
    raw = Path(name).read_bytes()
    magic, version, length, _ = FIXED.unpack_from(raw)
    header = json.loads(raw[FIXED.size : FIXED.size + length])
    arrays = {}
    for a in header["arrays"]:
        size = int(np.prod(a["shape"]))
        arrays[a["name"]] = np.frombuffer(raw, a["type"], size, a["at"]).copy()
    change(header, arrays)
    body, at = b"", 1 << 12
    for a in header["arrays"]:
        if a["name"] in arrays:
            data = arrays[a["name"]].tobytes()
            a["at"], a["crc32"] = at, zlib.crc32(data)
            body += data.ljust(-(-len(data) // 64) * 64, b"\0")
            at = (1 << 12) + len(body)
    text = json.dumps(header).encode()
    whole = (FIXED.pack(magic, version, len(text), zlib.crc32(text)) + text).ljust(1 << 12, b"\0")
    Path("forged.tgraph").write_bytes(whole + body)
    return "forged.tgraph"


def swap(arrays, name, i, j):
    arrays[name][[i, j]] = arrays[name][[j, i]]


LIES = {
    "sorted": (lambda h, a: swap(a, "indices", 1, 2), "sorted"),
    "not sorted": (lambda h, a: h.update(sorted=False), "sorted"),
    "undirected": (lambda h, a: a["indices"].__setitem__(-1, 1), "reverse"),
    "weights of one edge": (lambda h, a: a["weights"].__setitem__(0, 9), "reverse"),
    "edges": (lambda h, a: h.update(m=h["m"] - 1), "edges"),
    "infinite": (lambda h, a: a["weights"].__setitem__(slice(None), np.inf), "finite"),
    "no number": (lambda h, a: a["weights"].__setitem__(slice(None), np.nan), "finite"),
    "vertices": (lambda h, a: h.update(n=h["n"] + 1), "counts"),
    "text for n": (lambda h, a: h.update(n=str(h["n"])), "malformed"),
    "fraction for m": (lambda h, a: h.update(m=h["m"] + 0.5), "malformed"),
    "number for directed": (lambda h, a: h.update(directed=0), "malformed"),
    "list for meta": (lambda h, a: h.update(meta=[]), "malformed"),
    "names too few": (lambda h, a: a["name_ends"].__setitem__(-1, 3), "names"),
    "names overlap": (lambda h, a: swap(a, "name_ends", 0, 1), "names"),
    "names not text": (lambda h, a: a["names"].__setitem__(0, 255), "names"),
    "names twice": (lambda h, a: a["names"].__setitem__(1, ord("a")), "names"),
    "unknown array": (lambda h, a: h["arrays"][0].update(name="colours"), "malformed|described"),
    "twice the same": (lambda h, a: h["arrays"].append(dict(h["arrays"][0])), "described"),
    "before the file": (lambda h, a: (a.pop("names"), h["arrays"][-2].update(at=-64)), "described"),
    "too many": (lambda h, a: (a.pop("names"), h["arrays"][-2].update(shape=[2**40, 2**40])),
                 "cut short|described"),
    "many sizes": (lambda h, a: (a.pop("names"), h["arrays"][-2].update(shape=[2] * 100_000)),
                   "described"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_claims_of_the_header_are_verified(lie):
    ends = np.array(list("abca")), np.array(list("bcad"))
    g = tg.Graph.from_edges(*ends, [0.5, 1.5, 2.5, 3.5], directed=False, relabel=True).sorted
    tg.write(g, "g.tgraph")
    same = forged("g.tgraph", lambda header, arrays: None)
    assert tg.read(same).names.tolist() == list("abcd")
    change, message = LIES[lie]
    with pytest.raises(tg.FileFormatError, match=message):
        tg.read(forged("g.tgraph", change)).names  # noqa: B018


def test_false_order_does_not_lose_triangles():
    g = tg.kronecker(6, rng=1)
    tg.write(g.sorted, "g.tgraph")

    def reverse(header, arrays):
        for lo, hi in zip(g.indptr[:-1], g.indptr[1:], strict=True):
            arrays["indices"][lo:hi] = arrays["indices"][lo:hi][::-1].copy()

    with pytest.raises(tg.FileFormatError, match="sorted"):
        tg.triangles(tg.read(forged("g.tgraph", reverse)))


@pytest.fixture
def mapped(monkeypatch):
    monkeypatch.setattr(streams, "MAP_ABOVE_BYTES", 0)
    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    tg.write(tg.path(5000), "g.tgraph")
    return tg.read("g.tgraph", mapped=True)


OVERWRITTEN = """
import os, sys
import tachograph as tg
from tachograph.graph.files import streams, tgraph

streams.MAP_ABOVE_BYTES = tgraph.CHECK_ON_OPENING_BYTES = 0
tg.write(tg.path(100_000), "g.tgraph")
g = tg.read("g.tgraph")
rows = g.rows  # as a kernel that is running has them
if sys.argv[1] == "cut":
    os.truncate("g.tgraph", 100)
else:
    with open("g.tgraph", "r+b") as file:
        file.write(b"\\x7f" * os.path.getsize("g.tgraph"))
print(rows.indices.sum(), tg.bfs(g, 0).levels[-1])
"""


@pytest.mark.parametrize("how", ["cut", "overwritten"])
def test_a_file_that_somebody_writes_to_during_a_call_does_no_harm(how):
    words = [sys.executable, "-c", OVERWRITTEN, how]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [str(99_999 * 99_999), "99999"]), (
        done.stderr
    )


def test_a_file_that_changes_before_its_first_use(monkeypatch):
    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    for change in (lambda: os.truncate("g.tgraph", 4096), lambda: os.utime("g.tgraph", ns=(1, 1))):
        tg.write(tg.path(5000), "g.tgraph")
        g = tg.read("g.tgraph")
        assert (g.n, g.m, g.nbytes) == (5000, 4999, 5001 * 8 + 9998 * 4)
        change()
        for _ in range(2):
            with pytest.raises(tg.FileFormatError, match="changed since it was opened"):
                tg.bfs(g, 0)


def test_threads_that_use_a_graph_for_the_first_time_together(monkeypatch):
    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    tg.write(tg.path(5000), "g.tgraph")
    g, read = tg.read("g.tgraph"), []
    monkeypatch.setattr(
        streams.Held,
        "content",
        lambda self, copy=streams.Held.content: (read.append(1), copy(self))[1],
    )
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: int(g.indices.sum()), range(32))) == {4999 * 4999}
    assert read == [1]


def test_a_header_that_claims_to_be_long():
    tg.write(tg.path(3), "g.tgraph")
    raw = bytearray(Path("g.tgraph").read_bytes())
    raw[12:16] = (2**32 - 1).to_bytes(4, "little")
    Path("g.tgraph").write_bytes(raw)
    os.truncate("g.tgraph", 1 << 25)  # of which only the beginning takes room
    with pytest.raises(tg.TooLargeError, match="its header"), tg.limits(memory="1 MB"):
        tg.read("g.tgraph")


def test_a_negative_number_of_vertices():
    tg.write(tg.path(3), "g.tgraph")

    def change(header, arrays):
        header["n"] = -1
        for a in header["arrays"]:
            if a["name"] == "indptr":
                a["shape"] = [0]
        arrays["indptr"] = arrays["indptr"][:0]

    with pytest.raises(tg.FileFormatError, match="counts"):
        tg.read(forged("g.tgraph", change))


@pytest.mark.parametrize("used", [False, True])
def test_a_file_that_shrinks(mapped, used):
    if used:
        mapped.indices.sum()
    os.truncate("g.tgraph", 4096)
    for use in (lambda: tg.bfs(mapped, 0), lambda: mapped.degrees, lambda: mapped.indices[-1]):
        with pytest.raises(tg.FileFormatError, match="changed since it was opened.*read it again"):
            use()


def test_a_file_that_is_rewritten_in_place(mapped):
    assert tg.bfs(mapped, 0).levels[-1] == 4999
    size = Path("g.tgraph").stat().st_size
    with Path("g.tgraph").open("r+b") as file:
        file.seek(size - 4000)
        file.write(b"\x7f" * 4000)
    with pytest.raises(tg.FileFormatError, match="changed since it was opened"):
        tg.bfs(mapped, 0)


def test_a_file_that_changes_during_a_run(mapped, monkeypatch):
    from tachograph.tasks.table import TASKS

    bfs = TASKS["bfs"].function

    def bfs_while_somebody_writes(graph, *given, **told):
        result = bfs(graph, *given, **told)
        os.utime("g.tgraph", ns=(1, 1))
        return result

    monkeypatch.setitem(TASKS["bfs"].__dict__, "function", bfs_while_somebody_writes)
    with pytest.raises(tg.FileFormatError, match="changed since it was opened"):
        tg.bfs(mapped, 0)


def test_our_own_writer_leaves_readers_alone(mapped):
    tg.write(tg.path(7), "g.tgraph")
    assert tg.bfs(mapped, 0).levels[-1] == 4999
    Path("g.tgraph").unlink()
    assert tg.bfs(mapped, 1).levels[-1] == 4998


def test_small_files_are_not_mapped():
    tg.write(tg.path(5000), "g.tgraph")
    g = tg.read("g.tgraph")
    os.truncate("g.tgraph", 4096)
    assert tg.bfs(g, 0).levels[-1] == 4999
