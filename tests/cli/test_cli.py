"""``tacho`` as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.graph.generate import GENERATORS
from tests.cli import command


def tacho(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tachograph", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100", **environment},
        check=False,
    )


def test_info_convert_and_generate(tmp_path):
    made = tacho("generate", "kronecker", "--scale", "8", "--rng", "1", "k.tgraph")
    assert made.returncode == 0, made.stderr
    assert made.stdout == ""
    assert "Graph(undirected, 256 vertices" in made.stderr
    shown = tacho("info", "k.tgraph")
    assert shown.returncode == 0, shown.stderr
    for word in ("vertices", "256", "Gini", "diameter", "█"):
        assert word in shown.stdout
    assert shown.stderr == ""
    data = json.loads(tacho("info", "k.tgraph", "--json").stdout)
    g = tg.kronecker(8, rng=1)
    assert (data["n"], data["m"], data["directed"]) == (256, g.m, False)
    assert data["gini"] == g.features.gini
    done = tacho("convert", "k.tgraph", "k.mtx.gz")
    assert (done.returncode, done.stdout) == (0, "")
    assert tg.read("k.mtx.gz").m == g.m
    Path("names.txt").write_text("a b\nb a\nb b\n")
    done = tacho(
        "convert",
        "names.txt",
        "n.tgraph",
        "--relabel",
        "--undirected",
        "--dedupe",
        "first",
        "--drop-self-loops",
    )
    assert done.returncode == 0, done.stderr
    assert (tg.read("n.tgraph").n, tg.read("n.tgraph").m) == (2, 1)


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator_has_a_command(name):
    result = command.tacho("generate", name, "--help")
    assert result.returncode == 0
    assert "--weights" in result.stdout
    assert "OUT" in result.stdout


def test_weights_of_generated_graphs():
    command.tacho("generate", "star", "--n", "5", "--weights", "0.0:1.0", "s.tgraph")
    assert tg.read("s.tgraph").weights.dtype == "float32"
    wrong = command.tacho("generate", "star", "--weights", "cheap", "s2.tgraph")
    assert (wrong.returncode, wrong.stderr) == (
        1, "tacho: --weights cheap: expected LOW:HIGH, such as 1:255 or 0.0:1.0\n")  # fmt: skip


def test_errors_are_one_line_and_exit_codes_are_those_documented():
    for arguments, code, message in [
        (
            ["info", "nowhere.txt"],
            1,
            "tacho: nowhere.txt: there is no such file, and there is no data set",
        ),
        (["info", "a/b.txt"], 1, "tacho: a/b.txt: there is no such file"),
        (["convert", "nowhere", "x.txt"], 1, "there is no data set 'nowhere'"),
        (["nonsense"], 2, "No such command"),
        (["generate", "star", "--color", "red", "x.txt"], 2, "No such option"),
        (["compare", "directions", "--graphs", "a.txt", "b.txt"], 2, "a.txt,b.txt"),
    ]:
        result = command.tacho(*arguments)
        assert result.returncode == code
        assert message in result.stderr
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
    Path("bad.txt").write_text("0 1\n0 x\n")
    result = tacho("info", "bad.txt")  # in a process of its own
    assert result.stderr.startswith("tacho: bad.txt, line 2: expected a vertex id")
    assert result.stderr.count("\n") == 1
    Path("odd.txt").write_text("# Nodes: 3 Edges: 9\n0 1\n")
    result = command.tacho("info", "odd.txt")
    assert result.returncode == 0
    assert result.stderr == (
        "tacho: note: odd.txt: its comment promises 9 edges but 1 are there: is the file complete?\n"
    )


def test_datasets_and_help(tmp_path):
    tg.write(tg.path(3), "line.parquet")
    Path("MANIFEST.csv").write_text(
        "name,file,directed,vertices,edges\nline,line.parquet,False,3,2\n"
    )
    here = {"TACHOGRAPH_DATA": str(tmp_path)}
    listed = json.loads(command.tacho("datasets", "--json", "--local", **here).stdout)
    assert [(d["name"], d["vertices"]) for d in listed] == [("line", 3)]
    undirected = command.tacho("info", "line", "--directed", "--json", **here)
    assert json.loads(undirected.stdout)["m"] == 4
    command.tacho("convert", "line", "line.txt", "--directed", **here)
    assert tg.read("line.txt").directed
    assert "roadNet-CA" in command.tacho("datasets", **here).stdout
    assert json.loads(command.tacho("info", "line", "--json", **here).stdout)["m"] == 2
    for arguments in (
        [],
        ["--help"],
        ["info", "-h"],
        ["convert", "-h"],
        ["datasets", "-h"],
        ["tour", "-h"],
    ):
        assert "Usage" in command.tacho(*arguments).stdout
    assert command.tacho("--version").stdout == f"tacho {tg.__version__}\n"


def test_ctrl_c_leaves_no_file_and_says_so():
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tachograph",
            "generate",
            "uniform",
            "--n",
            "2000000",
            "--degree",
            "32",
            "u.txt",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(Path().glob(".u.txt*")) and time.monotonic() < deadline:
        time.sleep(0.01)  # until it writes
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < 3
    assert (process.returncode, errors) == (130, "tacho: stopped\n")
    assert list(Path().iterdir()) == []


def test_ctrl_c_while_python_imports_leaves_no_traceback():
    Path("typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    stopped = tacho("info", "g.txt", PYTHONPATH=f".:{os.environ.get('PYTHONPATH', '')}")
    assert (stopped.returncode, stopped.stderr) == (130, "tacho: stopped\n")
