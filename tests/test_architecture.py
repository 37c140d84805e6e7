"""Imports point one way, and ``import tachograph`` is quick and light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tachograph

ROOT = Path(tachograph.__file__).parent
# A room may import itself and the rooms before it.
ROOMS = [
    "util", "journal", "kernels", "graph", "plots", "devices", "decisions", "algorithms", "simulation",
    "tasks", "scale", "peers", "papers", "networkx", "lab", "cli",
]  # fmt: skip
HEAVY = (
    "numba",
    "sklearn",
    "scipy",
    "pyarrow",
    "pyopencl",
    "networkx",
    "dask",
    "distributed",
    "rich",
    "typer",
    "pooch",
)
FILES = sorted(ROOT.rglob("*.py"))


def imported_rooms(path: Path) -> set[str]:
    """The rooms and shared modules that a file imports, at the top or inside functions."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            parts = (*base, *(node.module.split(".") if node.module else ()))
            found |= {parts[0]} if parts else {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = (
                [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
            found |= {n.split(".")[1] for n in names if n and n.startswith("tachograph.")}
    return found - {"__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    room = path.relative_to(ROOT).parts[0]
    if room in ("__init__.py", "__main__.py"):
        return
    allowed = set(ROOMS[: ROOMS.index(room) + 1]) if room in ROOMS else set()
    assert imported_rooms(path) <= allowed


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_every_public_name_exists():
    for name in tachograph.__all__:
        assert getattr(tachograph, name) is not None
    assert set(dir(tachograph)) == set(tachograph.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tachograph.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean pagerank"):
        tachograph.page_rank  # noqa: B018
    for word, name in [("closeness", "closeness_centrality"), ("k_core", "core_number")]:
        with pytest.raises(AttributeError, match=f"did you mean {name}"):
            getattr(tachograph, word)


def test_import_loads_nothing_heavy():
    code = "import sys, tachograph; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not set(HEAVY) & set(run.stdout.split())


def test_graph_and_errors_need_no_numba():
    code = "import sys, tachograph as tg; tg.Graph, tg.read, tg.datasets(); print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "False"
