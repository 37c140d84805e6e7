"""Values and traces as Parquet files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..algorithms.result import Result
from ..graph.graph import Graph

__all__ = ["about", "write_rows"]


def about(result: Result, graph: Graph) -> dict[str, object]:
    """Return what a report says about a run of which it has the trace only."""
    sizes = {"n": graph.n, "m": graph.m, "directed": graph.directed}
    run = {"task": result.task, "seconds": result.seconds, "provenance": result.provenance}
    return {**run, "graph": sizes}


def write_rows(
    columns: Mapping[str, np.ndarray], path: Path, known: Mapping[str, object] | None = None
) -> None:
    """Write columns; what else is known goes to the file's metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    from ..graph.files.streams import aside

    lists = {k: v.tolist() if v.dtype.kind in "OU" else v for k, v in columns.items()}
    table = pa.table({k: pa.array(v) for k, v in lists.items()})
    if known is not None:
        table = table.replace_schema_metadata({"tachograph": json.dumps(known)})
    with aside(path) as temporary:
        parquet.write_table(table, temporary)
