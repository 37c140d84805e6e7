"""Messages of commands name flags, not arguments of Python, and say what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import tachograph as tg
from tachograph.cli.flags import in_flags
from tests.cli.command import tacho


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("measure = 'cosin': choose jaccard", "--measure cosin: choose jaccard"),
        ("give at least memory_limit=200, or ask", "give at least --memory-limit 200, or ask"),
        ("say directed=False, or relabel=True", "say --undirected, or --relabel"),
        ("the file says n = 5: too large", "the file says n = 5: too large"),
        ("web.txt: a resource is gone", "web.txt: a resource is gone"),
        ("pass symmetrize=True to add", "pass symmetrize=True to add"),
        (
            "leave the weights out with weight=None",
            "leave the weights out by --columns SOURCE,TARGET",
        ),
        ("set along_arcs=True to", "set --along-arcs (of tacho simulate) to"),
    ],
)
def test_arguments_become_flags(said, wanted):
    assert in_flags(said) == wanted


def test_commands_speak_of_flags():
    tg.write(tg.path(4), "path.txt")
    said = tacho("run", "leiden", "path.txt", "--undirected", "--resolution", "-1").stderr
    assert "tacho: --resolution -1.0: a number from 0 on" in said
    assert "did you mean leiden" in tacho("plan", "leidn", "path.txt").stderr


def test_a_misspelled_file_is_found():
    tg.write(tg.path(4), "trades.txt")
    assert "(all: tacho datasets); did you mean trades.txt?" in tacho("info", "trads.txt").stderr
    with pytest.raises(tg.MissingFileError, match=r"did you mean trades.txt\?"):
        tg.read("trads.txt")


def test_columns_of_a_table_are_named_by_a_flag():
    Path("calls.csv").write_text("caller,called,calls\nann,bob,3\nbob,cid,2\n")
    assert "name them with --columns SOURCE,TARGET,WEIGHT" in tacho("info", "calls.csv").stderr
    run = ("run", "sssp", "calls.csv", "--source", "ann", "-o", "found.csv", "--columns")
    assert tacho(*run, "caller,called,calls").returncode == 0
    assert Path("found.csv").read_text().split()[-1].startswith('"cid",5')
    assert tacho(*run, "caller,called").returncode == 0
    assert Path("found.csv").read_text().split()[-1].startswith('"cid",2')
    assert "did you mean caller" in tacho(*run, "calller,called").stderr
    assert "--columns caller: give those" in tacho(*run, "caller").stderr
