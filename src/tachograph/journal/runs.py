"""Runs in the journal: what was asked, how it was run, what was predicted, and what happened."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeAlias

from .store import Record, Store, own_machine

__all__ = ["Columns", "Run", "Runs"]

LONGEST_TRACE_ROWS = 20_000  # a longer trace is not kept


class Columns(Protocol):
    """A trace as it is recorded: an object with ``columns``, such as :class:`tachograph.Trace`."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns' names."""

    def __getitem__(self, name: str) -> Sized:
        """The values of one column, one for each row."""


Trace: TypeAlias = Columns | Mapping[str, Sized]


@dataclass(frozen=True)
class Run:
    """One run, to be recorded or read from the journal.

    Parameters
    ----------
    task
        The task's name.
    graph
        What identifies the graph: name, n, m, directed, mark, and its shape for the models.
    seconds
        How long the run took, or would take if it was simulated.
    options
        The arguments of the call.
    plan
        How it was run (``way``), why (``reason``), the uncorrected prediction (``base``), and the
        other candidates. None if nothing was planned.
    predicted
        The seconds that the plan promised.
    provenance
        ``measured``, ``modelled``, ``simulated`` or ``published``.
    facts
        What is worth telling of the result: single values, not arrays.
    parent
        The id of the run that this one belongs to, for example the run that it audits.
    key
        A hash of all that the result depends on, if a run like this need not be repeated.
    trace
        The columns of its trace. A run that is read has None here: see :meth:`Runs.trace`.
    id, created, machine, version
        Filled in by the journal.
    """

    task: str
    graph: Record
    seconds: float
    options: Record = field(default_factory=dict)
    plan: Record | None = None
    predicted: float | None = None
    provenance: str = "measured"
    facts: Record = field(default_factory=dict)
    parent: int | None = None
    key: str | None = None
    trace: Trace | None = field(default=None, repr=False)
    id: int = 0
    created: float = 0.0
    machine: str = ""
    version: str = ""

    def to_dict(self) -> Record:
        """Return all fields but the trace, as JSON can hold them."""
        return {name: getattr(self, name) for name in RUN_COLUMNS}


RUN_COLUMNS = ("id", *(f.name for f in fields(Run) if f.name not in ("id", "trace")))
JSON_COLUMNS = ("graph", "options", "plan", "facts")


class Runs(Store):
    """The part of the journal that keeps runs and their traces.

    >>> from pathlib import Path
    >>> kept = Runs(Path("journal.db"))
    >>> kept.record(Run("bfs", {"name": "path"}, 0.25, trace={"seconds": [0.1, 0.15]}))
    1
    >>> kept.runs()[0].seconds, kept.trace(1)
    (0.25, {'seconds': [0.1, 0.15]})
    """

    def record(self, run: Run) -> int | None:
        """Keep a run, and its trace unless that is very long.

        Returns the run's id, or None if the journal is off.
        """
        from .. import __version__

        columns = _packed(run.trace)
        with self._writing() as db:
            if db is None:
                return None
            row = run.to_dict() | {
                "id": None,
                "created": time.time(),
                "machine": own_machine(db),
                "version": __version__,
            }
            row |= {name: _text(row[name]) for name in JSON_COLUMNS if row[name] is not None}
            places = ", ".join(f":{name}" for name in RUN_COLUMNS)
            made = db.execute(f"INSERT INTO runs ({', '.join(RUN_COLUMNS)}) VALUES ({places})", row)
            if columns is not None:
                db.execute("INSERT INTO traces VALUES (?, ?)", (made.lastrowid, columns))
            return made.lastrowid

    def runs(self, task: str | None = None, last: int | None = None) -> list[Run]:
        """Return the runs, oldest first: all, or those of one task, or the ``last`` ones."""
        where, values = ("", []) if task is None else ("WHERE task = ?", [task])
        limit = -1 if last is None else last
        rows = self._read(
            f"SELECT {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY id DESC LIMIT ?",
            *values,
            limit,
        )
        return [_run(row) for row in reversed(rows)]

    def run(self, number: int) -> Run | None:
        """Return the run of that id, or None."""
        rows = self._read(f"SELECT {', '.join(RUN_COLUMNS)} FROM runs WHERE id = ?", number)
        return _run(rows[0]) if rows else None

    def run_with_key(self, key: str) -> Run | None:
        """Return the last run with that key, or None."""
        names = ", ".join(RUN_COLUMNS)
        rows = self._read(f"SELECT {names} FROM runs WHERE key = ? ORDER BY id DESC LIMIT 1", key)
        return _run(rows[0]) if rows else None

    def trace(self, run: int) -> dict[str, list[Any]] | None:
        """Return the columns of a run's trace, or None if it has none."""
        rows = self._read("SELECT columns FROM traces WHERE run = ?", run)
        return json.loads(zlib.decompress(rows[0][0])) if rows else None

    def prune(self, before: float) -> int:
        """Forget the runs from before that time, and their traces. Return how many there were."""
        with self._writing() as db:
            if db is None:
                return 0
            gone = db.execute("DELETE FROM runs WHERE created < ?", [before]).rowcount
        if gone:
            self._read("VACUUM")
        return gone


def _text(value: Mapping[str, object]) -> str:
    return json.dumps(dict(value), allow_nan=True, default=_plain)


def _plain(value: object) -> object:
    """Turn a value that JSON does not know into one it does: numbers, lists, or else text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _packed(trace: Trace | None) -> bytes | None:
    if trace is None:
        return None
    names = trace if isinstance(trace, Mapping) else trace.columns
    columns = {name: trace[name] for name in names}
    if not columns or not 0 < len(next(iter(columns.values()))) <= LONGEST_TRACE_ROWS:
        return None
    return zlib.compress(json.dumps(columns, allow_nan=True, default=_plain).encode(), 1)


def _run(row: tuple[object, ...]) -> Run:
    values: Record = dict(zip(RUN_COLUMNS, row, strict=True))
    for name in JSON_COLUMNS:
        values[name] = None if values[name] is None else json.loads(values[name])
    return Run(**values)
