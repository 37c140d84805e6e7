"""The public types are known to type checkers other than the one that checks this repository."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tachograph as tg

LEAST_KNOWN_SHARE = 0.95  # of the symbols of the package
PATIENCE_SECONDS = 240  # for a checker on a busy machine


def test_types_are_known_to_pyright():
    bin_directory = Path(sys.executable).parent
    if not (bin_directory / "pyright").exists():
        pytest.skip("pyright is not installed")
    command = [bin_directory / "pyright", "--verifytypes", "tachograph", "--ignoreexternal"]
    path = f"{bin_directory}{os.pathsep}{os.environ['PATH']}"  # it asks the first python there
    environment = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(bin_directory.parent)}
    said = output([*command, "--outputjson"], Path.cwd(), environment)
    assert json.loads(said)["typeCompleteness"]["completenessScore"] >= LEAST_KNOWN_SHARE


def output(command: list[Path | str], place: Path, environment: dict[str, str]) -> str:
    """What a command says; one that hangs is killed with all processes that it has started."""
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=place,
        env=environment,
        start_new_session=True,
    )
    try:
        return running.communicate(timeout=PATIENCE_SECONDS)[0]
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        raise


SCRIPT = """\
import pandas as pd

import tachograph as tg

frame = pd.DataFrame({"who": ["a", "b"], "whom": ["b", "c"]})
g = tg.Graph.from_pandas(frame, source="who", target="whom")
found = tg.bfs(g, 0)
ranks = tg.pagerank(g)
groups = tg.leiden(g.to_undirected(), rng=1)
alike = tg.adamic_adar(g, [(0, 1)])
cut = tg.minimum_cut(g, "a", "c")
near = tg.similar_to(g, "a"), tg.bfs(g, "a", target="b"), tg.sssp(g, "a").path("b")
print(found.levels, ranks.scores, groups.labels, groups.modularity, alike.values, cut.value)
print(found.run.seconds, found.trace.to_pandas(), ranks.to_pandas())
"""
REVEALED = {  # what a checker is asked, and what its answer must contain
    "found.levels": "32",
    "tg.sssp(g, 0).distances": "float64",
    "ranks.converged": "bool",
    "alike.values": "float64",
    "found.run.predicted": "float | None",
}
MISTAKES = (
    "found.level",
    "ranks.score",
    "groups.modularities",
    "alike.value",
    "g.summery()",
    "tg.pagrank(g)",
)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_known_and_misspelled_attributes_found(checker, tmp_path):
    """In scripts like those of the tutorials; the scripts themselves are right."""
    bin_directory = Path(sys.executable).parent
    if not (bin_directory / checker).exists():
        pytest.skip(f"{checker} is not installed")
    asked = "".join(f"reveal_type({text})\n" for text in REVEALED)
    (tmp_path / "right.py").write_text(SCRIPT + asked)
    (tmp_path / "wrong.py").write_text(SCRIPT + "".join(f"print({text})\n" for text in MISTAKES))
    environment = {
        **os.environ,
        "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(bin_directory.parent),
        "MYPYPATH": str(Path(tg.__file__).parent.parent),
    }
    command = [bin_directory / checker, "right.py", "wrong.py"]
    if checker == "mypy":
        command += ["--ignore-missing-imports", "--follow-imports=silent"]
    said = output(command, tmp_path, environment)
    complaints = [line for line in said.splitlines() if "error" in line and ".py:" in line]
    first = SCRIPT.count("\n") + 1
    places = {(Path(line.split(":")[0]).name, int(line.split(":")[1])) for line in complaints}
    assert places == {("wrong.py", first + k) for k in range(len(MISTAKES))}, said
    told = [line for line in said.splitlines() if 'is "' in line and "right.py:" in line]
    for line, kind in zip(told, REVEALED.values(), strict=True):
        assert kind in line.replace("builtins.", ""), line
