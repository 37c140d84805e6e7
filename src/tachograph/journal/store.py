"""The journal's file: its place, its schema, its connections, and errors that say what to do."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import sqlite3
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ..util.cores import machine
from ..util.errors import TachographError, TachographWarning

#: Values by name, all of which JSON can hold.
Record: TypeAlias = dict[str, Any]
T = TypeVar("T")

#: What reading damaged content raises: a row here, or a file of a model.
DAMAGED = (
    *(ValueError, TypeError, AttributeError, LookupError),
    *(ArithmeticError, RecursionError, zlib.error),
)

#: What SQLite raises about a damaged file: its messages may quote what is not text, and rows may claim
#: to have gigabytes.
BROKEN = (sqlite3.Error, UnicodeDecodeError, MemoryError)

LOCK_SECONDS = 0.5  # how long a call waits for another process that has locked the file
#: The same of a campaign, whose records took long to make, and of tacho journal.
PATIENT_SECONDS = 30.0
REST_SECONDS = 10.0  # after a call has waited in vain, for so long no call asks again

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
    """
    ALTER TABLE runs ADD COLUMN checksum INTEGER;
    ALTER TABLE records ADD COLUMN checksum INTEGER;
    """,
)

#: Variables that set the place; the last two move the user's own directory.
#: For how long a call trusts what an earlier one saw in files that other processes may change.
LOOK_AGAIN_SECONDS = 0.05
HOME_VARIABLES = ("TACHOGRAPH_HOME", "LOCALAPPDATA", "XDG_DATA_HOME", "HOME", "USERPROFILE")


def home() -> Path:
    """Return the directory for data: ``$TACHOGRAPH_HOME``, or the platform's usual place."""
    return _home(*(os.environ.get(name) for name in HOME_VARIABLES))


@functools.lru_cache(16)
def _home(given: str | None, local: str | None, data: str | None, *_: str | None) -> Path:
    """Return the same for the values of ``HOME_VARIABLES``; kept, because every search asks."""
    if given:
        return Path(given)
    try:
        own = Path.home()
    except RuntimeError:  # neither a variable nor the system says where: nothing can be kept
        own = Path(os.devnull)
    if sys.platform == "win32":
        base = local or own / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = own / "Library" / "Application Support"
    else:
        base = data or own / ".local" / "share"
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
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not a dictionary")
    return value


def checksum(*parts: object) -> int:
    """Return a checksum of the values of a row; empty ones, as in newer columns, are left out."""
    told = [str(part) for part in parts if part is not None and part != ""]
    return zlib.crc32("\0".join(told).encode(errors="surrogatepass"))


#: What to do about an error of SQLite, by its primary code; all others mean a damaged file.
ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space. What was kept before is whole",
    sqlite3.SQLITE_IOERR: "check the disk and its quota. What was kept before is whole",
    sqlite3.SQLITE_BUSY: "another process has locked it: wait until that has ended, or set "
    "TACHOGRAPH_JOURNAL=off",
    sqlite3.SQLITE_READONLY: "set TACHOGRAPH_HOME to a directory that can be written, or "
    "TACHOGRAPH_JOURNAL=off",
}
REPAIR = "the file is damaged: tacho journal repair saves what can be read"
SAME_ADVICE = {
    sqlite3.SQLITE_LOCKED: sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN: sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM: sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL: sqlite3.SQLITE_BUSY,
}
FULL_BELOW_BYTES = 1 << 20  # a disk with less room counts as full


