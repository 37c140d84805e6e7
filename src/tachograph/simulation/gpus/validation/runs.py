"""Published runs of breadth-first search on GPUs, as cells: one for each graph, GPU, mode and
direction.

The tables are not part of the package; ``$TACHOGRAPH_GPU_RUNS`` names the directory that has them
(``gunrock_runs.parquet`` and ``gunrock_levels.parquet``). Cells are of Gunrock 1.0.0 with one GPU
and ids of 32 bits, without predecessors. A cell's time is the median over the runs of all its
records: the first runs often allocate queues, so that means are up to twice as long. Runs below 0.3
of the median began where there is nothing to search, and are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....util.errors import FileFormatError, InputError, MissingFileError, TachographError
from ....util.files import arrow_file, is_file
from ....util.packed import require_pages

__all__ = ["GPUS", "MODES", "Cell", "cells", "published", "records"]

VARIABLE = "TACHOGRAPH_GPU_RUNS"
#: What the tables call the GPUs of the catalogue.
GPUS = {
    "Tesla K40c": "k40c",
    "TITAN Xp": "titan-xp",
    "Quadro GV100": "gv100",
    "Tesla V100-PCIE-32GB": "v100",
}
MODES = ("LB_CULL", "LB", "TWC")
EMPTY_BELOW = 0.3  # of the median: such a search began where there is nothing
VERSION = "1.0.0"


@dataclass(frozen=True)
class Cell:
    """Runs of one graph on one GPU in one way. ``ms`` is their median, ``mean_ms`` the published mean.

    ``last`` has pairs of milliseconds and depth of the runs whose depth is known; ``runs`` has pairs of
    source and milliseconds.
    """

    dataset: str
    undirected: bool
    gpu: str
    mode: str
    optimised: bool
    ms: float
    mean_ms: float
    vertices: int
    arcs: int
    do_a: float
    do_b: float
    depth: float
    last: tuple[tuple[float, float], ...]
    runs: tuple[tuple[int, float], ...]


def directory(given: Path | None = None) -> Path:
    """Return the directory of the tables."""
    found = given or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if found is None:
        raise InputError(f"name the directory of the published runs, or set ${VARIABLE}")
    if not is_file(found / "gunrock_runs.parquet"):
        raise MissingFileError(f"there is no gunrock_runs.parquet in {found}")
    return found


def records(table: str, where: Path | None = None, columns: list[str] | None = None) -> Any:
    """Return a table as a ``pyarrow.Table``."""
    import pyarrow.parquet as parquet

    path = directory(where) / f"gunrock_{table}.parquet"
    try:
        file = parquet.ParquetFile(arrow_file(path))
        require_pages(path, columns or file.schema_arrow.names)
        found = file.read(columns)
        found.validate(full=True)
    except TachographError:
        raise
    except Exception as error:  # damaged and foreign files make Arrow raise all kinds
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise FileFormatError(path, f"is not a table of published runs: {why}") from None
    if missing := set(columns or ()) - set(found.column_names):
        raise FileFormatError(path, f"has no columns {', '.join(sorted(missing))}")
    return found


@contextmanager
def published(where: Path | None) -> Iterator[None]:
    """Refuse tables whose columns hold something else than those of published runs."""
    try:
        yield
    except TachographError:
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise FileFormatError(
            directory(where), f"holds other values than published runs do ({problem})"
        ) from None


KEY = ("dataset", "undirected", "gpu", "advance_mode", "direction_optimized")
COLUMNS = [*KEY, "engine", "version", "algorithm", "gpu_count", "vertex64", "size64", "mark_pred"]
COLUMNS += [
    "run_ms",
    "run_source",
    "search_depth",
    "elapsed_ms",
    "vertices",
    "edges",
    "do_a",
    "do_b",
]


def cells(where: Path | None = None, algorithm: str = "bfs") -> list[Cell]:
    """Return all cells of an algorithm on the GPUs of the catalogue."""
    with published(where):
        return _cells(where, algorithm)


def _cells(where: Path | None, algorithm: str) -> list[Cell]:
    grouped: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in records("runs", where, COLUMNS).to_pylist():
        wanted = row["engine"] == "Gunrock" and row["version"] == VERSION
        plain = not (row["vertex64"] or row["size64"] or row["mark_pred"])
        if wanted and plain and row["algorithm"] == algorithm and row["gpu_count"] == 1:
            if row["gpu"] in GPUS and row["run_ms"]:
                grouped.setdefault(tuple(row[k] for k in KEY), []).append(row)
    return [made for key, rows in grouped.items() if (made := _cell(key, rows)) is not None]


def _cell(key: tuple[Any, ...], rows: list[dict[str, Any]]) -> Cell | None:
    dataset, undirected, gpu, mode, optimised = key
    middle = float(np.median(np.concatenate([row["run_ms"] for row in rows])))
    pairs = [
        (int(source), float(ms))
        for row in rows
        for source, ms in zip(
            row["run_source"] or [0] * len(row["run_ms"]), row["run_ms"], strict=True
        )
        if ms >= EMPTY_BELOW * middle
    ]
    if not pairs:
        return None
    last = [
        (float(row["run_ms"][-1]), float(row["search_depth"]))
        for row in rows
        if row["search_depth"] and row["run_ms"][-1] >= EMPTY_BELOW * middle
    ]
    first = rows[0]
    return Cell(
        dataset=str(dataset),
        undirected=bool(undirected),
        gpu=GPUS[str(gpu)],
        mode=str(mode),
        optimised=bool(optimised),
        ms=float(np.median([ms for _, ms in pairs])),
        mean_ms=float(np.median([row["elapsed_ms"] for row in rows])),
        vertices=int(first["vertices"]),
        arcs=int(first["edges"]),
        do_a=float(first["do_a"] or 0.0),
        do_b=float(first["do_b"] or 0.0),
        depth=float(np.median([depth for _, depth in last])) if last else float("nan"),
        last=tuple(last),
        runs=tuple(pairs),
    )
