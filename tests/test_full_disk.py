"""A full disk at every write: whatever writes a file leaves the one that was there, nothing else, and says why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli.commands import app
from tachograph.decisions.approximation.collect import write_csv
from tachograph.decisions.model_file import ModelFile
from tachograph.decisions.model_file import write as write_model
from tachograph.journal import journal
from tachograph.plots import charts
from tachograph.plots.report.page import write_page
from tachograph.plots.report.sections import entries, of_entries
from tachograph.simulation.dram.traces import write_trace
from tachograph.simulation.gpus.validation import validate
from tachograph.util.tables import TABLE_WRITERS, write_table
from tests.faults import file_limit

GRAPH = tg.kronecker(6, rng=1)
ADDRESSES = np.arange(900) * 64
TABLE = pa.table({"a": list(range(500))})
pytestmark = pytest.mark.filterwarnings("ignore::tachograph.TachographWarning")


def tacho(*words: object) -> None:
    """Run a command; raise what it raises."""
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def report(path: Path) -> None:
    write_table(tg.bfs(GRAPH, 0).trace.to_arrow(), Path("t.parquet"))
    write_page(path, "x", of_entries(entries(["t.parquet"])))


def run(path: Path, *words: object) -> None:
    tacho("run", *words, "-o", path)


def export(path: Path) -> None:
    tacho("journal", "export", path.parent)


def constants(path: Path) -> None:
    numbers = {"every": {"overlap": 3.0}, "architecture": {}, "gpu": {}}
    validate.write({"cells": {}, "errors": {}, "constants": numbers}, path)


def picture(path: Path) -> None:
    charts.bars([("a", 1.0, "measured"), ("b", 2.0, "simulated")]).save(path)


#: What writes a file, by the file's name.
WRITERS: dict[str, Callable[[Path], object]] = {
    **{f"picture{suffix}": picture for suffix in (".svg", ".html", ".png", ".pdf")},
    **{f"table{suffix}": lambda path: write_table(TABLE, path) for suffix in TABLE_WRITERS},
    **{
        f"requests{suffix}": lambda path: write_trace(path, ADDRESSES)
        for suffix in (".trace", ".npz", ".parquet", ".trace.gz")
    },
    "report.html": report,
    "trace.svg": lambda path: tg.bfs(GRAPH, 0).trace.plot(path),
    "levels.csv": lambda path: run(path, "bfs", "g.el", "--source", 0),
    "levels.parquet": lambda path: run(path, "bfs", "g.el", "--source", 0),
    "pairs.parquet": lambda path: run(path, "jaccard", "g.el", "--pairs", "two_hop"),
    "trace.parquet": lambda path: tacho("run", "bfs", "g.el", "--source", 0, "--trace", path),
    "made.tgraph": lambda path: tacho("generate", "path", path, "--n", 90),
    "converted.mtx": lambda path: tacho("convert", "g.el", path),
    "commands.csv": lambda path: tacho(
        "dram", "run", "a.trace", "--memory", "hbm", "--commands", path
    ),
    "page.html": lambda path: tacho("report", "t.parquet", "-o", path),
    "runs.parquet": export,
    "model.json": lambda path: write_model(
        path, ModelFile("nonsense", ("a",), {"value": np.ones(9)}, {})
    ),
    "constants.toml": constants,
    "records.csv": lambda path: write_csv([], path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name: str) -> None:
    path = Path("place") / name
    path.parent.mkdir()
    tg.write(GRAPH, "g.el")
    write_trace("a.trace", ADDRESSES)
    write_table(tg.bfs(GRAPH, 0).trace.to_arrow(), Path("t.parquet"))
    journal().put("kind", "key", {"a": 1})
    WRITERS[name](path)
    size = path.stat().st_size
    shutil.rmtree(path.parent)
    for old in (None, b"the old one"):
        for limit in (0, 1, size // 2):
            path.parent.mkdir(exist_ok=True)
            if old is not None:
                path.write_bytes(old)
            with file_limit(limit), pytest.raises(tg.TachographError, match="cannot write"):
                WRITERS[name](path)
            assert os.listdir(path.parent) == ([] if old is None else [path.name])
            assert old is None or path.read_bytes() == old
    WRITERS[name](path)
    assert path.stat().st_size >= size // 2
