"""What Tachograph remembers: runs, calibrations and measurements, in one SQLite file.

The file lies in ``$TACHOGRAPH_HOME``, or in the user's data directory; ``TACHOGRAPH_JOURNAL=off`` turns
it off. Several processes may write at the same time (SQLite in WAL mode), and what was kept survives
the process being killed at any moment after that.

A run is a row: what was run on which graph, how, the time that was predicted and the time it took.
A record is a dictionary under a kind ("calibration", "direction", ...) and a key. Long work uses the
hash of what it is going to do as key: what is in the journal already need not be done again.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import time
import zlib
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from ..util.cores import machine
from .code import own_version
from .store import Record, Store, checksum, content_key, from_json, home, own_machine, to_json

__all__ = ["Journal", "Record", "Run", "content_key", "home", "journal", "machine"]

LONGEST_TRACE_ROWS = 20_000  # a longer trace is not kept
LARGEST_TRACE_BYTES = 1 << 26  # of a trace as JSON; a larger one is damaged
LARGEST_ID = (1 << 63) - 1
LARGEST_SECONDS = 1e11  # 3,000 years: a larger time is damaged


class Columns(Protocol):
    """A trace as it is recorded, such as :class:`tachograph.Trace`."""

    @property
    def columns(self) -> Sequence[str]: ...

    def __getitem__(self, name: str) -> Sized: ...


@dataclass(frozen=True)
class Run:
    """One run, to be recorded or read from the journal."""

    task: str
    graph: Record  # what identifies it: name, n, m, directed, mark, and its shape for the models
    seconds: float  # how long the run took, or would take if it was simulated
    options: Record = field(default_factory=dict)  # the arguments of the call
    #: How it was run (``way``), why (``reason``), the uncorrected prediction (``base``), and the other
    #: candidates. None if nothing was planned.
    plan: Record | None = None
    predicted: float | None = None  # the seconds that the plan promised
    provenance: str = "measured"  # or ``modelled``, ``simulated``, ``published``
    facts: Record = field(default_factory=dict)  # of the result: single values, not arrays
    #: The run that this one belongs to, for example the one that it audits.
    parent: int | None = None
    key: str | None = None  # a hash of all that the result depends on, if it need not be repeated
    #: The columns of its trace. A run that is read has None here: see :meth:`Journal.trace`.
    trace: Columns | Mapping[str, Sized] | None = field(default=None, repr=False)
    id: int = 0  # this and the following are filled in by the journal
    created: float = 0.0
    machine: str = ""
    version: str = ""  # of the package, and the hash of the code whose time was measured

    def to_dict(self) -> Record:
        """Return all fields but the trace, as JSON can hold them."""
        return {name: getattr(self, name) for name in RUN_COLUMNS}


RUN_COLUMNS = ("id", *(f.name for f in fields(Run) if f.name not in ("id", "trace")))
#: What the checksum of a run covers; SQLite itself changes the others.
SUMMED_COLUMNS = [name for name in RUN_COLUMNS if name not in ("id", "parent")]
RECORD_COLUMNS = ("kind", "key", "value", "checksum")
JSON_COLUMNS = ("graph", "options", "plan", "facts")
REAL_COLUMNS = ("seconds", "predicted", "created")
#: The types of columns that are not text.
KINDS: dict[str, Any] = {
    **dict.fromkeys(JSON_COLUMNS, dict),
    **dict.fromkeys(REAL_COLUMNS, float),
    "id": int,
    "plan": dict | None,
    "predicted": float | None,
    "parent": int | None,
    "key": str | None,
}


class Journal(Store):
    """Runs and their traces, and records by kind and key.

    >>> kept = Journal(Path("journal.db"))
    >>> kept.put("calibration", "host", {"stream": 11.5})
    >>> kept.get("calibration", "host")
    {'stream': 11.5}
    >>> kept.record(Run("bfs", {"name": "path"}, 0.25, trace={"seconds": [0.1, 0.15]}))
    1
    >>> kept.runs()[0].seconds, kept.trace(1)
    (0.25, {'seconds': [0.1, 0.15]})
    """

    def put(self, kind: str, key: str, value: Mapping[str, object]) -> None:
        """Keep ``value``; it replaces an older one of the same kind and key."""
        from .. import __version__

        text = to_json(dict(value))

        def work(db: sqlite3.Connection) -> None:
            now, sum_ = time.time(), checksum(kind, key, text)
            row = (kind, key, text, own_machine(db), __version__, now, sum_)
            db.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", row)

        self._write(work)

    def get(self, kind: str, key: str) -> Record | None:
        """Return the record of that kind and key, or None."""
        return self._records("kind = ? AND key = ?", kind, key).get(key)

    def kinds(self) -> list[str]:
        """Return the kinds of records there are."""
        rows = self._read("SELECT DISTINCT kind FROM records ORDER BY kind")
        return [kind for (kind,) in rows if isinstance(kind, str)]

    def records(self, kind: str) -> dict[str, Record]:
        """Return all records of a kind by key, oldest first."""
        return self._records("kind = ? ORDER BY created, key", kind)

    def _records(self, which: str, *values: object) -> dict[str, Record]:
        rows = self._read(f"SELECT {', '.join(RECORD_COLUMNS)} FROM records WHERE {which}", *values)
        return dict(self._sound(record_of, rows))

    def record(self, run: Run) -> int | None:
        """Keep a run, and its trace unless that is very long.

        Returns the run's id, or None if it could not be kept or the journal is off.
        """

        def work(db: sqlite3.Connection) -> int | None:
            own = {"id": None, "machine": own_machine(db), "version": own_version()}
            row = run.to_dict() | own | {"created": time.time()}
            given = {name for name, value in row.items() if value is not None}
            row |= {k: to_json(dict(row[k]), plain=True) for k in given.intersection(JSON_COLUMNS)}
            row |= {name: float(row[name]) for name in given.intersection(REAL_COLUMNS)}
            row["checksum"] = checksum(*(row[name] for name in SUMMED_COLUMNS))
            names = (*RUN_COLUMNS, "checksum")
            places = ", ".join(f":{name}" for name in names)
            made = db.execute(f"INSERT INTO runs ({', '.join(names)}) VALUES ({places})", row)
            if (columns := _packed(run.trace)) is not None:
                db.execute("INSERT INTO traces VALUES (?, ?)", (made.lastrowid, columns))
            return made.lastrowid

        return self._write(work)

    def runs(self, task: str | None = None, last: int | None = None) -> list[Run]:
        """Return the runs, oldest first: all, or those of one task, or the ``last`` ones."""
        where, values = ("", []) if task is None else ("WHERE task = ?", [task])
        limit = -1 if last is None else last
        return self._runs(f"{where} ORDER BY id DESC LIMIT ?", *values, limit)[::-1]

    def run(self, number: int) -> Run | None:
        """Return the run of that id, or None."""
        if number > LARGEST_ID:
            return None
        return next(iter(self._runs("WHERE id = ?", number)), None)

    def run_with_key(self, key: str) -> Run | None:
        """Return the last run with that key, or None."""
        return next(iter(self._runs("WHERE key = ? ORDER BY id DESC LIMIT 1", key)), None)

    def _runs(self, which: str, *values: object) -> list[Run]:
        rows = self._read(f"SELECT {', '.join(RUN_COLUMNS)}, checksum FROM runs {which}", *values)
        return list(self._sound(run_of, rows))

    def trace(self, run: int) -> dict[str, list[Any]] | None:
        """Return the columns of a run's trace, or None if it has none."""
        rows = self._read("SELECT columns FROM traces WHERE run = ?", run)
        return next(self._sound(trace_of, rows), None)

    def prune(self, before: float) -> int:
        """Forget the runs from before that time, and their traces. Return how many there were."""
        query = "DELETE FROM runs WHERE created < ?"
        gone = self._write(lambda db: db.execute(query, [before]).rowcount) or 0
        if gone:
            self._read("VACUUM")
        return gone


