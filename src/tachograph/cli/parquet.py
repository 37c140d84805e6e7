"""Values and traces as Parquet files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..algorithms.result import Result
from ..graph.graph import Graph

__all__ = ["about", "write_rows"]


def about(result: Result, graph: Graph) -> dict[str, Any]:
    """What a report says about a run of which it has the trace only."""
    sizes = {"n": graph.n, "m": graph.m, "directed": graph.directed}
    return {"task": result.task, "seconds": result.seconds, "provenance": result.provenance,
            "graph": sizes}  # fmt: skip


def write_rows(columns: dict[str, Any], path: Path, known: dict[str, Any] | None = None) -> None:
    """Write columns; what else is known goes to the file's metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    from ..graph.files.streams import aside

    with aside(path) as temporary:
        table = pa.table({k: pa.array(list(v) if v.dtype.kind in "OU" else v)
                          for k, v in columns.items()})  # fmt: skip
        if known is not None:
            table = table.replace_schema_metadata({"tachograph": json.dumps(known)})
        parquet.write_table(table, temporary)
