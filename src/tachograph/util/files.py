"""Files that are written whole or not at all, scratch directories, and locks.

``aside``    a temporary path beside a file, renamed to it when everything went well.
``directory_aside``  the same for a directory.
``scratch``  a temporary directory.
``similar_name``  a question with the file that may be meant instead of one that is not there.
``small_content``  what a small file holds.
``lock``     a file that one process at a time can hold.
``arrow_file``  a file for Arrow, whatever its name is.
``is_file``, ``is_directory``, ``is_there``  what a path names; false for names that no file can have.

A temporary file or directory is locked as long as its process lives. One that is not locked was left
by a process that was killed: the next process that writes to the same directory deletes it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError, TachographError
from .text import did_you_mean

try:
    import fcntl
except ImportError:  # Windows, where an open file can be neither deleted nor renamed
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "arrow_file",
    "aside",
    "directory_aside",
    "is_directory",
    "is_file",
    "is_there",
    "keep_inputs",
    "lock",
    "scratch",
    "similar_name",
    "small_content",
    "temporary_name",
]

# Unlike the methods of Path, they do not raise for names that are too long or that we may not look at.
is_file = os.path.isfile
is_directory = os.path.isdir
is_there = os.path.exists

NAME_CHARACTERS = 40  # of the final name that a temporary one begins with
SMALL_BYTES = 1 << 26  # of a file that describes others
TOKEN_BYTES = 8  # of a temporary name, random
TEMPORARY = re.compile(rf".+\.[0-9a-f]{{{2 * TOKEN_BYTES}}}\.tacho\.tmp", re.DOTALL)
SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def similar_name(path: str | os.PathLike[str]) -> str:
    """Return a question with the file that may be meant instead of one that is not there."""
    missing, near = Path(path), ""
    with suppress(OSError):
        near = did_you_mean(missing.name, (file.name for file in missing.parent.iterdir()))
    return near


_swept: set[str] = set()  # directories in which this process has looked for left files


def temporary_name(name: str, token: str) -> str:
    """Return the name of a temporary file for the file ``name``."""
    return f".{name[:NAME_CHARACTERS]}.{token}.tacho.tmp"


def _writable(path: str | os.PathLike[str]) -> Path:
    """Return a path if a file can have that name, and its directory is there."""
    final = Path(path)
    try:
        possible = b"\0" not in os.fsencode(final)
    except UnicodeEncodeError:  # half a character
        possible = False
    if not possible:
        raise InputError(f"cannot write {str(final)!r}: no file can have that name")
    if not is_directory(final.parent):
        raise InputError(f"cannot write {final}: there is no directory {final.parent}")
    return final


def keep_inputs(outputs: Iterable[object], inputs: Iterable[object]) -> None:
    """Refuse to write two outputs into one file, or an output over an input that it is made from."""
    seen = {
        os.path.realpath(str(path)): f"{path} is read" for path in inputs if is_there(str(path))
    }
    for path in outputs:
        if path is not None:
            where = os.path.realpath(str(path))
            if where in seen:
                raise InputError(f"cannot write {path}: {seen[where]}, too; choose another name")
            seen[where] = f"{path} is written"


@contextmanager
def aside(path: str | os.PathLike[str], durable: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, renamed to it at the end, removed if anything fails.

    The temporary file exists already and is empty. Unless ``durable``, a power failure may still
    destroy what was written.
    """
    final = _writable(path)
    if is_there(final) and not is_file(final):
        raise InputError(f"cannot write {final}: it is not a regular file")
    _sweep(final.parent)
    try:
        with _made(final.parent, final.name) as (temporary, held):
            yield temporary
            if durable:
                os.fsync(held)
            if fcntl is None:
                os.close(held)
            temporary.replace(final)
            if durable:
                _sync_directory(final.parent)
    except TachographError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {final}: {error.strerror or error}") from error


