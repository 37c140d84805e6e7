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

from ..util.cores import machine
from .runs import Run, Runs
from .store import Record, content_key, home, own_machine

__all__ = ["Journal", "Record", "Run", "content_key", "home", "journal", "machine"]


class Journal(Runs):
    """Runs, and records by kind and key.

    >>> kept = Journal(Path("journal.db"))
    >>> kept.put("calibration", "host", {"stream": 11.5})
    >>> kept.get("calibration", "host")
    {'stream': 11.5}
    """

    def put(self, kind: str, key: str, value: Mapping[str, object]) -> None:
        """Keep ``value``; it replaces an older one of the same kind and key."""
        from .. import __version__

        text = json.dumps(dict(value), allow_nan=True)
        with self._writing() as db:
            if db is not None:
                db.execute(
                    "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)",
                    (kind, key, text, own_machine(db), __version__, time.time()),
                )

    def get(self, kind: str, key: str) -> Record | None:
        """Return the record of that kind and key, or None."""
        found = self._read("SELECT value FROM records WHERE kind = ? AND key = ?", kind, key)
        return json.loads(found[0][0]) if found else None

    def kinds(self) -> list[str]:
        """Return the kinds of records there are."""
        rows = self._read("SELECT DISTINCT kind FROM records ORDER BY kind")
        return [kind for (kind,) in rows]

    def records(self, kind: str) -> dict[str, Record]:
        """Return all records of a kind by key, oldest first."""
        rows = self._read(
            "SELECT key, value FROM records WHERE kind = ? ORDER BY created, key", kind
        )
        return {key: json.loads(value) for key, value in rows}


@functools.lru_cache(maxsize=2)  # one that is not used any more is closed
def _at(path: Path | None) -> Journal:
    return Journal(path)


def journal() -> Journal:
    """Return the user's journal, in the place that the environment names now."""
    if os.environ.get("TACHOGRAPH_JOURNAL", "").lower() in ("off", "0", "no"):
        return _at(None)
    return _at(home() / "journal.db")
