"""The panel Graph: what is told of graphs, and files that are dropped. Without a browser."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.lab.server import Lab
from tachograph.lab.sources import KEPT_GRAPHS, Sources, sliders
from tachograph.util import files, memory
from tests.faults import file_limit
from tests.lab.conftest import WAIT, Client, until

SRC = Path(tg.__file__).parent.parent
HOSTILE = "<img src=x onerror=alert(1)>?a=1#\"'&%41\u202e.txt"


def test_what_is_told_of_a_generated_graph(client):
    status, told = client.post("graph/describe", source="kronecker?scale=7&rng=3")
    assert status == 200
    graph = tg.kronecker(7, rng=3)
    assert (told["n"], told["m"]) == (graph.n, graph.m)
    assert dict(told["features"])["max degree"] == str(graph.features.max_degree)
    assert told["degrees"].startswith("<svg")
    assert told["command"].splitlines() == [
        "tacho generate kronecker --scale 7 --rng 3 graph.tgraph", "tacho info graph.tgraph",
    ]  # fmt: skip
    names: dict = {}
    exec(told["python"].replace("print", "str"), names)
    assert names["g"].m == graph.m


@pytest.mark.parametrize("kind", [s["name"] for s in sliders()])
def test_every_generator_starts_with_a_graph_that_can_be_made(kind):
    (one,) = (s for s in sliders() if s["name"] == kind)
    told = "&".join(
        f"{s['name']}={s['start'] if s['kind'] == 'range' else str(s['start']).lower()}"
        for s in one["sliders"]
    )
    opened = Sources().open(f"{kind}?{told}")
    assert 0 < opened.graph.n <= 1 << 13
    assert opened.python.startswith("tg.")
    assert shlex.split(opened.shell[0])[:3] == ["tacho", "generate", kind]
    for s in one["sliders"]:
        assert s["kind"] == "check" or s["low"] <= s["start"] <= s["high"]


@pytest.mark.parametrize(
    "source",
    ["", "none", "kronecker?scale=x", "kronecker?colour=1", "kronecker?scale=99", "data:none",
     "file:/etc/passwd", "file:../../etc/passwd", "file:", "kronecker?scale=-1", "path?n=2&weights=1:2:3"],
)  # fmt: skip
def test_sources_that_are_none(client, source):
    status, told = client.post("graph/describe", source=source)
    if source.startswith("path"):
        assert status == 200  # only "true" asks for weights
        return
    assert status == 400
    assert told["error"]


def test_a_dropped_file(client):
    tg.write(tg.star(50), "star.txt")
    content = open("star.txt", "rb").read()
    status, told = client.upload("star.txt", content)
    assert (status, told["bytes"]) == (200, len(content))
    status, shown = client.post("graph/describe", source=told["source"])
    assert (status, shown["n"], shown["m"]) == (200, 50, 49)
    assert shown["python"].splitlines()[2] == "g = tg.read('star.txt')"
    status, again = client.post("graph/describe", source=told["source"] + "?directed=true")
    assert dict(again["facts"])["kind"].startswith("directed")
    assert "--directed" in again["command"]
    assert client.get("graph/start")[1]["open"][0]["name"] == "star.txt"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff\x00garbage", b"1 2\n3 x\n", b"%%MatrixMarket matrix coordinate\n9 9"],
)
def test_a_broken_file_is_explained_by_its_name(client, content):
    status, told = client.upload("broken.mtx", content)
    status, shown = client.post("graph/describe", source=told["source"])
    if status == 200:
        assert shown["n"] == 0 or content == b""
        return
    assert status == 400
    assert "broken.mtx" in shown["error"]
    assert str(client.lab.directory) not in shown["error"]


def test_a_hostile_name_is_only_text(client):
    from urllib.parse import quote

    status, told = client.upload(quote(HOSTILE), b"0 1\n1 2\n")
    assert status == 200
    status, shown = client.post("graph/describe", source=told["source"])
    assert status == 200
    assert "\u202e" not in shown["name"]
    kept = [p for p in client.lab.directory.rglob("*") if p.is_file()]
    assert all(
        set(p.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        for p in kept
    )
    for name in ("../../up.txt", "..", "/etc/passwd", ""):
        status, told = client.upload(quote(name), b"0 1\n")
        assert status in (200, 400)
    inside = client.lab.directory.resolve()
    assert all(p.resolve().is_relative_to(inside) for p in inside.rglob("*"))
    assert not (inside.parent / "up.txt").exists()


def test_an_upload_that_is_too_large(client, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "1 kB")
    status, told = client.upload("big.txt", b"0 1\n" * 1000)
    assert status == 413
    assert "1.0 kB" in told["error"]
    # without a length that was promised, the bytes are counted
    status, _, body = client.request(
        "POST", "api/graph/upload?name=big.txt", (b"0 1\n" * 100 for _ in range(50))
    )
    assert status == 413, body


def test_a_graph_that_does_not_fit(client, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "10 MB")
    status, told = client.post("graph/describe", source="kronecker?scale=22")
    assert status == 413
    assert "10.0 MB" in told["error"]


def test_an_upload_on_a_full_disk(client):
    (client.lab.directory / "other").mkdir()
    with file_limit(1000):
        status, told = client.upload("big.txt", b"0 1\n" * 1000)
    assert (status, told["error"]) == (400, "cannot keep big.txt: File too large")
    assert [p.name for p in client.lab.directory.iterdir()] == ["other"]
    assert client.get("graph/start")[1]["open"] == []
    assert client.upload("big.txt", b"0 1\n" * 1000)[0] == 200


def test_an_upload_that_breaks_off(client, capfd):
    there = socket.create_connection(("127.0.0.1", client.port))
    head = f"POST {client.base}api/graph/upload?name=a.txt HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
    there.sendall(f"{head}Content-Length: 1000\r\n\r\n0 1\n".encode())
    until(lambda: list(client.lab.directory.rglob("*.txt")))
    there.close()
    until(lambda: not list(client.lab.directory.iterdir()))
    assert client.get("graph/start")[1]["open"] == []
    assert capfd.readouterr().err == ""


def test_what_a_killed_lab_kept_is_swept(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = """import os, signal
from tachograph.lab.server import Lab
lab = Lab()
(lab.directory / "dropped").write_text("0 1")
os.kill(os.getpid(), signal.SIGKILL)"""
    told = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(SRC)}
    child = subprocess.run([sys.executable, "-c", killed], env=told, timeout=WAIT)
    assert child.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == 1
    files._swept.clear()
    lab = Lab()
    own = lab.directory.name
    assert os.listdir(tmp_path) == [own]
    lab.close()
    assert os.listdir(tmp_path) == []


def test_what_was_dropped_is_deleted_at_the_end():
    made = Client(Lab())
    made.upload("a.txt", b"0 1\n")
    assert made.lab.directory.exists()
    made.stop()
    assert not made.lab.directory.exists()


def test_only_the_last_graphs_stay_in_memory():
    sources = Sources()
    for n in range(2, 4 + KEPT_GRAPHS):
        sources.open(f"path?n={n}")
    assert len(sources.known()) == KEPT_GRAPHS
    assert sources.open("path?n=2").graph.n == 2  # made again


def test_pictures_of_odd_graphs(client):
    rng = np.random.default_rng(1)
    for source in (
        "path?n=1",
        "path?n=2",
        "star?n=500",
        "complete?n=30",
        "uniform?n=200&degree=0",
        "tree?n=9",
    ):
        status, told = client.post(
            "graph/describe", source=source, width=float(rng.integers(280, 900))
        )
        assert status == 200
        assert "nan" not in told["picture"].lower()
    status, told = client.post("graph/picture", source="star?n=500", vertex="499")
    assert "Around vertex 499" in told["picture"]
    for vertex in ("500", "-1", "x", ""):
        assert client.post("graph/picture", source="star?n=500", vertex=vertex)[0] == 400


def test_columns_of_a_table_can_be_named(client):
    _, sent = client.upload("calls.csv", b"caller,called,calls\nann,bob,3\nbob,cid,2\n")
    status, told = client.post("graph/describe", source=sent["source"])
    assert (status, "name the columns below" in told["error"]) == (400, True)
    status, told = client.post(
        "graph/describe", source=f"{sent['source']}?columns=caller,called,calls"
    )
    assert (status, told["n"]) == (200, 3)
    assert "source='caller', target='called', weight='calls'" in told["python"]
    assert "calls.csv --columns caller,called,calls" in told["command"]
    assert client.post("graph/describe", source=f"{sent['source']}?columns=caller")[0] == 400
