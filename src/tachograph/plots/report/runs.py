"""Which runs a report is about: by their number in the journal, or files with their traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...journal import Run, journal
from ...util.errors import InputError, MissingFileError

__all__ = ["Entry", "entries", "trace_file"]


@dataclass(frozen=True)
class Entry:
    """A run with its trace. Of a trace file, only what is in it is known of the run."""

    name: str
    run: Run
    trace: dict[str, list[Any]]


def entries(names: Sequence[str]) -> list[Entry]:
    """The runs of these names: numbers, ``last``, or Parquet files of ``tacho run --trace``.

    Raises
    ------
    InputError
        If there is no such run, or the file has no trace.
    MissingFileError
        If there is no such file.
    """
    return [_entry(name) for name in names]


def _entry(name: str) -> Entry:
    if name.endswith(".parquet"):
        return trace_file(name)
    kept = journal()
    if name == "last":
        found = next(iter(kept.runs(last=1)), None)
    elif name.isdigit():
        found = kept.run(int(name))
    else:
        raise InputError(
            f"{name!r} is not a run: give its number, last, or a trace's .parquet file"
        )
    if found is None:
        many = len(kept.runs())
        raise InputError(
            f"there is no run {name} in the journal, which has {many}: tacho run makes one"
            if kept.path is not None
            else "the journal is turned off (TACHOGRAPH_JOURNAL): give trace files"
        )
    return Entry(f"run {found.id}", found, kept.trace(found.id) or {})


def trace_file(path: str) -> Entry:
    """A trace that was written to a file, with what the file says about the run."""
    import pyarrow as pa
    from pyarrow import parquet

    if not Path(path).is_file():
        raise MissingFileError(f"{path}: there is no such file")
    try:
        table = parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a Parquet file ({str(error).splitlines()[0]})") from None
    columns: dict[str, list[Any]] = table.to_pydict()
    if "seconds" not in columns:
        raise InputError(f"{path}: no trace, which has a column of seconds: tacho run --trace")
    about = json.loads((table.schema.metadata or {}).get(b"tachograph", b"{}"))
    run = Run(
        id=0, created=Path(path).stat().st_mtime, machine="", version="",
        task=about.get("task", "trace"), graph=about.get("graph", {}), options={}, plan=None,
        predicted=None, seconds=about.get("seconds", float(sum(columns["seconds"]))),
        provenance=about.get("provenance", "measured"), facts={},
    )  # fmt: skip
    return Entry(Path(path).name, run, columns)
