from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.graph.files import FORMATS

DATA = Path(os.environ.get("TACHOGRAPH_DATA", "").split(os.pathsep)[0])
MANIFEST = DATA / "MANIFEST.csv"
ROWS = list(csv.DictReader(MANIFEST.open(newline=""))) if MANIFEST.is_file() else []
NAMES = [r["name"] for r in ROWS]
needs_data = pytest.mark.skipif(not ROWS, reason="no MANIFEST.csv in $TACHOGRAPH_DATA")
ORIGINALS = [r["name"] for r in ROWS if r["original"]]


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A directory of data sets of our own."""
    directory = tmp_path / "shelf"
    directory.mkdir()
    monkeypatch.setenv("TACHOGRAPH_DATA", str(directory))
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path / "home"))
    return directory


def test_catalogue_is_consistent():
    every = tg.datasets()
    names = [x.lower() for d in every.values() for x in (d.name, *d.aliases)]
    assert len(names) == len(set(names))
    papers = {p for d in every.values() for p in d.papers}
    assert papers == {"surf", "sssp", "jaccard", "hetero", "accel"}
    for d in every.values():
        assert d.source
        assert d.licence
        assert d.url.startswith("https://") or not d.url or d.url.startswith("http://")
        if d.papers:
            assert d.vertices > 0
            assert d.edges > 0


def test_found_by_file_name_and_alias(shelf):
    tg.write(tg.uniform(200, 3, rng=1), shelf / "com-DBLP.txt.gz")
    assert tg.datasets()["com-DBLP"].file == shelf / "com-DBLP.txt.gz"
    with pytest.raises(tg.FileFormatError, match="published with 317,080 and 1,049,866"):
        tg.dataset("DBLP")


def test_lists_that_somebody_else_wrote(shelf, monkeypatch):
    tg.write(tg.path(5), shelf / "line.el")
    long = "x" * 300
    rows = [
        "name,file,vertices,edges",
        "line,line.el,²,٣",
        f"big,line.el,{'9' * 5000},4",
        f"a,{long},1,1",
    ]
    (shelf / "MANIFEST.csv").write_text(
        "\n".join([*rows, f"{long},line.el,5,4", "nul,line\0.el,5,4"])
    )
    monkeypatch.setenv("TACHOGRAPH_DATA", f"{shelf}:~nobody-of-this-name/data:{long}:/dev/null")
    found = {name: d for name, d in tg.datasets().items() if d.file is not None}
    assert found.keys() == {"line", "big", long}
    assert found["line"].vertices is found["line"].edges is found["big"].vertices is None
    (shelf / "MANIFEST.csv").write_text("name,file\n" + '"' + "x" * 200_000)
    with pytest.raises(tg.FileFormatError, match=r"MANIFEST.csv: cannot be read: field larger"):
        tg.datasets()


def test_found_by_manifest_and_verified(shelf):
    tg.write(tg.path(5), shelf / "line.parquet")
    rows = "name,file,directed,vertices,edges,licence\nline,line.parquet,False,5,{},free\ngone,x.txt,True,1,1,x\n"
    (shelf / "MANIFEST.csv").write_text(rows.format(4))
    g = tg.dataset("line")
    assert (g.n, g.m, g.directed) == (5, 4, False)
    assert "gone" not in tg.datasets()
    (shelf / "MANIFEST.csv").write_text(rows.format(7))
    with pytest.raises(
        tg.FileFormatError, match="5 vertices and 4 edges, but line is published with 5 and 7"
    ):
        tg.dataset("line")


def test_sparse_ids_are_relabelled_to_the_published_count(shelf):
    (shelf / "s.txt").write_text("5 900\n900 7\n")
    (shelf / "MANIFEST.csv").write_text("name,file,directed,vertices,edges\ns,s.txt,True,3,2\n")
    g = tg.dataset("s")
    assert g.names.tolist() == [5, 7, 900]


def test_unknown_and_unavailable(shelf, monkeypatch):
    with pytest.raises(tg.InputError, match=r"no data set 'roadNet-C'; similar: roadNet-CA"):
        tg.dataset("roadNet-C")
    with pytest.raises(tg.MissingFileError, match="HV15R is not on this machine .*TACHOGRAPH_DATA"):
        tg.dataset("HV15R")
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(tg.MissingDependencyError, match=r"pip install 'tachograph\[data\]'"):
        tg.dataset("roadNet-CA")


def test_download_without_network_and_with(shelf, monkeypatch):
    import pooch

    served = shelf / "served.txt.gz"
    tg.write(tg.path(3), served)

    def retrieve(url, known_hash, path, fname, **_):
        Path(path).mkdir(parents=True, exist_ok=True)
        target = Path(path) / fname
        target.write_bytes(served.read_bytes())
        if known_hash and known_hash != f"sha256:{pooch.file_hash(target)}":
            raise ValueError("hash of downloaded file does not match")
        return str(target)

    def unreachable(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", unreachable)
    with pytest.raises(
        tg.MissingFileError, match=r"could not be downloaded .*Without a network, put"
    ):
        tg.dataset("roadNet-CA")
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.raises(tg.FileFormatError, match="another version, or damaged"):
        tg.dataset("roadNet-CA")  # downloaded, but not the published graph
    tg.write(tg.path(4), served)
    with pytest.raises(tg.MissingFileError, match="ValueError"):
        tg.dataset("roadNet-CA")  # not the file that was downloaded first
    with pytest.raises(tg.MissingFileError, match="ValueError"):
        tg.dataset("com-DBLP")  # not the published checksum


@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_real_graphs_have_the_counts_of_the_manifest(name):
    row = ROWS[NAMES.index(name)]
    g = tg.dataset(name)
    assert g.n == int(row["vertices"])
    listed_twice = "both directions stored" in row["note"] and row["directed"] == "False"
    assert (g.arcs if listed_twice else g.m) == int(row["edges"])
    assert g.self_loops == int(row["self_loops"])
    distinct = tg.Graph.from_csr(g.indptr, g.indices).to_edges()[:2]
    simple = tg.Graph.from_edges(*distinct, n=g.n, dedupe="first")._replace(
        directed=g.directed, m=None
    )
    assert (simple.arcs if listed_twice else simple.m) == int(row["distinct_edges"])


@needs_data
@pytest.mark.filterwarnings("ignore:.*its first line")  # two of them begin with their counts
@pytest.mark.filterwarnings("ignore:.*ids go up to")
@pytest.mark.parametrize("name", ORIGINALS)
def test_original_texts_give_the_same_graph(name, tmp_path):
    row = ROWS[NAMES.index(name)]
    path = DATA / row["original"]
    if name == "ca-GrQc":  # its first line is an address: that is an error, and the line is named
        with pytest.raises(tg.FileFormatError, match="https") as caught:
            tg.read(path, directed=False)
        assert caught.value.line == 1
        import gzip

        path = tmp_path / "ca-GrQc.txt"
        path.write_bytes(gzip.open(DATA / row["original"]).read().split(b"\n", 1)[1])
    g = tg.read(path, directed=row["directed"] == "True")
    if g.n != int(row["vertices"]):
        g = tg.read(path, directed=row["directed"] == "True", relabel=True)
    assert (g.n, g.m) == (int(row["vertices"]), int(row["edges"]))
    same = tg.dataset(name)
    assert np.array_equal(np.sort(g.degrees), np.sort(same.degrees))
    if g.names is None:
        assert np.array_equal(g.sorted.indices, same.sorted.indices)


@needs_data
@pytest.mark.parametrize("suffix", [f.suffixes[0] for f in FORMATS.values()])
@pytest.mark.parametrize("name", [*NAMES[:1], pytest.param("rest", marks=pytest.mark.slow)])
def test_real_graphs_through_every_format(name, suffix):
    for known in NAMES[1:] if name == "rest" else NAMES[:1]:
        g = tg.dataset(known)
        g = g.with_meta(source=0, sink=1)
        if suffix == ".wsg" and not g.weighted:
            g = g._replace(weights=np.ones(g.arcs, np.int32))
        if suffix == ".graph" and g.directed:
            g = tg.Graph.from_edges(*g.to_edges(), n=g.n, directed=False)
        tg.write(g, f"g{suffix}")
        options = (
            {}
            if suffix not in (".csv", ".el", ".wel", ".gr", ".max", ".tntp")
            else {"directed": g.directed}
        )
        back = tg.read(f"g{suffix}", **options)
        assert (back.m, back.arcs) == (g.m, g.arcs), known
        assert back.n == g.n or suffix in (".csv", ".el", ".wel"), known
        width = min(back.n, g.n)
        assert np.array_equal(back.degrees[:width], g.degrees[:width]), known
        assert np.array_equal(back.sorted.indices, g.sorted.indices), known