def record_of(kind: str, key: str, value: str, made: int | None) -> tuple[str, Record]:
    """Return the key and the record of a row; one of ``DAMAGED`` is raised for a damaged row."""
    _must(isinstance(key, str) and made in (None, checksum(kind, key, value)))
    return key, from_json(value)


def run_of(*row: Any) -> Run:
    """Return the run of a row; one of ``DAMAGED`` is raised for a damaged row.

    Rows of older versions have no checksum.
    """
    *values, made = row
    run: Record = dict(zip(RUN_COLUMNS, values, strict=True))
    _must(made in (None, checksum(*(run[name] for name in SUMMED_COLUMNS))))
    told = [name for name in JSON_COLUMNS if run[name] is not None or name != "plan"]
    run |= {name: from_json(run[name]) for name in told}
    _must(all(isinstance(value, KINDS.get(name, str)) for name, value in run.items()))
    _must(all(abs(run[name] or 0.0) < LARGEST_SECONDS for name in REAL_COLUMNS))
    return Run(**run)


def trace_of(packed: bytes) -> dict[str, list[Any]]:
    """Return the columns of a trace; one of ``DAMAGED`` is raised for a damaged row."""
    opened = zlib.decompressobj()
    columns = from_json(opened.decompress(packed, LARGEST_TRACE_BYTES))
    _must(opened.eof and all(isinstance(column, list) for column in columns.values()))
    _must(len({len(column) for column in columns.values()}) == 1)
    return columns


def _must(sound: bool) -> None:
    if not sound:
        raise ValueError("a damaged row")


def _packed(trace: Columns | Mapping[str, Sized] | None) -> bytes | None:
    if trace is None:
        return None
    names = trace if isinstance(trace, Mapping) else trace.columns
    columns = {name: trace[name] for name in names}
    if not columns or not 0 < len(next(iter(columns.values()))) <= LONGEST_TRACE_ROWS:
        return None
    return zlib.compress(to_json(columns, plain=True).encode(), 1)


@functools.lru_cache(maxsize=2)  # one that is not used any more is closed
def _at(path: Path | None) -> Journal:
    return Journal(path)


def journal() -> Journal:
    """Return the user's journal, in the place that the environment names now."""
    if os.environ.get("TACHOGRAPH_JOURNAL", "").lower() in ("off", "0", "no"):
        return _at(None)
    return _at(home() / "journal.db")
