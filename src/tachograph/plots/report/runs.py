"""Which runs a report is about: their numbers in the journal, or files with their traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...journal import Run, journal
from ...util.errors import InputError, MissingFileError
from ..bins import Columns

__all__ = ["Entry", "entries"]


@dataclass(frozen=True)
class Entry:
    """A run with its trace. Of a trace file, only what is in the file is known of the run."""

    name: str
    run: Run
    trace: Columns


def entries(names: Sequence[str]) -> list[Entry]:
    """Return the runs of these names: numbers, ``last``, or Parquet files of ``tacho run --trace``.

    Raises
    ------
    InputError
        If there is no such run, or the file has no trace.
    MissingFileError
        If there is no such file.
    """
    return [_trace_file(n) if n.endswith(".parquet") else _kept(n) for n in names]


def _kept(name: str) -> Entry:
    """Return a run of the journal."""
    kept = journal()
    if name == "last":
        found = next(iter(kept.runs(last=1)), None)
    elif name.isdigit():
        found = kept.run(int(name))
    else:
        raise InputError(
            f"{name!r} is not a run: give its number, last, or a trace's .parquet file"
        )
    if found is None and kept.path is None:
        raise InputError("the journal is turned off (TACHOGRAPH_JOURNAL): give trace files")
    if found is None:
        many = len(kept.runs())
        raise InputError(
            f"there is no run {name} in the journal, which has {many}: tacho run makes one"
        )
    return Entry(f"run {found.id}", found, kept.trace(found.id) or {})


def _trace_file(path: str) -> Entry:
    """Return a trace that was written to a file, with what the file says about the run."""
    import pyarrow as pa
    from pyarrow import parquet

    if not Path(path).is_file():
        raise MissingFileError(f"{path}: there is no such file")
    try:
        table = parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a Parquet file ({str(error).splitlines()[0]})") from None
    columns: dict[str, list[float]] = table.to_pydict()
    if "seconds" not in columns:
        raise InputError(f"{path}: no trace, which has a column of seconds: tacho run --trace")
    about = json.loads((table.schema.metadata or {}).get(b"tachograph", b"{}"))
    known = {
        name: about[name] for name in ("task", "graph", "seconds", "provenance") if name in about
    }
    usual = {"task": "trace", "graph": {}, "seconds": float(sum(columns["seconds"]))}
    run = Run(**{**usual, **known}, created=Path(path).stat().st_mtime)
    return Entry(Path(path).name, run, columns)
