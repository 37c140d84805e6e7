"""What another process compiles while a graph is read is what the algorithm needs."""

from __future__ import annotations

import subprocess
import sys
from typing import ClassVar

import pytest

import tachograph as tg
from tachograph.cli import run as room
from tachograph.kernels.runtime import launch as runtime

CHECK = """
import tachograph as tg
from importlib import import_module
from tachograph.cli.run import MODULES, exercise

solve = {"bfs": lambda g: tg.bfs(g, 0), "connected_components": tg.connected_components}
for name, module in MODULES.items():
    walk = import_module(module).walk
    exercise(name)
    assert len(walk.overloads) == 1
    for directed in (False, True):
        solve[name](tg.Graph.from_edges([0, 1, 5], [1, 2, 3], directed=directed))
    assert len(walk.overloads) == 1, list(walk.overloads)
"""


def test_it_compiles_what_the_commands_use():
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Other:
    """Stands for the executor with the other process."""

    started: ClassVar[list[dict[str, str]]] = []
    log: ClassVar[list[str]] = []

    def __init__(self, workers, **_):
        assert workers == 1

    def perform(self, work, calls):
        assert work.function is room.exercise
        Other.started += calls
        return (Other.log.append("waited for") for _ in range(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        Other.log.append("ended" if kind is None else "killed")


@pytest.fixture
def processes(monkeypatch):
    monkeypatch.setattr(Other, "started", [])
    monkeypatch.setattr(Other, "log", [])
    monkeypatch.setattr(room, "Local", Other)
    monkeypatch.setattr(runtime, "kept_on_disk", lambda walk: False)
    return Other


@pytest.mark.parametrize("name", ["bfs", "connected_components"])
def test_the_other_process_is_waited_for(processes, name):
    with tg.threads(2), room.ahead(name):
        assert processes.started in ([{"name": "bfs"}], [{"name": "connected_components"}])
        assert processes.log == []
    assert processes.log == ["waited for", "ended"]


def test_it_ends_if_the_graph_cannot_be_read(processes):
    with pytest.raises(tg.InputError), tg.threads(2), room.ahead("bfs"):
        raise tg.InputError("no such file")
    assert processes.log == ["killed"]


def test_another_process_compiles(monkeypatch):
    monkeypatch.setattr(runtime, "kept_on_disk", lambda walk: False)
    done = []
    monkeypatch.setattr(room, "list", lambda outcomes: done.extend(outcomes), raising=False)
    with tg.threads(2), room.ahead("bfs"):
        pass
    assert done == [(0, None)]


@pytest.mark.parametrize(("name", "threads", "kept"), [
    ("bfs", 1, False), ("bfs", 2, True), ("bfs", 2, None), ("sssp", 2, False),
])  # fmt: skip
def test_only_where_it_helps(processes, monkeypatch, name, threads, kept):
    monkeypatch.setattr(runtime, "kept_on_disk", lambda walk: kept)
    with tg.threads(threads), room.ahead(name):
        pass
    assert processes.started == []


def test_what_is_kept_on_disk(tmp_path):
    @runtime.kernel
    def never_used(x):
        return x

    assert runtime.kept_on_disk(never_used) is False
    assert runtime.kept_on_disk(len) is None
