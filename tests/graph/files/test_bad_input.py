"""Every kind of damage gives one clear error that names the file and, if it can, the line."""

from __future__ import annotations

import gzip
import json
import os
import struct
import zlib
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.graph.files import tgraph
from tachograph.graph.files.streams import COMPRESSIONS
from tachograph.util import memory

MM = "%%MatrixMarket matrix coordinate"

# name: content, what the error says, its line
TEXTS = {
    "comments.txt": ("# only\n# comments\n", "no edges", None),
    "word.txt": ("0 1\n# c\n1 x\n", "expected a vertex id .* found 'x'", 3),
    "url.txt": ("https://example.org\n0 1\n", "expected a vertex id", 1),
    "negative.txt": ("0 1\n-1 2\n", "vertex id -1 is negative", 2),
    "fraction.txt": ("0 1\n1 2.5\n", "expected a vertex id .* found '2.5'", 2),
    "ragged.txt": ("0 1 5\n\n1 2\n", "has 2 columns where the first line has 3", 3),
    "ragged2.txt": ("0 1\n1 2 3\n", "has 3 columns where the first line has 2", 2),
    "one.txt": ("0\n1\n", "too few", 1),
    "nan.txt": ("0 1 1\n1 2 nan\n", "'nan' is not a finite", 2),
    "inf.txt": ("0 1 -inf\n", "not a finite", 1),
    "huge-weight.txt": ("0 1 1e999\n", "not a finite", 1),
    "weight.txt": ("0 1 1\n1 2 cheap\n", "expected a weight but found 'cheap'", 2),
    "decimal-comma.txt": ("# c\n0 1 1,5\n1 2 2,5\n", "number with a comma", 2),
    "comma.csv": ("0,1\n1,,2\n", "empty field", 2),
    "comma-counts.txt": (",9 8\n" + "0 1\n" * 8, "expected a vertex id", 1),
    "counts-comma.txt": ("9 8,\n" + "0 1\n" * 8, "empty field", 1),
    "wide.txt": ("0 99999999999999999999\n", "does not fit in 64 bits", 1),
    "memory.txt": ("0 900000000000000\n", "needs about .* of memory", None),
    "exact.txt": ("0 1 9007199254740993000\n", r"beyond 2\*\*53", None),
    "p.gr": ("c x\na 1 2 3\n", "no problem line", None),
    "kind.gr": ("p cut 2 1\na 1 2 3\n", "unknown problem 'cut'", 1),
    "words.gr": ("p sp two 1\na 1 2 3\n", "expected 'p sp VERTICES EDGES'", 1),
    "count.gr": ("p sp 2 2\na 1 2 3\n", "promises 2 edges but 1", None),
    "zero.gr": ("c\np sp 2 1\na 0 2 3\n", "ids begin at 1", 3),
    "above.gr": ("p sp 2 1\na 1 3 3\n", "there is no vertex 3: the header says 2 vertices", 2),
    "tag.gr": ("p sp 2 1\nx 1 2 3\n", "begins with 'a'", 2),
    "weightless.gr": ("p sp 2 1\na 1 2\n", "has 2 columns where", 2),
    "promise.gr": ("p sp 5 999999999\na 1 2 3\n", "is it complete", None),
    "terminals.max": ("p max 2 1\nn 1 s\na 1 2 3\n", "one 'n ID s' and one 'n ID t'", None),
    "terminal.max": ("p max 2 1\nn 9 s\nn 2 t\na 1 2 3\n", "no vertex 9", 2),
    "sources.max": ("p max 3 1\nn 1 s\nn 2 s\nn 3 t\na 1 2 3\n", "more than one source", 3),
    "header.graph": ("a b\n", "expected 'vertices edges", 1),
    "rows.graph": ("3 2\n2 3\n1\n", "promises 3 vertices but 2 lines", None),
    "edges.graph": ("2 3\n2\n1\n", "promises 3 edges but 1 are listed", None),
    "outside.graph": ("2 1\n3\n1\n", "vertex 1 lists 3, but ids go from 1 to 2", None),
    "word.graph": ("2 1\n2\nx\n", "expected a vertex id", 3),
    "fmt.graph": ("2 1 7\n2\n1\n", "not made of up to three 0 or 1", 1),
    "ncon.graph": ("2 1 1 3\n2\n1\n", "does not go with ncon", 1),
    "pairs.graph": ("2 1 1\n2\n1 5\n", "does not fit fmt 001", None),
    "oneway.graph": ("3 2\n2 3\n1 3\n\n", "one direction only", None),
    "twoweights.graph": ("2 1 1\n2 5\n1 6\n", "two weights", None),
    "banner.mtx": ("3 3 1\n1 2\n", "begins with %%MatrixMarket", 1),
    "short.mtx": (f"{MM}\n", "expected '%%MatrixMarket matrix", 1),
    "array.mtx": ("%%MatrixMarket matrix array real general\n1 1\n1\n", "array matrices", 1),
    "complex.mtx": (f"{MM} complex general\n1 1 1\n1 1 1 1\n", "field 'complex'", 1),
    "hermitian.mtx": (f"{MM} real hermitian\n1 1 1\n1 1 1\n", "symmetry 'hermitian'", 1),
    "size.mtx": (f"{MM} pattern general\n3 3\n", "expected 'rows columns entries'", 2),
    "nosize.mtx": (f"{MM} pattern general\n% only\n", "no line 'rows", None),
    "rectangle.mtx": (f"{MM} pattern general\n3 4 1\n1 1\n", "square", 2),
    "upper.mtx": (f"{MM} pattern symmetric\n3 3 1\n1 2\n", r"below the diagonal or on it.*\(1, 2\)", None),
    "skew.mtx": (f"{MM} real skew-symmetric\n3 3 1\n2 2 1\n", "below the diagonal, but", None),
    "count.mtx": (f"{MM} pattern general\n3 3 2\n1 2\n", "promises 2 entries but 1", None),
    "above.mtx": (f"{MM} pattern general\n3 3 1\n1 4\n", "there is no vertex 4", 3),
    "zero.mtx": (f"{MM} pattern general\n3 3 1\n0 1\n", "ids begin at 1", 3),
    "value.mtx": (f"{MM} integer general\n3 3 1\n1 1 1.5\n", "some values are fractions", None),
    "end.tntp": ("<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n1 2 3 4 5;\n", "END OF METADATA", None),
    "links.tntp": ("<NUMBER OF NODES> 2\n<END OF METADATA>\n1 2 3 4 5;\n", "is missing", None),
    "number.tntp": ("<NUMBER OF LINKS> x\n<END OF METADATA>\n", "needs a number", 1),
    "count.tntp": ("<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n1 2 3 4 5;\n",
                   "promises 2 links but 1", None),
    "narrow.tntp": ("<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n1 2 3;\n",
                    "no column free_flow_time", None),
    "columns.csv": ("a,b,c,d\n1,2,3,4\n", "which column holds the source", None),
    "words.csv": ("source,target\na,1b\n", "relabel=True", None),
    "twice.csv": ("source,source,target\n1,2,3\n", "several columns are called 'source'", None),
    "late.tntp": ("<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n1 2 3 4 1E999;5;\n",
                  "not a finite", 4),
    "hole.csv": ("source,target\n1,\n", "empty cell", None),
    "garbage.parquet": ("PAR1 and then nothing", "magic bytes", None),
    "garbage.arrow": ("ARROW1 and then nothing", "Not an Arrow file", None),
    "garbage.npz": ("PK\x03\x04 and then nothing", "npz", None),
    "garbage.sg": ("x" * 99, "its size does not match", None),
    "garbage.tgraph": ("x" * 99, "not a .tgraph", None),
    "short.tgraph": ("x", "cut short", None),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_text(name):
    content, message, line = TEXTS[name]
    Path(name).write_bytes(content.encode("latin-1"))
    kinds = (tg.FileFormatError, tg.TooLargeError)
    with pytest.raises(kinds, match=message) as caught:
        tg.read(name)
    if isinstance(caught.value, tg.FileFormatError):
        assert caught.value.path == name
        assert caught.value.line == line
        assert name in str(caught.value)
    assert os.listdir() == [name]


def test_missing_empty_directory_and_unreadable():
    with pytest.raises(tg.MissingFileError, match="nowhere.txt: there is no such file"):
        tg.read("nowhere.txt")
    Path("empty.txt").touch()
    with pytest.raises(tg.FileFormatError, match="the file is empty"):
        tg.read("empty.txt")
    Path("empty.txt.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(tg.FileFormatError, match="empty once decompressed"):
        tg.read("empty.txt.gz")
    Path("dir.txt").mkdir()
    with pytest.raises(tg.FileFormatError, match="directory"):
        tg.read("dir.txt")
    Path("noise").write_bytes(bytes(range(256)) * 9)
    with pytest.raises(tg.FileFormatError, match="binary data"):
        tg.read("noise")
    with pytest.raises(tg.InputError, match="format 'xyz' is not one of"):
        tg.read("noise", format="xyz")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_truncated_compression(compression):
    tg.write(tg.uniform(5000, 8, rng=1), f"u.txt{compression}")
    whole = Path(f"u.txt{compression}").read_bytes()
    for share in (0.9, 0.5, 0.1):
        Path(f"t.txt{compression}").write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(tg.FileFormatError, match=f"damaged {compression[1:]} data"):
            tg.read(f"t.txt{compression}")


def test_the_line_is_right_in_any_block(monkeypatch):
    from tachograph.graph.files import streams, text

    monkeypatch.setattr(streams, "BLOCK_BYTES", 200)
    monkeypatch.setattr(text, "PART_BYTES", 50)
    lines = [f"{i} {i + 1}" for i in range(300)]
    for bad in (0, 1, 150, 299):
        wrong = [*lines[:bad], "7 x", *lines[bad + 1 :]]
        for name in ("b.txt", "b.txt.gz"):
            raw = ("\n".join(wrong)).encode()
            Path(name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
            with pytest.raises(tg.FileFormatError) as caught:
                tg.read(name)
            assert caught.value.line == bad + 1
    Path("good.txt").write_text("\n".join(lines))
    assert tg.read("good.txt").m == 300


def test_an_id_that_needs_64_bits_in_a_later_block(monkeypatch):
    from tachograph.graph.files import streams

    monkeypatch.setattr(streams, "BLOCK_BYTES", 64)
    Path("wide.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(50)) + "5000000000 1\n")
    g = tg.read("wide.txt", relabel=True)
    assert (g.m, g.names[-1], g.names[50]) == (51, 5_000_000_000, 50)


def test_an_id_that_needs_64_bits_in_a_later_part_of_a_block(monkeypatch):
    from tachograph.graph.files import text

    monkeypatch.setattr(text, "PART_BYTES", 50)
    Path("wide.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(50)) + "5000000000 1\n")
    with tg.threads(4):
        assert tg.read("wide.txt", relabel=True).m == 51


def test_tgraph_damage(monkeypatch):
    tg.write(tg.kronecker(6, rng=1, weights=True), "g.tgraph")
    whole = Path("g.tgraph").read_bytes()
    good = tg.read("g.tgraph")

    def damaged(raw):
        Path("d.tgraph").write_bytes(raw)
        return tg.read("d.tgraph")

    header = struct.unpack_from("<8sIII", whole)
    newer = struct.pack("<8sIII", header[0], 99, *header[2:]) + whole[20:]
    with pytest.raises(tg.FileFormatError, match="written by a newer tachograph .* upgrade"):
        damaged(newer)
    flipped = bytearray(whole)
    flipped[30] ^= 1
    with pytest.raises(tg.FileFormatError, match="header's checksum is wrong"):
        damaged(bytes(flipped))
    for at in (len(whole) - 1, len(whole) // 2):
        flipped = bytearray(whole)
        flipped[at] ^= 1
        with pytest.raises(tg.FileFormatError, match="checksum of .* is wrong"):
            damaged(bytes(flipped))
    for cut in (len(whole) - 1, len(whole) // 2, 100, 21, 5):
        with pytest.raises(tg.FileFormatError, match="cut short|checksum|not a .tgraph"):
            damaged(whole[:cut])
    # a forged file whose checksums are right but whose ids are not
    entries = json.loads(whole[20 : 20 + header[2]])
    indices = next(a for a in entries["arrays"] if a["name"] == "indices")
    forged = bytearray(whole)
    struct.pack_into("<i", forged, indices["at"], 10**6)
    body = bytes(forged[indices["at"] : indices["at"] + 4 * good.arcs])
    indices["crc32"] = zlib.crc32(body)
    raw = json.dumps(entries).encode().ljust(header[2])
    forged[:20] = struct.pack("<8sIII", header[0], 1, len(raw), zlib.crc32(raw))
    forged[20 : 20 + len(raw)] = raw
    with pytest.raises(tg.FileFormatError, match="neighbour outside"):
        damaged(bytes(forged))
    # a large file is checked when it is first used
    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    flipped = bytearray(whole)
    flipped[-1] ^= 1
    lazy = damaged(bytes(flipped))
    assert lazy.n == good.n
    with pytest.raises(tg.FileFormatError, match="checksum of weights"):
        lazy.degrees  # noqa: B018


HEADERS = {
    "n.mtx": f"{MM} pattern general\n3\xa0 3 1\n1 2\n",
    "n.gr": "p sp 3\xa01\na 1 2 1\n",
    "n.max": "p max 3 1\nn 1\xa0s\nn 2 t\na 1 2 1\n",
    "n.graph": "2\xa01\n2\n1\n",
    "n.tntp": "<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n<\xa0END OF METADATA>\n1 2 0 1 1 0 0 0 0 0 ;\n",
}


@pytest.mark.parametrize("name", HEADERS)
def test_only_plain_blanks_separate_words(name):
    Path(name).write_text(HEADERS[name].replace("\xa0", " "))
    assert tg.read(name).m == 1
    Path(name).write_text(HEADERS[name])
    with pytest.raises(tg.FileFormatError):
        tg.read(name)


def test_a_comment_with_an_odd_blank_says_nothing():
    Path("k.txt").write_text("%\x85sym\n0 1\n")
    assert tg.read("k.txt").directed


@pytest.mark.parametrize("weight", ["0x1", "0X1F", "-0x1"])
def test_hexadecimal_weights_in_csv(weight):
    Path("h.csv").write_text(f"source,target,weight\n0,1,2\n1,2,{weight}\n")
    with pytest.raises(tg.FileFormatError, match="weight"):
        tg.read("h.csv")
    Path("h.csv").write_text("source,target,weight,xo\n0,1,2,0x5\n1,2,3,0x6\n")
    assert tg.read("h.csv").weights.tolist() == [2, 3]


def test_an_archive_behind_other_bytes():
    tg.write(tg.path(3), "g.npz")
    Path("g.npz").write_bytes(b"#" + Path("g.npz").read_bytes())
    with pytest.raises(tg.FileFormatError, match="zip"):
        tg.read("g.npz", format="npz")


@pytest.mark.parametrize("line", ["v 1_0 2 3", "v 1 1_0 3", "v 1 2 inf", "v 1 2 3 4", "v ١ 2 3"])
def test_coordinates_are_decimal_numbers(line):
    Path("c.co").write_text(f"p aux sp co 1\n{line}\n")
    with pytest.raises(tg.FileFormatError, match="expected"):
        tg.read_coordinates("c.co")


def test_more_edges_than_memory(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10_000)
    Path("m.mtx").write_text(f"{MM} pattern general\n9 9 3000\n" + "1 2\n" * 3000)
    with pytest.raises(tg.TooLargeError, match=r"m.mtx.*3,000 entries needs about 54.1 kB"):
        tg.read("m.mtx")
    Path("m.txt").write_text("1 2\n" * 3000)
    with pytest.raises(tg.TooLargeError, match=r"m.txt.*needs about"):
        tg.read("m.txt")


def test_nothing_half_written(monkeypatch):
    g = tg.Graph.from_edges([0, 1], [1, 2], [0.5, 1.5])
    for name, message in [
        ("a.xyz", "no format has that suffix"),
        ("a.graph", "undirected"),
        ("a.max", "source and a sink"),
        ("a.wsg", "int32 weights"),
        ("missing/a.txt", "no directory"),
    ]:
        with pytest.raises(tg.InputError, match=message):
            tg.write(g, name)
    assert os.listdir() == []
    u = tg.Graph.from_edges([0], [1], [0.5], directed=False)
    with pytest.raises(tg.InputError, match="whole-number"):
        tg.write(u, "a.graph")
    tg.write(g, "keep.txt")
    before = Path("keep.txt").read_bytes()

    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tachograph.graph.files.text.write_lines", fail)
    with pytest.raises(KeyboardInterrupt):
        tg.write(g, "keep.txt")
    assert os.listdir() == ["keep.txt"]
    assert Path("keep.txt").read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        {"n": "x"}, {"n": 9}, {"arrays": 5}, {"arrays": []}, {"meta": 3}, {"directed": None, "m": {}},
        {"arrays": [{"name": "indptr", "type": "float64", "shape": [2], "at": 0, "crc32": 0}]},
        {"arrays": [{"name": "indptr", "type": "int64", "shape": [-2], "at": 64, "crc32": 0}]},
        None, [], "",
    ],
)  # fmt: skip
def test_forged_tgraph_headers(change):
    tg.write(tg.path(3), "p.tgraph")
    whole = Path("p.tgraph").read_bytes()
    magic, version, length, _ = struct.unpack_from("<8sIII", whole)
    header = json.loads(whole[20 : 20 + length])
    forged = {**header, **change} if isinstance(change, dict) else change
    raw = json.dumps(forged).encode().ljust(length) if change != "" else b""
    start = struct.pack("<8sIII", magic, version, len(raw), zlib.crc32(raw)) + raw
    Path("f.tgraph").write_bytes(start + whole[len(start) :])
    with pytest.raises(tg.FileFormatError):
        tg.read("f.tgraph")


@pytest.mark.parametrize("line", [",# no comment", ",%", ",", "a,,b", "a b,"])
def test_lines_of_names_with_empty_fields(line):
    Path("names.txt").write_text(f"a b\n{line}\nb c\n")
    with pytest.raises(tg.FileFormatError, match="empty field"):
        tg.read("names.txt", relabel=True)
