"""What an installed package must do without its source tree: ``make package`` runs this in an empty
environment, from another directory.
"""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import tachograph as tg


def command(*words: str) -> str:
    tacho = Path(sysconfig.get_path("scripts")) / "tacho"
    return subprocess.run([tacho, *words], check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Use the API, the command, shipped models, kernels for devices, and the entry points."""
    assert Path(sys.prefix) in Path(tg.__file__).parents, tg.__file__
    assert importlib.metadata.version("tachograph") == tg.__version__
    shipped = importlib.resources.files("tachograph")
    for name in ("py.typed", "decisions/models/times.json", "decisions/graphs.csv"):
        assert shipped.joinpath(name).is_file(), name
    graph = tg.kronecker(10, rng=1)
    assert tg.bfs(graph, 0, verify=True).to_pandas().shape == (graph.n, 3)
    assert tg.Graph.from_scipy(graph.to_scipy()).arcs == graph.arcs
    with tempfile.TemporaryDirectory() as directory:
        for suffix in (".txt", ".parquet", ".tgraph"):
            path = str(Path(directory) / f"graph{suffix}")
            tg.write(graph, path)
            assert tg.read(path).m == graph.m
        assert "verified" in command("run", "pagerank", path, "--verify")
        assert "why" in command("plan", "pagerank", path)
    assert tg.__version__ in command("--version")
    assert "direction" in command("models")
    entries = importlib.metadata.entry_points(group="networkx.backends")
    assert "tachograph" in entries.names
    print("the installed package works")


if __name__ == "__main__":
    main()
