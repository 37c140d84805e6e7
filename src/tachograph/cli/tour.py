"""``tacho tour``: what Tachograph does, shown on one graph. Grows with the product."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..algorithms.bfs import bfs
from ..graph.files import read, write
from ..graph.generate import kronecker
from ..memory import human
from .options import load, out
from .show import bfs_table, features_table, histogram

__all__ = ["run"]

T = TypeVar("T")
SCALE = 18
SHOWN = ("tgraph", "parquet", "txt", "mtx")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    begin = time.perf_counter()
    done = work()
    return done, time.perf_counter() - begin


def run(name: str | None) -> None:
    """Make or load a graph, measure it, take it through several file formats, search it."""
    console = out()
    if name is None:
        console.rule(f"[bold]1. A graph: tg.kronecker(scale={SCALE}, seed=1)")
        kronecker(scale=8, seed=1)  # compiles, so that the time below is the work's
        graph, seconds = _timed(lambda: kronecker(scale=SCALE, seed=1))
        console.print(f"{graph!r}\ngenerated in {seconds:.2f} s")
    else:
        console.rule(f"[bold]1. A graph: {name}")
        graph, seconds = _timed(lambda: load(name))
        console.print(f"{graph!r}\nread in {seconds:.2f} s")

    console.rule("[bold]2. What it is like: graph.features")
    table, seconds = _timed(lambda: features_table(graph))
    console.print(table, histogram(graph.features.degree_counts), f"measured in {seconds:.2f} s")

    console.rule("[bold]3. To files and back: tg.write, tg.read")
    with tempfile.TemporaryDirectory() as directory:
        write(kronecker(scale=4), Path(directory) / "small.txt")
        read(Path(directory) / "small.txt")  # compiles
        for suffix in SHOWN:
            path = Path(directory) / f"graph.{suffix}"
            _, writing = _timed(lambda path=path: write(graph, path))  # type: ignore[misc]
            back, reading = _timed(lambda path=path: read(path))  # type: ignore[misc]
            same = (back.n, back.m) == (graph.n, graph.m)
            console.print(
                f".{suffix:8} {human(path.stat().st_size):>8}   written in {writing:6.3f} s   "
                f"read in {reading:6.3f} s   {'same graph' if same else 'DIFFERENT GRAPH'}"
            )
    console.rule("[bold]4. Breadth-first search that changes direction: tg.bfs")
    source = int(graph.degrees.argmax()) if graph.n else 0
    if graph.n:
        bfs(graph, source)  # compiles, and builds the transpose of a directed graph
        result = bfs(graph, source, verify=True)
        console.print(bfs_table(result.trace))
        reached = int((result.levels >= 0).sum())
        console.print(
            f"from vertex {source} {reached:,} vertices reached in {result.seconds * 1e3:.2f} ms, "
            "levels and parents verified"
        )
    console.rule()
    console.print("Next: tacho info GRAPH, tacho convert IN OUT, tacho run bfs GRAPH --source 0")
