"""Check a journal row by row, and save what can be read of a damaged one to a new file."""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..util.errors import InputError, MissingFileError, TachographError
from ..util.files import aside
from . import LARGEST_ID, RECORD_COLUMNS, RUN_COLUMNS, record_of, run_of, trace_of
from .store import BROKEN, DAMAGED, MIGRATIONS, migrate, text_of

__all__ = ["Health", "check", "repair"]

LISTED_PROBLEMS = 20  # of those that SQLite finds
MOST_SKIPPED_ROWS = 1 << 20  # at once, behind a row that cannot be read
BESIDE = ("-wal", "-shm")  # files that SQLite keeps beside a journal


def _machine_of(name: str, about: str) -> str:
    json.loads(about)
    return name


#: For each table: the columns that say whether a row is sound, and the function that raises one of
#: ``DAMAGED`` if it is not. A row refers only to rows of tables before its own, or of its own.
TABLES: dict[str, tuple[tuple[str, ...], Callable[..., object]]] = {
    "machines": (("id", "about"), _machine_of),
    "records": (RECORD_COLUMNS, record_of),
    "runs": ((*RUN_COLUMNS, "checksum"), run_of),
    "traces": (("columns",), trace_of),
}


@dataclass
class Health:
    """What was found in a journal: sound and damaged rows by table, and what SQLite complains about.

    Rows on damaged pages cannot even be counted: SQLite then complains.
    """

    path: Path
    sound: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    damaged: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    problems: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and not any(self.damaged.values())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {"path": str(self.path), "good": self.good, "sound": self.sound,
                "damaged": self.damaged, "problems": self.problems}  # fmt: skip


def check(path: Path) -> Health:
    """Read every row of a journal, and let SQLite check the file. Nothing is changed."""
    found = Health(path)
    with closing(_opened(path)) as db:
        try:
            listed = db.execute(f"PRAGMA integrity_check({LISTED_PROBLEMS})").fetchall()
            found.problems += [str(text) for (text,) in listed if text != "ok"]
        except BROKEN as error:
            found.problems.append(str(error))
        for _ in _sound_rows(db, found):
            pass
    return found


def repair(path: Path) -> tuple[Health, Path]:
    """Save the sound rows of a journal to a new file, which takes its place.

    Returns
    -------
    Health
        What was saved and what was not.
    Path
        The old file, which is kept beside under this name.
    """
    now = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{path.name}.damaged-{now}-{os.getpid()}{more}" for more in _suffixes())
    old = next(old for name in names if not (old := path.with_name(name)).exists())
    found = Health(path)
    with aside(path) as temporary:
        with closing(_opened(path)) as db, closing(sqlite3.connect(":memory:")) as new:
            _copy(db, new, found)
            temporary.write_bytes(new.serialize())
        # The old file is under both names until the new one replaces it.
        try:
            os.link(path, old)
        except OSError:  # a file system without hard links
            shutil.copyfile(path, old)
        for suffix in BESIDE:
            with suppress(FileNotFoundError):
                Path(f"{path}{suffix}").rename(f"{old}{suffix}")
    return found, old


def _suffixes() -> Iterator[str]:
    """Yield what tells the files of several repairs in one second apart."""
    return itertools.chain([""], (f"-{number}" for number in itertools.count(2)))


def _copy(db: sqlite3.Connection, target: sqlite3.Connection, found: Health) -> None:
    """Copy the sound rows to a new journal in memory."""
    target.isolation_level = None
    migrate(target, found.path)
    for table, names, row in _sound_rows(db, found):
        places = ", ".join("?" * len(row))
        into = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({places})"
        target.execute(into, row)
    target.execute("UPDATE runs SET parent = NULL WHERE parent NOT IN (SELECT id FROM runs)")
    target.execute("DELETE FROM traces WHERE run NOT IN (SELECT id FROM runs)")


def _opened(path: Path) -> sqlite3.Connection:
    """Open a journal as it is, whatever is wrong with its rows."""
    if not path.is_file():
        raise MissingFileError(f"{path}: there is no journal yet")
    db = sqlite3.connect(path, isolation_level=None)
    db.text_factory = text_of
    with suppress(*BROKEN):
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            db.close()
            raise InputError(f"{path} was written by a newer Tachograph: update Tachograph")
    return db


def _sound_rows(
    db: sqlite3.Connection, found: Health
) -> Iterator[tuple[str, tuple[str, ...], tuple[Any, ...]]]:
    """Yield the table, column names and values of every sound row, and count all rows."""
    for table, (judged, judge) in TABLES.items():
        names, told = _known_columns()[table], _columns(db, table)
        if told != names[: len(told)]:  # newer versions only append columns
            found.problems.append(f"{table}: its columns have other names than {', '.join(names)}")
        for row in _rows(db, table, found.problems):
            values = dict(zip(names, row, strict=False))
            try:
                judge(*(values.get(name) for name in judged))
            except (*DAMAGED, TachographError):
                found.damaged[table] += 1
                continue
            found.sound[table] += 1
            yield table, names[: len(row)], row[: len(names)]


@functools.cache
def _known_columns() -> dict[str, tuple[str, ...]]:
    """The columns of each table, in order: what a damaged file calls them is never used in a query."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, Path())
        return {table: _columns(db, table) for table in TABLES}


def _columns(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    try:
        return tuple(row[1] for row in db.execute(f"PRAGMA table_info({table})"))
    except BROKEN:
        return ()


def _rows(db: sqlite3.Connection, table: str, problems: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table that SQLite can reach, from the first on.

    If some cannot be reached, go on behind them, and then from the last row back.
    """
    seen: set[int] = set()
    for beyond, order, step in ((">", "ASC", 1), ("<", "DESC", -1)):
        last, failed, begin = step * -LARGEST_ID, False, step * -LARGEST_ID
        while abs(step) <= MOST_SKIPPED_ROWS:
            query = f"SELECT rowid, * FROM {table} WHERE rowid {beyond} ? ORDER BY rowid {order}"
            try:
                for number, *row in db.execute(query, [begin]):
                    if number not in seen:
                        seen.add(number)
                        yield tuple(row)
                    last = number
                break
            except BROKEN as error:
                failed = True
                if (
                    text := f"{table}: {str(error) or 'a row that no memory can hold'}"
                ) not in problems:
                    problems.append(text)
            if abs(last) == LARGEST_ID:  # not even the first row can be reached
                break
            begin, step = last + step, 2 * step
        if not failed:
            return
