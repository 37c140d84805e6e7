"""Damaged Parquet files of edges to partition, checkpoints of runs, and tables of published runs."""

from __future__ import annotations

import io
import math
import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import tachograph as tg
from tachograph.scale import supersteps
from tachograph.simulation.gpus.validation import runs
from tachograph.simulation.gpus.validation.directions import agreement, levels_by_graph
from tests.graph.files import reference

from . import must
from .damage import few_places, many_bytes
from .readers import MEMORY, seeds_of


class Edges:
    """Parquet files of edges that are partitioned batch by batch."""

    def __init__(self, place: Path) -> None:
        self.path, self.parts = place / "edges.parquet", place / "parts"
        self.seeds = seeds_of("parquet")

    def __call__(self, rng: random.Random) -> bool:
        raw = few_places(rng, rng.choice(self.seeds))
        self.path.write_bytes(raw)
        shutil.rmtree(self.parts, ignore_errors=True)
        try:
            with tg.limits(memory=MEMORY):
                made = tg.scale.partition(self.path, parts=2, directory=self.parts)
        except tg.TachographError:
            must(not self.parts.exists(), "half a partition")
            return False
        found: Counter[tuple[int, int]] = Counter()
        for index in range(made.parts):
            piece = made.piece(index)
            sources = piece.ids[piece.out.arc_sources()]
            found += Counter(
                zip(sources.tolist(), piece.ids[piece.out.indices].tolist(), strict=True)
            )
        n, directed, edges = reference.READERS["parquet"](raw).plain()
        want: Counter[tuple[int, int]] = Counter()
        for (u, v, _), count in edges.items():
            want[u, v] += count
            if not directed and u != v:
                want[v, u] += count
        must((made.n, made.directed, found) == (n, directed, want), f"{found}, not {want}")
        return True


class Stopped(Exception):
    """A run is to stop here."""


class Checkpoints:
    """What a run keeps so that it can go on: files of arrays, and the small file that tells of them."""

    SIZE = 24

    def __init__(self, place: Path) -> None:
        self.parts, self.kept = place / "parts", place / "kept"
        tg.scale.partition(tg.path(self.SIZE), parts=2, directory=self.parts)
        decided = supersteps._Run._superstep

        def stops(run: supersteps._Run, step: int, *given: object) -> object:
            if step == 7:
                raise Stopped
            return decided(run, step, *given)  # type: ignore[arg-type]

        supersteps._Run._superstep = stops  # type: ignore[assignment,method-assign]
        try:
            tg.scale.bfs(self.parts, 0, checkpoint=3)
        except Stopped:
            pass
        finally:
            supersteps._Run._superstep = decided  # type: ignore[method-assign]
        (self.run,) = (self.parts / "runs").iterdir()
        must((self.run / "checkpoint.json").exists(), "no checkpoint")
        shutil.copytree(self.run, self.kept)

    def __call__(self, rng: random.Random) -> bool:
        shutil.rmtree(self.run)
        shutil.copytree(self.kept, self.run)
        for _ in range(rng.choice((1, 1, 2))):
            path = rng.choice(sorted(self.run.iterdir()))
            damage = rng.choice((few_places, many_bytes))
            path.write_bytes(damage(rng, path.read_bytes()))
        found = tg.scale.bfs(self.parts, 0, checkpoint=3)
        must(np.array_equal(found.levels, np.arange(self.SIZE)), found.levels)
        return bool(found.trace["superstep"][0] > 0)  # whether it went on from there


class Published:
    """Tables of published runs on GPUs."""

    def __init__(self, place: Path) -> None:
        self.place = place
        text = {"dataset": "a", "gpu": "Tesla K40c", "advance_mode": "LB", "engine": "Gunrock"}
        same = {
            **text,
            "version": runs.VERSION,
            "algorithm": "bfs",
            "undirected": True,
            "gpu_count": 1,
        }
        same |= dict.fromkeys(("vertex64", "size64", "mark_pred", "idempotence"), False)
        sizes = {"vertices": 9.0, "edges": 20.0, "do_a": 0.1, "do_b": 0.2, "elapsed_ms": 2.5}
        rows = [
            {**same, **sizes, "run": k, "direction_optimized": bool(k), "run_ms": [2.0, 3.0],
             "run_source": [0, 1], "search_depth": 3.0} for k in range(2)
        ]  # fmt: skip
        levels = [
            {**same, "run": k, "level": at, "direction": "push", "direction_optimized": bool(k),
             "frontier_in": 1 + at, "frontier_out": 4} for k in range(2) for at in range(3)
        ]  # fmt: skip
        self.tables = {"runs": pa.Table.from_pylist(rows), "levels": pa.Table.from_pylist(levels)}
        for name in self.tables:
            self.write(name, self.tables[name], None)
        must(len(runs.cells(place)) == 2 and agreement(place)[1] == 3, "the tables are used")

    def write(self, name: str, table: pa.Table, rng: random.Random | None) -> None:
        parquet.write_table(table, out := io.BytesIO(), compression="snappy")
        raw = out.getvalue()
        raw = few_places(rng, raw) if rng is not None and rng.random() < 0.5 else raw
        (self.place / f"gunrock_{name}.parquet").write_bytes(raw)

    def __call__(self, rng: random.Random) -> bool:
        for name, table in self.tables.items():
            if rng.random() < 0.5:
                k = rng.randrange(table.num_columns)
                odd = rng.choice(
                    (None, -1, 0, 2**52, "x", float("nan"), [None], [-1.0], True, {"a": 1})
                )
                table = table.set_column(k, table.column_names[k], [[odd] * table.num_rows])
            self.write(name, table, rng)
        try:
            with tg.limits(memory=MEMORY):
                cells = runs.cells(self.place)
                levels = levels_by_graph(self.place)
                same, total = agreement(self.place)
        except tg.TachographError:
            return False
        must(all(cell.ms > 0 or math.isnan(cell.ms) for cell in cells), cells)
        must(0 <= same <= total and isinstance(levels, dict), (same, total))
        return True
