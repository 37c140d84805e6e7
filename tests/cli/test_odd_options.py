"""Values of options that no command can use: an error that says so, no traceback, no other answer."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli.commands import app
from tachograph.journal import Run, journal


def tacho(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("odd", ["-1", "9" * 30, "1_0", "²", "9" * 5000, "12"])
@pytest.mark.parametrize("option", ["--target", "--source"])
def test_what_is_no_vertex(odd: str, option: str) -> None:
    tg.write(tg.path(12), "g.el")
    with pytest.raises(tg.InputError, match="no vertex|not a vertex id"):
        tacho("run", "sssp", "g.el", "--source", 0, option, odd)


@pytest.mark.parametrize(
    "words",
    [("compare", "directions", "--rounds", 0), ("compare", "directions", "--searches", -1),
     ("compare", "directions", "--graphs", ""), ("compare", "directions", "--graphs", "path 9,"),
     ("dram", "generate", "random", "a.trace", "--requests", "9" * 30),
     ("dram", "generate", "random", "a.trace", "--rng", -1), ("dram", "generate", "stride", "a.trace", "--stride", 2**60),
     ("generate", "uniform", "g.el", "--degree", 1e308), ("generate", "bipartite", "g.el", "--degree", 1e308),
     ("generate", "tree", "g.el", "--branching", "9" * 30)],
)  # fmt: skip
def test_numbers_that_are_too_small_or_too_large(words: tuple[object, ...]) -> None:
    with pytest.raises(tg.TachographError):
        tacho(*words)


def test_runs_with_seeds_beyond_64_bits_are_exported() -> None:
    for seed in (3, 2**64 - 1, 10**29):
        journal().record(Run("leiden", {"name": "g"}, 1.0, {"rng": seed}))
    tacho("journal", "export", "x")
    from pyarrow import parquet

    found = parquet.read_table("x/runs.parquet")["option_rng"].to_pylist()
    assert found == ["3", str(2**64 - 1), str(10**29)]