def _is_busy(error: Exception) -> bool:
    """Whether SQLite says that another process has locked the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return SAME_ADVICE.get(code, code) == sqlite3.SQLITE_BUSY


def problem_of(path: Path, error: Exception) -> TachographError:
    """Return the error that says what is wrong with a journal, and what to do."""
    if not isinstance(error, (*BROKEN, OSError)):
        return TachographError(f"{path}: there is a value that cannot be kept ({error})")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest tells variants apart
    if isinstance(error, OSError):
        code = sqlite3.SQLITE_READONLY
    code = SAME_ADVICE.get(code, code)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY):
        with suppress(OSError):
            if shutil.disk_usage(path.parent).free < FULL_BELOW_BYTES:
                code = sqlite3.SQLITE_FULL
    advice = ADVICE.get(code, REPAIR)
    what = str(error) or "a row that no memory can hold"
    return TachographError(f"{path} cannot be used as journal ({what}): {advice}")


#: Whether the records of this block may wait for a locked file.
_patient: ContextVar[bool] = ContextVar("patient", default=False)


@contextmanager
def patient() -> Iterator[None]:
    """Let the journal wait, in the block, for a file that another process has locked."""
    token = _patient.set(True)
    try:
        yield
    finally:
        _patient.reset(token)


class Store:
    """A file of the current schema, opened for each thread of each process that uses it.

    What cannot be kept or read is left out, with one warning for each kind of problem: no result is
    ever lost because of the journal, and none waits long for it. If ``strict``, problems are errors.
    """

    def __init__(self, path: Path | None, strict: bool = False) -> None:
        """Make a journal in the file ``path``; None makes one that keeps nothing."""
        self.path = path
        self.strict = strict
        self.skipped = 0  # damaged rows that were left out
        self._rests_until = 0.0  # of the monotonic clock
        self._own = threading.local()  # a connection belongs to one thread of one process
        self._said: set[str] = set()

    def _lock_seconds(self) -> float:
        """Return how long to wait for a file that another process has locked."""
        return PATIENT_SECONDS if self.strict or _patient.get() else LOCK_SECONDS

    def _connection(self) -> sqlite3.Connection | None:
        wait = self._lock_seconds()
        rests = wait < PATIENT_SECONDS and time.monotonic() < self._rests_until
        if self.path is None or rests:
            return None
        # The file may have been moved away, or repaired by another process.
        if getattr(self._own, "opened", None) != (os.getpid(), _identity(self.path)):
            self._own.db = None
            with self._guarded(self.path):
                self._own.db = self._opened(self.path, wait)
            if self._own.db is not None or time.monotonic() >= self._rests_until:
                self._own.opened = os.getpid(), _identity(self.path)  # else another time
        db: sqlite3.Connection | None = self._own.db
        if db is not None and self._own.waits != wait:
            db.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")
            self._own.waits = wait
        return db

    def close(self) -> None:
        """Close the connection of this thread; the next use opens another one."""
        if (db := getattr(self._own, "db", None)) is not None:
            db.close()
        self._own = threading.local()

    def _opened(self, path: Path, wait: float) -> sqlite3.Connection:
        """Return a connection to the file, migrated."""
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=wait, isolation_level=None)
        self._own.waits = wait
        db.text_factory = text_of
        _to_wal(db, wait)
        db.execute("PRAGMA synchronous=NORMAL")  # safe against a killed process
        db.execute("PRAGMA foreign_keys=ON")
        migrate(db, path)
        return db

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Call ``work`` in a transaction. Return what it returns once that is durable, else None."""
        if self.path is not None and (db := self._connection()) is not None:
            with self._guarded(self.path):
                with _transaction(db, "IMMEDIATE"):
                    made = work(db)
                return made
        return None

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, none if nothing is kept."""
        if self.path is not None and (db := self._connection()) is not None:
            with self._guarded(self.path):
                return db.execute(query, values).fetchall()
        return []

    def _sound(self, make: Callable[..., T], rows: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """Yield what ``make`` makes of each row; damaged rows are left out and counted."""
        for row in rows:
            try:
                yield make(*row)
            except DAMAGED:
                self.skipped += 1
                self._say(
                    f"{self.path}: damaged rows are left out: tacho journal check counts them"
                )

    @contextmanager
    def _guarded(self, path: Path) -> Iterator[None]:
        """Raise what is wrong with the file if the journal is strict; else say it once."""
        try:
            yield
        except (*BROKEN, OSError, TachographError, *DAMAGED) as error:
            problem = error if isinstance(error, TachographError) else problem_of(path, error)
            if self.strict:
                raise problem from None
            if _is_busy(error):
                self._rests_until = time.monotonic() + REST_SECONDS
            self._say(f"{problem}. Results are not affected, but they are not kept.")

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            warnings.warn(text, TachographWarning, stacklevel=2)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None if there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


def text_of(raw: bytes) -> str | bytes:
    """Return text; damaged text stays bytes, which no reader takes."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date; one process does it, others wait."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise TachographError(
            f"{path} was written by a newer Tachograph (schema {version}, this one knows "
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
def _transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # the first error counts
            db.execute("ROLLBACK")
        raise


def _to_wal(db: sqlite3.Connection, seconds: float) -> None:
    """Let readers and writers work side by side. SQLite does not wait for others here: we do."""
    end = time.monotonic() + seconds
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
