"""The journal's file: its place, its schema, its connections, and errors that say what to do."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from ..util.cores import machine
from ..util.errors import TachographError, TachographWarning

#: Values by name, all of which JSON can hold.
Record: TypeAlias = dict[str, Any]

LOCK_SECONDS = 30.0  # how long a writer waits for others

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
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, created REAL NOT NULL, machine TEXT NOT NULL, version TEXT NOT NULL,
        task TEXT NOT NULL, graph TEXT NOT NULL, options TEXT NOT NULL, plan TEXT, predicted REAL,
        seconds REAL NOT NULL, provenance TEXT NOT NULL, facts TEXT NOT NULL
    );
    CREATE INDEX runs_of_task ON runs (task, created);
    CREATE TABLE traces (
        run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE, columns BLOB NOT NULL
    );
    """,
    "ALTER TABLE runs ADD COLUMN parent INTEGER REFERENCES runs (id) ON DELETE SET NULL",
    """
    ALTER TABLE runs ADD COLUMN key TEXT;
    CREATE INDEX runs_of_key ON runs (key);
    """,
)

#: Variables that set the place; the last two move the user's own directory.
HOME_VARIABLES = ("TACHOGRAPH_HOME", "LOCALAPPDATA", "XDG_DATA_HOME", "HOME", "USERPROFILE")


def home() -> Path:
    """Return the directory for data: ``$TACHOGRAPH_HOME``, or the platform's usual place."""
    return _home(*(os.environ.get(name) for name in HOME_VARIABLES))


@functools.lru_cache(16)
def _home(given: str | None, local: str | None, data: str | None, *_: str | None) -> Path:
    """Return the same for the values of ``HOME_VARIABLES``; kept, because every search asks."""
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = local or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = data or Path.home() / ".local" / "share"
    return Path(base) / "tachograph"


def content_key(*parts: object) -> str:
    """Return a key that is the same for the same content, in every process.

    >>> content_key("wcc", {"b": 2, "a": 1}) == content_key("wcc", {"a": 1, "b": 2})
    True
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def to_json(value: Record, plain: bool = False) -> str:
    """Return what the file keeps of ``value``; ``plain``: arrays as lists, other objects as text."""
    return json.dumps(value, default=_plain if plain else None)


def _plain(value: object) -> object:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def from_json(text: str | bytes) -> Record:
    """Return a value that the file keeps: everything that is read passes here."""
    value: Record = json.loads(text)
    return value


class ReadOnly(TachographError):
    """The place of the journal can't be written."""


class Store:
    """A file of the current schema, opened for each thread of each process that uses it."""

    def __init__(self, path: Path | None) -> None:
        """Make a journal in the file ``path``; None makes one that keeps nothing."""
        self.path = path
        self._own = threading.local()  # a connection belongs to one thread of one process

    def _connection(self) -> sqlite3.Connection | None:
        if self.path is None:
            return None
        if getattr(self._own, "process", None) != os.getpid():
            self._own.db = self._opened(self.path)
            self._own.process = os.getpid()
        db: sqlite3.Connection | None = self._own.db
        return db

    def _opened(self, path: Path) -> sqlite3.Connection | None:
        """Return a connection to the file, migrated; None, with a warning, if nothing can be kept."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._failures():
                db = sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None)
                _to_wal(db)
                db.execute("PRAGMA synchronous=NORMAL")  # safe against a killed process
                db.execute("PRAGMA foreign_keys=ON")
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
        with _transaction(db, "EXCLUSIVE"):
            # Another process may have been quicker.
            version = db.execute("PRAGMA user_version").fetchone()[0]
            for script in MIGRATIONS[version:]:
                for statement in script.split(";"):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection | None]:
        """A transaction, which is durable when it ends; None if nothing is kept."""
        if (db := self._connection()) is None:
            yield None
            return
        with self._failures(), _transaction(db, "IMMEDIATE"):
            yield db

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, none if nothing is kept."""
        if (db := self._connection()) is None:
            return []
        with self._failures():
            return db.execute(query, values).fetchall()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn errors of SQLite into ones that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "readonly" in text or "unable to open" in text:
                raise ReadOnly(text) from None
            problem = f"{self.path} cannot be used as journal ({text}): move the file away, or set "
            problem += "TACHOGRAPH_HOME to another directory"
            if "locked" in text:
                problem = (
                    f"{self.path}: another process has been writing for {LOCK_SECONDS:.0f} s; "
                )
                problem += "try again, or set TACHOGRAPH_JOURNAL=off"
            raise TachographError(problem) from None


@contextmanager
def _transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _to_wal(db: sqlite3.Connection) -> None:
    """Let readers and writers work side by side. SQLite does not wait for others here: we do."""
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def own_machine(db: sqlite3.Connection) -> str:
    """The name of this machine, which the file then knows."""
    name, about = machine()
    db.execute("INSERT OR IGNORE INTO machines VALUES (?, ?)", (name, json.dumps(about)))
    return name
