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
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .runs import Run, Runs
from .store import content_key, home, machine, own_machine

__all__ = ["Journal", "Run", "content_key", "home", "journal", "machine"]


class Journal(Runs):
    """Runs, and records by kind and key.

    >>> kept = Journal(Path("journal.db"))
    >>> kept.put("calibration", "host", {"stream": 11.5})
    >>> kept.get("calibration", "host")
    {'stream': 11.5}
    """

    def put(self, kind: str, key: str, value: Mapping[str, Any]) -> None:
        """Keep ``value``; it replaces an older one of the same kind and key."""
        from .. import __version__

        text = json.dumps(dict(value), allow_nan=True)
        with self._writing() as db:
            if db is not None:
                db.execute(
                    "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)",
                    (kind, key, text, own_machine(db), __version__, time.time()),
                )

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """The record of that kind and key, or None."""
        if (db := self._connection()) is None:
            return None
        with self._failures():
            found = db.execute(
                "SELECT value FROM records WHERE kind = ? AND key = ?", (kind, key)
            ).fetchone()
        return None if found is None else json.loads(found[0])

    def kinds(self) -> list[str]:
        """The kinds of records there are."""
        if (db := self._connection()) is None:
            return []
        with self._failures():
            rows = db.execute("SELECT DISTINCT kind FROM records ORDER BY kind").fetchall()
        return [kind for (kind,) in rows]

    def records(self, kind: str) -> dict[str, dict[str, Any]]:
        """All records of a kind by key, oldest first."""
        if (db := self._connection()) is None:
            return {}
        with self._failures():
            rows = db.execute(
                "SELECT key, value FROM records WHERE kind = ? ORDER BY created, key", (kind,)
            ).fetchall()
        return {key: json.loads(value) for key, value in rows}


@functools.lru_cache(maxsize=2)  # one that is not used any more is closed
def _at(path: Path | None) -> Journal:
    return Journal(path)


def journal() -> Journal:
    """The user's journal, as the environment says now."""
    if os.environ.get("TACHOGRAPH_JOURNAL", "").lower() in ("off", "0", "no"):
        return _at(None)
    return _at(home() / "journal.db")