@contextmanager
def directory_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new directory beside ``path``, renamed to it at the end, removed if anything fails.

    What is at ``path`` by then must be an empty directory, or nothing.
    """
    final = _writable(path)
    _sweep(final.parent)
    try:
        with _made(final.parent, final.name, directory=True, mode=0o777) as (temporary, _):
            yield temporary
            temporary.replace(final)  # also takes the place of an empty directory
            _sync_directory(final.parent)
    except TachographError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {final}: {error.strerror or error}") from error


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a new directory for temporary files that only this user can read; it is removed."""
    place = Path(tempfile.gettempdir())
    _sweep(place)
    with _made(place, "scratch", directory=True) as (path, _):
        yield path


@contextmanager
def _made(
    place: Path, name: str, directory: bool = False, mode: int = 0o700
) -> Iterator[tuple[Path, int]]:
    """Make a temporary file or directory under a name that nobody else has; remove it at the end."""
    while True:
        path = place / temporary_name(name, _token())
        try:
            if directory:
                path.mkdir(mode)
            flags = os.O_RDONLY if directory else os.O_RDWR | os.O_CREAT | os.O_EXCL
            held = os.open(path, flags | SAFE, 0o666)
        except FileExistsError:
            continue
        try:
            _lock(held, wait=True)
            if _is_at(held, path):
                yield path, held
                return
        finally:
            with suppress(OSError):
                shutil.rmtree(path) if directory else path.unlink(missing_ok=True)
            with suppress(OSError):
                os.close(held)


def _token() -> str:
    return os.urandom(TOKEN_BYTES).hex()


def _is_at(held: int, path: Path) -> bool:
    """Whether an open file is still there: another process may have swept it before it was locked."""
    try:
        return os.path.samestat(os.fstat(held), path.lstat())
    except FileNotFoundError:
        return False


def _sweep(place: Path) -> None:
    """Delete what killed processes of this user left in a directory; looks once in each process."""
    try:
        known = os.path.abspath(place)  # noqa: PTH100
    except FileNotFoundError:  # the present directory was deleted
        return
    if known in _swept:
        return
    _swept.add(known)
    with suppress(OSError), os.scandir(place) as entries:
        for left in [entry.path for entry in entries if TEMPORARY.fullmatch(entry.name)]:
            with suppress(OSError):
                _delete_if_left(left)


def _delete_if_left(path: str) -> None:
    held = os.open(path, os.O_RDONLY | SAFE)
    try:
        about = os.fstat(held)
        own = not hasattr(os, "getuid") or about.st_uid == os.getuid()
        if own and _lock(held, wait=False):
            if stat.S_ISDIR(about.st_mode):
                shutil.rmtree(path)
            elif stat.S_ISREG(about.st_mode):
                Path(path).unlink()
    finally:
        os.close(held)


def arrow_file(path: str | os.PathLike[str], mode: str = "rb") -> pa.OSFile:
    """Open a file for Arrow, which would take ``~`` for a home and refuse bytes not in UTF-8."""
    import pyarrow as pa

    return pa.OSFile(os.fsencode(path), mode)


def small_content(path: Path) -> bytes:
    """Return what a file holds; ``OSError`` if it is a pipe or a device, or far too large."""
    held = os.open(path, os.O_RDONLY | SAFE & ~getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(held, "rb") as file:
        about = os.fstat(held)
        if not stat.S_ISREG(about.st_mode) or about.st_size > SMALL_BYTES:
            raise OSError(f"{path} is not a regular file of at most {SMALL_BYTES >> 20} MiB")
        return file.read(SMALL_BYTES)


def lock(path: Path) -> int | None:
    """Lock a file, which is made if need be. Return what holds it, or None if another process has it.

    The lock ends when the returned descriptor is closed, or with the process, however it ends. The
    file's content is never changed, and links are not followed.
    """
    held = os.open(path, os.O_RDWR | os.O_CREAT | SAFE, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise OSError(f"{path} is not a regular file")
        if _lock(held, wait=False):
            held, given = -1, held
            return given
        return None
    finally:
        if held >= 0:
            os.close(held)


def _lock(held: int, wait: bool) -> bool:
    """Lock an open file for this process. False if another process has it, or it cannot be locked."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # held by another process, or a file system without locks
        return False
    return True


def _sync_directory(place: Path) -> None:
    """Make a rename survive a power failure, where directories can be synced."""
    with suppress(OSError):
        held = os.open(place, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)
