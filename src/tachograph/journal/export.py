"""Runs, traces and records as flat tables, for files that other programs read."""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps
from typing import TYPE_CHECKING

from . import Journal, Record, Run

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow", "rows_of", "tables"]

LARGEST_BITS = 63  # of a whole number in a column


def arrow(rows: list[Record]) -> pa.Table:
    """Return rows as a table of Arrow; a row may lack columns."""
    import pyarrow as pa

    heads = dict.fromkeys(head for row in rows for head in row)
    return pa.table({head: pa.array([_utf8(row.get(head)) for row in rows]) for head in heads})


def rows_of(runs: Iterable[Run]) -> list[Record]:
    """Return a flat row for each run. What has no fixed columns is JSON."""
    made = [run.to_dict() for run in runs]
    for run in made:
        graph = run.pop("graph")
        run |= {f"graph_{k}": graph.get(k) for k in ("name", "n", "m", "directed", "mark")}
        run["graph_name"] = graph.get("name") or None
        run["graph_shape"] = dumps(graph.get("shape"))
        plan = run["plan"] or {}
        run |= {k: plan.get(k) for k in ("way", "reason")}
        for part in ("options", "facts"):
            run |= {f"{part[:-1]}_{k.replace(' ', '_')}": _cell(v) for k, v in run[part].items()}
        run |= {k: dumps(run[k]) for k in ("options", "plan", "facts")}
    return _alike(made)


def tables(kept: Journal, runs: Iterable[Run]) -> dict[str, list[Record]]:
    """Return all rows by the name of their file: runs, the traces of each task, and records."""
    made = rows_of(runs)
    traces: dict[str, list[Record]] = {}
    for run in made:
        if (columns := kept.trace(run["id"])) is not None:
            cells = ([_cell(v) for v in column] for column in columns.values())
            found = traces.setdefault(f"trace-{run['task']}", [])
            for k, values in enumerate(zip(*cells, strict=True)):
                found.append(
                    {"run": run["id"], "row": k, **dict(zip(columns, values, strict=True))}
                )
    records = [
        {"kind": kind, "key": key, "value": dumps(value)}
        for kind in kept.kinds()
        for key, value in kept.records(kind).items()
    ]
    return {"runs": made, **{k: _alike(v) for k, v in traces.items()}, "records": records}


def _utf8(value: object) -> object:
    """Spell out what is not UTF-8, such as bytes of a file name: Parquet holds nothing else."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


def _cell(value: object) -> object:
    """Return a plain value as it is, others as JSON, and so a seed that no column can hold."""
    plain = value is None or isinstance(value, bool | float | str)
    plain |= isinstance(value, int) and value.bit_length() <= LARGEST_BITS
    return value if plain else dumps(value)


def _alike(rows: list[Record]) -> list[Record]:
    """Make text of what has values of different kinds in different rows: a column holds one kind."""
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for head, value in row.items():
            kinds.setdefault(head, set()).add(type(value))
    mixed = {head for head, found in kinds.items() if len(found - {type(None)} - {int}) > 1}
    mixed |= {head for head, found in kinds.items() if int in found and found & {str, bool}}
    return [
        {k: str(v) if k in mixed and v is not None else v for k, v in row.items()} for row in rows
    ]
