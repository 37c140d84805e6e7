"""Runs in the journal: what was run, how, what was predicted, and what happened."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .store import Store, own_machine

__all__ = ["Run", "Runs"]

LONGEST = 20_000  # rows of a trace that are kept
COLUMNS = ("id", "created", "machine", "version", "task", "graph", "options", "plan", "predicted",
           "seconds", "provenance", "facts")  # fmt: skip


@dataclass(frozen=True)
class Run:
    """A run that was recorded. ``options`` are those of the call, ``facts`` what is worth telling."""

    id: int
    created: float
    machine: str
    version: str
    task: str
    graph: dict[str, Any]
    options: dict[str, Any]
    plan: dict[str, Any] | None
    predicted: float | None
    seconds: float
    provenance: str
    facts: dict[str, Any]


class Runs(Store):
    """The part of the journal that keeps runs and their traces.

    >>> from pathlib import Path
    >>> kept = Runs(Path("journal.db"))
    >>> kept.record("bfs", graph={"name": "path"}, seconds=0.25, trace={"seconds": [0.1, 0.15]})
    1
    >>> kept.runs()[0].seconds, kept.trace(1)
    (0.25, {'seconds': [0.1, 0.15]})
    """

    def record(
        self,
        task: str,
        *,
        graph: Mapping[str, Any],
        seconds: float,
        options: Mapping[str, Any] | None = None,
        plan: Mapping[str, Any] | None = None,
        predicted: float | None = None,
        provenance: str = "measured",
        facts: Mapping[str, Any] | None = None,
        trace: Any = None,
    ) -> int | None:
        """Keep a run, and its trace (columns by name) unless that is very long; gives the run's id."""
        from .. import __version__

        columns = _packed(trace)
        with self._writing() as db:
            if db is None:
                return None
            row = (time.time(), own_machine(db), __version__, task, _text(graph), _text(options or {}),
                   None if plan is None else _text(plan), predicted, seconds, provenance,
                   _text(facts or {}))  # fmt: skip
            places = ", ".join("?" * len(row))
            made = db.execute(f"INSERT INTO runs ({', '.join(COLUMNS[1:])}) VALUES ({places})", row)
            if columns is not None:
                db.execute("INSERT INTO traces VALUES (?, ?)", (made.lastrowid, columns))
            return made.lastrowid

    def runs(self, task: str | None = None, last: int | None = None) -> list[Run]:
        """The runs, oldest first; of one task, or the last so many."""
        if (db := self._connection()) is None:
            return []
        where, values = ("WHERE task = ?", [task]) if task is not None else ("", [])
        with self._failures():
            rows = db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM runs {where} ORDER BY id DESC LIMIT ?",
                [*values, -1 if last is None else last],
            ).fetchall()
        return [_run(row) for row in reversed(rows)]

    def run(self, number: int) -> Run | None:
        """The run of that id, or None."""
        if (db := self._connection()) is None:
            return None
        with self._failures():
            row = db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM runs WHERE id = ?", [number]
            ).fetchone()
        return None if row is None else _run(row)

    def trace(self, run: int) -> dict[str, list[Any]] | None:
        """The columns of a run's trace, or None if it has none."""
        if (db := self._connection()) is None:
            return None
        with self._failures():
            found = db.execute("SELECT columns FROM traces WHERE run = ?", [run]).fetchone()
        return None if found is None else json.loads(zlib.decompress(found[0]))

    def prune(self, before: float) -> int:
        """Forget the runs from before that time, and their traces; gives their number."""
        with self._writing() as db:
            if db is None:
                return 0
            gone = db.execute("DELETE FROM runs WHERE created < ?", [before]).rowcount
        if gone and (db := self._connection()) is not None:
            with self._failures():
                db.execute("VACUUM")
        return gone


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), allow_nan=True, default=_plain)


def _plain(value: Any) -> Any:
    """A value that JSON does not know: NumPy's as numbers and lists, others as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _packed(trace: Any) -> bytes | None:
    if trace is None:
        return None
    names = getattr(trace, "columns", trace)
    columns = {name: trace[name] for name in names}
    if not columns or not 0 < len(next(iter(columns.values()))) <= LONGEST:
        return None
    return zlib.compress(json.dumps(columns, allow_nan=True, default=_plain).encode(), 1)


def _run(row: tuple[Any, ...]) -> Run:
    values = dict(zip(COLUMNS, row, strict=True))
    for name in ("graph", "options", "plan", "facts"):
        values[name] = None if values[name] is None else json.loads(values[name])
    return Run(**values)
