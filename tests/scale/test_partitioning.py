"""A partition holds the graph, all of it, and says what is wrong with files that do not."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from pyarrow import parquet

import tachograph as tg
from tachograph.scale import edges
from tachograph.scale.manifest import open_partition
from tachograph.scale.partitioning import cut
from tachograph.util import files

from ..faults import killed_at_every_line
from ..strategies import REAL, edge_lists
from .graphs import TEN


def arcs_of(parts):
    """All arcs of a partition, by the ids of the whole graph, as sorted tuples."""
    found = []
    for index in range(parts.parts):
        piece = parts.piece(index)
        rows = piece.out
        source = np.repeat(piece.ids, np.diff(rows.indptr)).tolist()
        target = piece.ids[rows.indices].tolist()
        weights = [1.0] * rows.arcs if rows.weights is None else rows.weights.tolist()
        found += zip(source, target, weights, strict=True)
    return sorted(found)


def arcs_of_graph(graph):
    source = np.repeat(np.arange(graph.n), graph.degrees).tolist()
    weights = [1.0] * graph.arcs if graph.weights is None else graph.weights.tolist()
    return sorted(zip(source, graph.indices.tolist(), weights, strict=True))


@pytest.mark.parametrize("kind", TEN)
def test_all_arcs_are_there_and_everybody_knows_whom_to_tell(kind):
    graph = TEN[kind]()
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    assert (parts.n, parts.m, parts.directed) == (graph.n, graph.m, graph.directed)
    assert arcs_of(parts) == arcs_of_graph(graph)
    pieces = [parts.piece(p) for p in range(3)]
    for a in pieces:
        own = np.arange(a.first, a.first + a.size)
        assert np.array_equal(a.degrees, graph.degrees[a.ids])
        assert np.array_equal(a.ids[a.own], own)
        for b in pieces:
            if a is not b:
                assert np.array_equal(a.ids[a.ghosts_of(b.index)], b.ids[b.sends(a.index)])
    assert open_partition("parts") == parts


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(edge_lists(weights=REAL, max_n=9), st.booleans(), st.booleans(), st.integers(1, 4))
def test_files_of_edges_give_what_their_graph_gives(listed, directed, both, count):
    n, listed_edges = listed
    if both:
        listed_edges = listed_edges + [(t, s, w) for s, t, w in listed_edges if s != t]
    source, target, weight = (
        (list(c) for c in zip(*listed_edges, strict=True)) if listed_edges else ([], [], [])
    )
    kinds = [
        pa.array(source, pa.int64()),
        pa.array(target, pa.int64()),
        pa.array(weight, pa.float64()),
    ]
    table = pa.table(dict(zip(["source", "target", "weight"], kinds, strict=True)))
    table = table.replace_schema_metadata({"vertices": str(n), "directed": str(directed)})
    half = len(source) // 2
    for name, part in (("a.parquet", table[:half]), ("b.parquet", table[half:])):
        parquet.write_table(part, name)
    parquet.write_table(table, "all.parquet")
    shutil.rmtree("parts", ignore_errors=True)
    parts = tg.scale.partition(["a.parquet", "b.parquet"], parts=count, directory="parts")
    graph = tg.read("all.parquet")
    assert (parts.n, parts.m, parts.directed) == (graph.n, graph.m, graph.directed)
    assert arcs_of(parts) == arcs_of_graph(graph)


def test_files_are_read_in_batches_and_counters_grow(monkeypatch):
    monkeypatch.setattr(edges, "BATCH_EDGES", 100)
    monkeypatch.setattr(edges, "GROW_VERTICES", 8)
    graph = tg.kronecker(7, rng=1)
    table = pa.table(dict(zip(["src", "dst"], graph.to_edges()[:2], strict=True)))
    parquet.write_table(table, "graph.parquet")
    parts = tg.scale.partition("graph.parquet", parts=3, directory="parts", directed=False)
    assert arcs_of(parts) == arcs_of_graph(graph)[: graph.arcs]
    assert os.listdir("parts").count("partition.json") == 1
    assert not [name for name in os.listdir("parts") if name.endswith((".count", ".spill", ".tmp"))]


def test_partitioning_does_without_pandas():
    tg.write(tg.path(50), "path.parquet")
    program = (
        "import sys, tachograph as tg\n"
        "tg.scale.partition('path.parquet', parts=2, directory='parts')\n"
        "sys.exit('pandas' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_parts_have_about_the_same_work():
    graph = tg.kronecker(10, rng=1)
    cuts = cut([graph.degrees], graph.n, 8)
    assert cuts[0] == 0
    assert cuts[-1] == graph.n
    work = [int(graph.degrees[a:b].sum()) + b - a for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
    assert max(work) <= sum(work) / 8 + graph.degrees.max() + 1


def test_other_files_are_read_whole():
    tg.write(tg.path(5), "path.mtx")
    assert arcs_of(tg.scale.partition("path.mtx", parts=2, directory="parts")) == arcs_of_graph(
        tg.path(5)
    )


def bad_parquet(**columns):
    parquet.write_table(pa.table(columns), "bad.parquet")
    return "bad.parquet"


def too_few_vertices():
    edges = pa.table({"source": [0, 1], "target": [1, 9]})
    parquet.write_table(edges.replace_schema_metadata({"vertices": "4"}), "bad.parquet")
    return "bad.parquet"


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        (lambda: [], tg.InputError, "no files"),
        (lambda: "missing.parquet", tg.MissingFileError, "no such file"),
        (lambda: ["a.txt", "b.txt"], tg.InputError, "Parquet"),
        (lambda: bad_parquet(source=[0, -3], target=[1, 1]), tg.FileFormatError, "bad.parquet.*-3"),
        (
            lambda: bad_parquet(source=["a"], target=["b"]),
            tg.FileFormatError,
            "bad.parquet.*names, not ids.*--relabel",
        ),
        (lambda: bad_parquet(a=[1], b=[1], c=[1], d=[1]), tg.FileFormatError, "which column"),
        (lambda: too_few_vertices(), tg.FileFormatError, "a target is 9, but it says 4 vertices"),
    ],
)
def test_what_cannot_be_partitioned(what, error, message):
    with pytest.raises(error, match=message):
        tg.scale.partition(what(), parts=2, directory="parts")
    assert not [name for name in os.listdir() if "parts" in name]


def test_ids_that_no_part_has_room_for_make_no_files(monkeypatch):
    made = []
    monkeypatch.setattr(tg.scale.edges, "reserve", lambda path, size: made.append(size))
    bad_parquet(source=[0], target=[1 << 40])
    with pytest.raises(tg.TooLargeError, match=r"each of 2 parts of .* are ids so large"):
        tg.scale.partition("bad.parquet", parts=2, directory="parts")
    assert made == []


def test_rows_that_arrow_leaves_out_are_missed():
    """A page that claims to be empty: batches end there, without an error."""
    corpus = Path(__file__).parent.parent / "graph" / "files" / "corpus" / "parquet"
    raw = bytearray((corpus / "written-0").read_bytes())
    assert raw[40] == 0
    raw[40] = 127
    Path("bad.parquet").write_bytes(raw)
    assert not list(parquet.ParquetFile("bad.parquet").iter_batches())
    with pytest.raises(tg.FileFormatError, match="5 rows are missing"):
        tg.scale.partition("bad.parquet", parts=2, directory="parts")


def test_a_file_that_says_two_things_is_read_as_everywhere():
    """Parquet holds what a table says twice; one of the two is damaged."""
    tg.write(tg.path(4), "two.parquet")
    raw = Path("two.parquet").read_bytes()
    assert raw.count(b"directed") == 1  # the other is in base64
    Path("two.parquet").write_bytes(raw.replace(b"directed", b"direct d"))
    made = tg.scale.partition("two.parquet", parts=2, directory="parts")
    assert made.directed == tg.read("two.parquet").directed


def test_damaged_parquet():
    tg.write(tg.path(5000), "graph.parquet")
    content = bytearray(open("graph.parquet", "rb").read())
    content[len(content) // 3 : len(content) // 2] = b"?" * (len(content) // 2 - len(content) // 3)
    open("graph.parquet", "wb").write(content)
    with pytest.raises(tg.FileFormatError, match="graph.parquet"):
        tg.scale.partition("graph.parquet", parts=2, directory="parts")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": 0, "directory": "parts"}, "parts = 0"),
        ({"parts": 2, "directory": "nowhere/parts"}, "no directory nowhere"),
        ({"parts": 2, "directory": "full"}, "exists already"),
        ({"parts": 2, "directory": "parts", "directed": True}, "the graph knows"),
    ],
)
def test_where_it_cannot_go(options, message):
    Path("full").mkdir()
    open("full/file", "w").close()
    with pytest.raises(tg.InputError, match=message):
        tg.scale.partition(tg.path(4), **options)


def test_a_full_disk_leaves_nothing(monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    calls = []

    def write(*arguments):
        calls.append(1)
        if len(calls) == 3:  # in the middle
            raise full
        original(*arguments)

    original = tg.scale.partitioning.tgraph.write
    monkeypatch.setattr("tachograph.graph.files.tgraph.write", write)
    with pytest.raises(tg.InputError, match="No space left"):
        tg.scale.partition(tg.path(9), parts=4, directory="parts")
    assert os.listdir() == [] or os.listdir() == ["home"]


def test_what_a_killed_process_left_is_in_nobodys_way():
    left = Path(files.temporary_name("parts", "0123456789abcdef"))
    left.mkdir()
    for name in ("out-0000.spill", "part-0000.tgraph"):
        (left / name).write_text("half of it")
    files._swept.clear()  # as in a new process
    parts = tg.scale.partition(tg.path(9), parts=2, directory="parts")
    assert not left.exists()
    assert sorted(os.listdir("parts")) == ["part-0000.tgraph", "part-0001.tgraph", "partition.json"]
    assert arcs_of(parts) == arcs_of_graph(tg.path(9))


def test_partitioning_follows_no_link_and_deletes_no_file():
    Path("precious").mkdir()
    Path("precious/file").write_text("mine")
    Path(".parts.tmp").symlink_to("precious")
    Path("parts").mkdir()  # empty: taken
    tg.scale.partition(tg.path(9), parts=2, directory="parts")
    assert os.listdir("precious") == ["file"]
    assert tg.scale.connected_components("parts").count == 1


def test_two_that_partition_to_the_same_place(monkeypatch):
    def both(*given):
        monkeypatch.setattr(tg.scale.partitioning, "_partition", original)
        tg.scale.partition(tg.star(9), parts=2, directory="parts")  # the other one is faster
        return original(*given)

    original = tg.scale.partitioning._partition
    monkeypatch.setattr(tg.scale.partitioning, "_partition", both)
    with pytest.raises(tg.InputError, match="cannot write parts: Directory not empty"):
        tg.scale.partition(tg.path(9), parts=2, directory="parts")
    assert arcs_of(open_partition("parts")) == arcs_of_graph(tg.star(9))
    assert os.listdir() in (["parts"], ["home", "parts"], ["parts", "home"])


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (lambda: shutil.rmtree("parts"), tg.InputError, "no directory parts.*workers"),
        (lambda: Path("parts/partition.json").unlink(), tg.InputError, "no partitioned graph"),
        (
            lambda: Path("parts/part-0001.tgraph").unlink(),
            tg.MissingFileError,
            "part-0001.*missing",
        ),
        (lambda: _edit(format=2), tg.FileFormatError, "format 2"),
        (lambda: _edit(files=[[{}]]), tg.FileFormatError, "damaged"),
        (lambda: open("parts/partition.json", "w").close(), tg.FileFormatError, "damaged"),
        (lambda: _flip("parts/part-0001.tgraph"), tg.FileFormatError, "part-0001.tgraph.*damaged"),
        (
            lambda: shutil.copy("other/part-0001.tgraph", "parts/part-0001.tgraph"),
            tg.FileFormatError,
            "part-0001.tgraph.*no piece of this graph",
        ),
        (lambda: _shorten("parts/part-0000.tgraph"), tg.FileFormatError, "part-0000.tgraph"),
    ],
)
def test_a_partition_that_cannot_be_used(damage, error, message):
    tg.scale.partition(tg.path(40), parts=2, directory="parts")
    tg.scale.partition(tg.star(40), parts=2, directory="other")
    damage()
    with pytest.raises(error, match=message):
        tg.scale.connected_components("parts")
    assert not list(Path("parts").glob("runs/*/*.step"))  # before any work


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mean": math.nan}, "range of weights does not exist"),
        ({"lightest": -math.inf}, "range of weights does not exist"),
        ({"heaviest": math.nan}, "range of weights does not exist"),
        ({"lightest": 3.5}, "says weights from 3.5 to 4, but those of part 0 are from -2 to"),
        ({"lightest": 0.0, "heaviest": 1.0}, "says weights from 0 to 1, but"),
    ],
)
def test_a_false_range_of_weights_is_refused(changes, message):
    """Shortest paths rely on it: they would go on for ever, or be wrong."""
    weights = [-2.0, 3.0, 4.0, 4.0, 4.0, 4.0]
    graph = tg.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 0, 3, 4, 5, 0], weights)
    tg.scale.partition(graph, parts=2, directory="parts")
    _edit(**changes)
    with pytest.raises(tg.FileFormatError, match=message), tg.limits(seconds=5):
        tg.scale.sssp("parts", 0)


def test_weighted_files_without_edges():
    empty = pa.table({"source": pa.array([], "int32"), "target": pa.array([], "int32"),
                      "weight": pa.array([], "float64")})  # fmt: skip
    parquet.write_table(empty.replace_schema_metadata({"vertices": "3"}), "none.parquet")
    tg.scale.partition("none.parquet", parts=2, directory="parts")
    assert tg.scale.sssp("parts", 0).distances.tolist() == [0, math.inf, math.inf]


def _edit(**changes):
    content = json.load(open("parts/partition.json"))
    json.dump({**content, **changes}, open("parts/partition.json", "w"))


def _flip(path):
    content = bytearray(open(path, "rb").read())
    content[-3] ^= 255
    open(path, "wb").write(content)


def _shorten(path):
    content = open(path, "rb").read()
    open(path, "wb").write(content[:-8])


SOURCES = [sys.modules[f"tachograph.{name}"].__file__ for name in (
    "scale.partitioning", "scale.manifest", "scale.edges", "util.files")]  # fmt: skip


def _cut_file():
    tg.scale.partition("graph.parquet", parts=2, directory="parts")


@pytest.mark.parametrize("step", [41, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_killed_at_every_line_of_partitioning(step):
    """There is a whole partition or none, and the next call leaves nothing of the killed ones."""
    graph = tg.path(9)
    tg.write(graph, "graph.parquet")
    _cut_file()  # loops are compiled
    shutil.rmtree("parts")
    kills = 0
    files._swept.clear()
    for _ in killed_at_every_line(_cut_file, *SOURCES, step=step):
        kills += 1
        others = set(os.listdir()) - {"home", "graph.parquet", "parts"}
        assert len(others) <= 1  # what is left does not pile up: every start sweeps
        assert all(files.TEMPORARY.fullmatch(name) for name in others)
        if Path("parts").exists():
            assert arcs_of(open_partition("parts")) == arcs_of_graph(graph)
            shutil.rmtree("parts")
    assert kills > 5
    shutil.rmtree("parts")  # of the call that was not killed
    files._swept.clear()
    _cut_file()
    assert set(os.listdir()) - {"home"} == {"graph.parquet", "parts"}
    assert sorted(os.listdir("parts")) == ["part-0000.tgraph", "part-0001.tgraph", "partition.json"]


@pytest.mark.parametrize(
    "odd", [None, "x", 1.5, [], 0, 2**40, 2**63], ids=lambda v: type(v).__name__
)
def test_numbers_of_parts_that_cannot_be(odd):
    with pytest.raises(tg.InputError, match=r"parts (= .*needed|is a whole number of 64 bits)"):
        tg.scale.partition(tg.path(4), parts=odd, directory="d")
    assert not Path("d").exists()


@pytest.mark.parametrize("odd", [None, 3, b"x", [1], object()], ids=lambda v: type(v).__name__)
def test_what_is_neither_graph_nor_directory(odd):
    with pytest.raises(tg.InputError, match="is not a graph"):
        tg.scale.partition(odd, parts=2, directory="d")
    with pytest.raises(tg.InputError, match="directory = "):
        tg.scale.partition(tg.path(4), parts=2, directory=odd)
    with pytest.raises(tg.InputError, match="graph = .*a path is needed"):
        tg.scale.connected_components(odd)


def test_arguments_that_nobody_knows_or_can_use():
    parts = tg.scale.partition(tg.path(4), parts=2, directory="d")
    with pytest.raises(tg.InputError, match="wokers is no argument: there are cluster, workers"):
        tg.scale.bfs(parts, 0, wokers=2)
    for name in ("workers", "checkpoint", "damping", "tol", "max_iter"):
        with pytest.raises(tg.InputError, match=f"{name} = 'x': .*number is needed"):
            tg.scale.pagerank(parts, **{name: "x"})
