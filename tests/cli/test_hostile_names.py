"""Names that others chose reach every command, report and error: they are shown and do nothing else."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import tachograph as tg
from tachograph import cli
from tachograph.cli.tour import guide, race

#: Markup, an escape code, a line end, an emoji code, a mark that turns writing round, a broken byte.
EVIL = "a[bold]:warning: <i>\x1b[31m\x07\n\r\u202e\x9b$x^" + os.fsdecode(b"\xff")
DIRECTORY = "x["  # so that a path ends with "[/...]"
FILE = f"{DIRECTORY}/b]{EVIL}.el"
RAW = ("\x1b", "\x07", "\x9b", "\u202e", "\udcff", "\r", "⚠")


@pytest.fixture
def tacho(monkeypatch, capfd):
    """Run a command as ``tacho`` does; return its exit code, stdout and stderr, which are harmless."""
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tacho", *arguments])
        code = 0
        with warnings.catch_warnings():
            try:
                cli.main()
            except SystemExit as end:
                code = int(end.code or 0)
        shown, said = capfd.readouterr()
        for text in (shown, said):
            assert not [sign for sign in RAW if sign in text], text
            assert "Traceback" not in text
        return code, shown, said

    Path(DIRECTORY).mkdir()
    Path(FILE).write_text("0 1\n1 2\n2 0\n2 3\n")
    return run


COMMANDS = {
    "info": ["info", FILE],
    "convert": ["convert", FILE, f"{EVIL}.tgraph"],
    "generate": ["generate", "star", "--n", "5", f"{EVIL}.tgraph"],
    "run": ["run", "bfs", FILE, "--source", "0", "-o", f"{EVIL}.parquet", "--verify"],
    "picture": ["run", "bfs", FILE, "--source", "0", "--plot", f"{EVIL}.svg"],
    "plan": ["plan", "bfs", FILE],
    "what-if": ["what-if", "bfs", FILE, "--machine", "hitgraph"],
    "simulate": ["simulate", "bfs", FILE, "--source", "0", "--accelerator", "accugraph"],
    "partition": ["scale", "partition", FILE, "--parts", "2", "--directory", EVIL],
    "bench": ["bench", FILE, "--rounds", "1", "--plot", "bench.png"],
    "pairs": [
        "run",
        "jaccard",
        FILE,
        "--undirected",
        "--pairs",
        "two_hop",
        "--stream",
        f"{EVIL}.parquet",
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_with_a_hostile_name(tacho, name):
    code, _, said = tacho(*COMMANDS[name])
    assert code == 0, said


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "npz", "sg", "mtx", "gr", "el.zst"])
def test_formats_of_files_with_hostile_names(tacho, suffix):
    for words in (["convert", FILE, f"{EVIL}.{suffix}"], ["info", f"{EVIL}.{suffix}"]):
        code, _, said = tacho(*words)
        assert code == 0, said


def test_traces_in_files_with_hostile_names(tacho):
    for suffix in ("parquet", "npz"):
        name = f"{EVIL}.{suffix}"
        assert tacho("dram", "generate", "random", name, "--requests", "10")[0] == 0
        run = ("dram", "run", name, "--memory", "hbm", "--commands")
        assert tacho(*run, f"{EVIL} commands.parquet")[0] == 0
        assert tacho(*run, name)[0] == 1  # nothing is written over what is read


def named_edges(path, named, third, weight):
    table = pa.table({"source": [named, "b"], "target": ["b", third], "weight": [1, weight]})
    parquet.write_table(table.replace_schema_metadata({"named": "True"}), path)


def test_vertices_with_hostile_names(tacho):
    named = EVIL.replace("\udcff", "")
    named_edges("names.parquet", named, "c", 2)
    code, shown, said = tacho("run", "sssp", "names.parquet", "--source", named, "--target", "c")
    assert code == 0, said
    assert "a[bold]:warning: <i>\\x1b[31m\\x07\\n\\r\\u202e\\x9b$x^" in shown.replace("\\\\", "\\")
    assert tacho("run", "sssp", "names.parquet", "--source", "x\x1b")[0] == 1
    named_edges("cycle.parquet", named, named, -2)
    code, _, said = tacho("run", "sssp", "cycle.parquet", "--source", "b")
    assert (code, "negative" in said) == (1, True)


def test_the_journal_and_reports_after_such_a_run(tacho):
    for task in (["bfs", FILE, "--source", "0"], ["pagerank", FILE]):
        code, _, said = tacho("run", *task, "--trace", f"{EVIL}.parquet")
        assert code == 0, said
    assert tacho("scale", "partition", FILE, "--parts", "2", "--directory", EVIL)[0] == 0
    assert tacho("scale", "run", "bfs", EVIL, "--source", "0")[0] == 0
    code, shown, _ = tacho("journal")
    assert code == 0
    assert "x[/b]a[bold]:warning: <i>\\x1b[31m" in shown
    code, shown, _ = tacho("journal", "--json")
    assert json.loads(shown)["runs"][0]["graph"]["name"] == FILE
    for words in (
        ["report", "last"],
        ["report", "1", "2", f"{EVIL}.parquet", "-o", f"{EVIL}.html"],
    ):
        assert tacho(*words)[0] == 0
    for page in ("report.html", f"{EVIL}.html"):
        text = Path(page).read_text(encoding="utf-8")
        assert "<i>" not in text
        assert not [sign for sign in RAW if sign in text]
    code, _, said = tacho("journal", "export", EVIL + "2")
    assert code == 0, said
    with open(f"{EVIL}2/runs.parquet", "rb") as file:
        rows = parquet.read_table(file).to_pylist()
    assert "x[/b]a" in rows[0]["graph_name"]


def test_a_data_set_with_a_hostile_name(tacho, monkeypatch):
    tg.write(tg.path(3), "line.parquet")
    named = EVIL.replace("\udcff", "")
    quoted = named.replace('"', '""')
    manifest = f'name,file,directed,vertices,edges\n"{quoted}",line.parquet,False,3,2\n'
    Path("MANIFEST.csv").write_text(manifest, encoding="utf-8", newline="")
    monkeypatch.setenv("TACHOGRAPH_DATA", str(Path.cwd()))
    assert tacho("datasets", "--local")[0] == 0
    assert tacho("datasets", "--local", "--json")[0] == 0
    assert tacho("info", named)[0] in (0, 1)
    assert tacho("info", "[bold")[0] == 1  # names those that are similar


def test_the_tour_of_hostile_graphs(tacho, monkeypatch):
    monkeypatch.setattr(guide, "prepare", lambda *_, **__: False)
    monkeypatch.setattr(race, "RACE_SECONDS", 0.0)
    named_edges("names.parquet", EVIL.replace("\udcff", ""), "c", 2)
    for graph in (FILE, "names.parquet"):
        code, _, said = tacho("tour", graph, "--output", f"{EVIL}.html")
        assert code == 0, said
        assert not [s for s in RAW if s in Path(f"{EVIL}.html").read_text(encoding="utf-8")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", f"no{EVIL}"],
        ["info", f"no/{EVIL}"],
        ["convert", FILE, f"no/{EVIL}.txt"],
        ["convert", FILE, f"out.{EVIL}"],
        ["run", "bfs", FILE, "--source", EVIL],
        ["run", "bfs", FILE, "--source", "0", "--direction", EVIL],
        ["run", "bfs", FILE, "--source", "0", "--device", EVIL],
        ["run", "bfs", FILE, "--source", "0", "--plot", f"x.{EVIL}"],
        ["plan", EVIL, FILE],
        ["what-if", "bfs", FILE, "--machine", EVIL],
        ["simulate", "bfs", FILE, "--accelerator", EVIL],
        ["simulate", "bfs", FILE, "--accelerator", "accugraph", "--memory", EVIL],
        ["scale", "run", "bfs", EVIL, "--source", "0"],
        ["scale", "run", EVIL, EVIL],
        ["scale", "partition", f"{EVIL}.parquet", "--parts", "2", "--directory", "p"],
        ["dram", "run", f"{EVIL}.trace", "--memory", EVIL],
        ["dram", "run", f"{EVIL}.trace", "--memory", "ddr4-2400r"],
        ["train", "direction", "--graphs", EVIL],
        ["train", "times", "--budget", EVIL],
        ["reproduce", EVIL],
        ["report", EVIL],
        ["report", f"{EVIL}.parquet"],
        ["report", "²"],
        ["report", "9" * 5000],
        ["nx-profile", EVIL],
        ["bench", EVIL],
        [EVIL],
        ["info", FILE, f"--{EVIL}"],
        ["journal", "--last", EVIL],
        ["tour", EVIL],
        ["explore", "bfs", EVIL],
        ["explore", "bfs", FILE, "--design", EVIL],
        ["explore", "bfs", FILE, "--memory", f"{EVIL}.toml"],
        ["compare", "directions", "--policy", EVIL],
        ["compare", "directions", "--policy", f"{EVIL}.py:function"],
        ["compare", "directions", "--graphs", EVIL],
        ["dram", "run", f"{EVIL}.npz", "--memory", "hbm"],
        ["dram", "compare", f"{EVIL}.npz", "--memory", "hbm"],
        ["dram", "generate", EVIL, "x.npz"],
        ["dram", "generate", "random", f"no/{EVIL}.npz"],
        ["generate", "star", "--n", "5", f"no/{EVIL}.el"],
        ["gpus", "validate", EVIL],
        ["simulate", "bfs", FILE, "--gpu", EVIL],
        ["simulate", "bfs", FILE, "--gpu", f"{EVIL}.toml"],
        ["scale", "plan", EVIL, "--vertices", "5", "--edges", "5"],
        ["run", "bfs", FILE, "--source", "0", "--output", f"no/{EVIL}.csv"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", [EVIL, "a" * 300, "a/" * 3000], ids=["evil", "long", "deep"])
def test_an_error_about_a_hostile_name_is_shown_and_does_nothing_else(tacho, arguments, name):
    code, shown, said = tacho(*(w if w == FILE else w.replace(EVIL, name) for w in arguments))
    assert code in (1, 2)
    assert shown == ""
    if code == 1:
        assert said.startswith("tacho: ")
        assert said.count("\n") == 1


def test_content_that_errors_quote(tacho):
    for name, content in {
        "words.el": b"0 1\n0 \x1b[31mred\n",
        "matrix.mtx": b"%%MatrixMarket \x1b[31m [/b] \xff\n",
        "road.gr": b"p sp \x1b[31m\n",
        "bytes.el": bytes(range(256)),
        "table.csv": b"a\x1b[31m,b[/b],c,d\n1,2,3,4\n",
        "data.trace": b"0x\x1b[31m R\n",
    }.items():
        Path(name).write_bytes(content)
        command = ["dram", "run", name, "--memory", "hbm"] if name[-1] == "e" else ["info", name]
        code, _, said = tacho(*command)
        assert (code, said.count("\n")) == (1, 1), (name, said)
