"""What ``--output`` and ``--trace`` write: vertices by name, in the format that the file's name says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from rich.cells import cell_len
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli.commands import app
from tachograph.cli.options import out
from tachograph.cli.tables import table

READERS = {
    ".parquet": parquet.read_table,
    ".pq": parquet.read_table,
    ".csv": csv.read_csv,
    ".arrow": feather.read_table,
    ".feather": feather.read_table,
}


def tacho(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def rows(*arguments: object) -> dict[str, dict[str, Any]]:
    """The rows that a command writes, by vertex."""
    done = tacho("run", *arguments, "-o", "out.parquet")
    assert done.exit_code == 0, done.output
    return {row["vertex"]: row for row in parquet.read_table("out.parquet").to_pylist()}


@pytest.fixture
def named() -> str:
    """Rome reaches Oslo and Bonn; Lima reaches Rome. Names sort in another order than they appear."""
    Path("names.txt").write_text("rome oslo 2\noslo bonn 3\nlima rome 1\nparis quito 1\n")
    return "names.txt"


def test_parents_and_predecessors_are_names(named: str) -> None:
    # a search begins at its source, which is its own parent
    want = {"rome": "rome", "oslo": "rome", "bonn": "oslo", "lima": None, "paris": None}
    for task, column in (("bfs", "parents"), ("sssp", "predecessors")):
        found = rows(task, named, "--relabel", "--directed", "--source", "rome")
        assert {v: found[v][column] for v in want} == want


def test_labels_are_names_unless_they_are_numbers_by_request(named: str) -> None:
    found = rows("connected_components", named, "--relabel")
    for v, row in found.items():
        together = (
            {"bonn", "lima", "oslo", "rome"} if v not in ("paris", "quito") else {"paris", "quito"}
        )
        assert row["labels"] == min(together)
    numbers = rows("connected_components", named, "--relabel", "--consecutive")
    assert {row["labels"] for row in numbers.values()} == {0, 1}


def test_names_that_are_numbers() -> None:
    Path("ids.txt").write_text("700 -1\n-1 30\n")
    found = rows("bfs", "ids.txt", "--relabel", "--directed", "--source", "700")
    assert {v: row["parents"] for v, row in found.items()} == {700: 700, -1: 700, 30: -1}
    backwards = rows("bfs", "ids.txt", "--relabel", "--directed", "--source", "30")
    assert {v: row["parents"] for v, row in backwards.items()} == {700: None, -1: None, 30: 30}


def test_ids_without_names_are_as_before() -> None:
    Path("ids.txt").write_text("0 1\n2 1\n")
    found = rows("bfs", "ids.txt", "--directed", "--source", "0")
    assert {v: row["parents"] for v, row in found.items()} == {0: 0, 1: 0, 2: -1}


@pytest.mark.parametrize("suffix", READERS)
def test_the_name_says_the_format(named: str, suffix: str) -> None:
    arguments = ("run", "bfs", named, "--relabel", "--directed", "--source", "rome")
    done = tacho(*arguments, "-o", f"out{suffix}", "--trace", f"trace{suffix.upper()}")
    assert done.exit_code == 0, done.output
    table: pa.Table = READERS[suffix](f"out{suffix}")
    written = dict(zip(table["vertex"].to_pylist(), table["levels"].to_pylist(), strict=True))
    assert {v: written[v] for v in ("rome", "oslo", "bonn")} == {"rome": 0, "oslo": 1, "bonn": 2}
    trace: pa.Table = READERS[suffix](f"trace{suffix.upper()}")
    assert trace["frontier_vertices"].to_pylist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["out.txt", "out", "out.json", "out.parquet.gz", "out.xlsx"])
@pytest.mark.parametrize("option", ["--output", "--trace"])
def test_other_names_are_refused_before_anything_is_read(name: str, option: str) -> None:
    done = tacho("run", "bfs", "there-is-no-such-graph.txt", "--source", 0, option, name)
    assert isinstance(done.exception, tg.InputError)
    assert ".csv" in str(done.exception)
    assert name in str(done.exception)
    assert not Path(name).exists()


def test_pairs_are_streamed_to_parquet_only() -> None:
    with pytest.raises(tg.InputError, match=r"pairs\.csv.*\.parquet"):
        tg.jaccard(tg.path(4), "two_hop", output="pairs.csv")


def test_edges_of_a_cut() -> None:
    graph = tg.Graph.from_edges([0, 3, 1, 2, 3], [1, 1, 2, 0, 4], [5, 1, 1, 7, 9], directed=False)
    cut = tg.minimum_cut(graph, 0, 4)
    # {0, 1, 2} hang together by 5, 7 and 1; one edge of weight 1 leads to 3
    assert (cut.value, cut.edges.tolist()) == (1, [[1, 3]])
    assert graph.indices[cut.arcs].tolist() == [3]


@pytest.mark.parametrize("name", ["rmat-14", "北京大-"])  # the letters of one are wide
@pytest.mark.parametrize("width", [30, 80, 200])
def test_wide_tables_show_all_numbers_and_names_in_the_width_of_the_terminal(
    monkeypatch, capsys, width, name
):
    monkeypatch.setenv("COLUMNS", str(width))
    heads = ["graph", "kind", *(f"a published mean of number {k}" for k in range(9))]
    cells = [name, "directed", *(f"{1_409_024 + k:,}" for k in range(9))]
    out().print(table(heads, [cells]))
    shown = capsys.readouterr().out
    assert all(cell in shown for cell in cells), shown
    assert all(head.split()[-1] in shown for head in heads)
    assert max(map(cell_len, shown.splitlines())) <= width
    tables = sum(line.startswith(name) for line in shown.splitlines())
    assert tables == shown.count("graph") == {30: 5, 80: 2, 200: 1}[width]


def test_numbers_are_flush_right_and_text_is_flush_left(capsys):
    out().print(table(["name", "time", "why"], [["a", "1.5 s", "so"], ["b", "", "because"]]))
    heads, _, first, second = (line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert (heads, first) == ("name   time  why", "a     1.5 s  so")
    assert second == "b            because"


def test_nothing_is_written_over_what_is_read() -> None:
    """The graph, or the trace that a report shows, was replaced by what was made from it."""
    text = "source,target\n0,1\n1,2\n"
    Path("g.csv").write_text(text)
    Path("link.csv").symlink_to("g.csv")
    for words in (
        ["--output", "g.csv"],
        ["--trace", "./g.csv"],
        ["--output", "link.csv"],
        ["--output", "a.csv", "--trace", "a.csv"],
    ):
        done = tacho("run", "bfs", "g.csv", "--source", 0, *words)
        assert isinstance(done.exception, tg.InputError), done.output
        assert "choose another name" in str(done.exception)
    assert Path("g.csv").read_text() == text
    assert tacho("run", "bfs", "g.csv", "--source", 0, "--trace", "t.parquet").exit_code == 0
    before = Path("t.parquet").read_bytes()
    assert isinstance(tacho("report", "t.parquet", "-o", "t.parquet").exception, tg.InputError)
    assert Path("t.parquet").read_bytes() == before
