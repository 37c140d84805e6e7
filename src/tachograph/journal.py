"""What Tachograph remembers: calibrations, measurements and results, in one SQLite file.

The file lies in ``$TACHOGRAPH_HOME``, or in the user's data directory; ``TACHOGRAPH_JOURNAL=off`` turns
it off. Several processes may write at the same time (SQLite in WAL mode), and a record that was put
survives the process being killed at any moment after that.

A record is a dictionary under a kind ("calibration", "direction", ...) and a key. Long work uses the
hash of what it is going to do as key: what is in the journal already need not be done again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import TachographError, TachographWarning

__all__ = ["Journal", "content_key", "home", "journal", "machine"]

WAIT = 30.0  # seconds that a writer waits for others

# Each takes a file from the version of its index to the next one; never change a released one.
MIGRATIONS = (
    """
    CREATE TABLE machines (id TEXT PRIMARY KEY, about TEXT NOT NULL);
    CREATE TABLE records (
        kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
        machine TEXT NOT NULL, version TEXT NOT NULL, created REAL NOT NULL,
        PRIMARY KEY (kind, key)
    );
    """,
)


def home() -> Path:
    """The directory for what is kept: ``$TACHOGRAPH_HOME``, or the platform's place for data."""
    if given := os.environ.get("TACHOGRAPH_HOME"):
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "tachograph"


@functools.cache
def machine() -> tuple[str, dict[str, Any]]:
    """A short name for this kind of machine, and what it is made from."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    about = {"system": platform.system(), "processor": model, "cores": os.cpu_count()}
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:12], about


def content_key(*parts: Any) -> str:
    """A key that is the same for the same content, in every process.

    >>> content_key("wcc", {"b": 2, "a": 1}) == content_key("wcc", {"a": 1, "b": 2})
    True
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Journal:
    """Records by kind and key.

    >>> kept = Journal(Path("journal.db"))
    >>> kept.put("calibration", "host", {"stream": 11.5})
    >>> kept.get("calibration", "host")
    {'stream': 11.5}
    """

    def __init__(self, path: Path | None) -> None:
        """``path`` None gives a journal that keeps nothing."""
        self.path = path
        self._own = threading.local()  # a connection belongs to one thread of one process

    def put(self, kind: str, key: str, value: Mapping[str, Any]) -> None:
        """Keep ``value``; it replaces an older one of the same kind and key."""
        from . import __version__

        if (db := self._connection()) is None:
            return
        name, about = machine()
        text = json.dumps(dict(value), allow_nan=True)
        with self._failures():
            db.execute("BEGIN IMMEDIATE")
            try:
                db.execute(
                    "INSERT OR IGNORE INTO machines VALUES (?, ?)", (name, json.dumps(about))
                )
                db.execute(
                    "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)",
                    (kind, key, text, name, __version__, time.time()),
                )
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """The record of that kind and key, or None."""
        if (db := self._connection()) is None:
            return None
        with self._failures():
            found = db.execute(
                "SELECT value FROM records WHERE kind = ? AND key = ?", (kind, key)
            ).fetchone()
        return None if found is None else json.loads(found[0])

    def records(self, kind: str) -> dict[str, dict[str, Any]]:
        """All records of a kind by key, oldest first."""
        if (db := self._connection()) is None:
            return {}
        with self._failures():
            rows = db.execute(
                "SELECT key, value FROM records WHERE kind = ? ORDER BY created, key", (kind,)
            ).fetchall()
        return {key: json.loads(value) for key, value in rows}

    def _connection(self) -> sqlite3.Connection | None:
        if self.path is None:
            return None
        if getattr(self._own, "process", None) != os.getpid():
            self._own.db = self._opened(self.path)
            self._own.process = os.getpid()
        db: sqlite3.Connection | None = self._own.db
        return db

    def _opened(self, path: Path) -> sqlite3.Connection | None:
        """A connection to a file of today's schema; None, with a warning, if nothing can be kept."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._failures():
                db = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=NORMAL")  # safe against a killed process
                self._migrate(db)
        except (OSError, ReadOnly) as problem:
            warnings.warn(
                f"{path}: nothing can be kept there ({problem}); set TACHOGRAPH_HOME to a directory "
                "that can be written, or TACHOGRAPH_JOURNAL=off",
                TachographWarning,
                stacklevel=5,
            )
            return None
        return db

    def _migrate(self, db: sqlite3.Connection) -> None:
        """Bring the schema up to date; one process does it, others wait."""
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise TachographError(
                f"{self.path} was written by a newer Tachograph (schema {version}, this one knows "
                f"{len(MIGRATIONS)}): update Tachograph, or set TACHOGRAPH_HOME to another directory"
            )
        if version == len(MIGRATIONS):
            return
        db.execute("BEGIN EXCLUSIVE")
        try:
            version = db.execute("PRAGMA user_version").fetchone()[
                0
            ]  # another one may have been quicker
            for script in MIGRATIONS[version:]:
                for statement in script.split(";"):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise

    def _failures(self) -> Failures:
        return Failures(self.path)


class ReadOnly(TachographError):
    """The place of the journal can't be written."""


class Failures:
    """Turns errors of SQLite into ones that say what to do."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, sqlite3.Error):
            return
        text = str(error)
        if "readonly" in text or "unable to open" in text:
            raise ReadOnly(text) from None
        if "locked" in text:
            raise TachographError(
                f"{self.path}: another process has been writing for {WAIT:.0f} s; try again, or set "
                "TACHOGRAPH_JOURNAL=off"
            ) from None
        raise TachographError(
            f"{self.path} cannot be used as journal ({text}): move the file away, or set "
            "TACHOGRAPH_HOME to another directory"
        ) from None


@functools.cache
def _opened(path: Path | None) -> Journal:
    return Journal(path)


def journal() -> Journal:
    """The user's journal, as the environment says now."""
    if os.environ.get("TACHOGRAPH_JOURNAL", "").lower() in ("off", "0", "no"):
        return _opened(None)
    return _opened(home() / "journal.db")
