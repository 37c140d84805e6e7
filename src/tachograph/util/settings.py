"""Small TOML files that users write: read whole, and checked before anything uses them."""

from __future__ import annotations

import math
import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .errors import FileFormatError, MissingFileError

__all__ = ["ANY_KEY", "NUMBER", "WHOLE", "Number", "check_shape", "read_toml"]

LARGEST_BYTES = 1 << 20  # of a file of settings
ANY_KEY = "*"  # in a shape: all keys that it does not name


class Number(NamedTuple):
    """A number in a shape: whole or not, from ``low`` to ``high``."""

    whole: bool
    low: float = 0
    high: float = 2**31 - 1

    def takes(self, value: object) -> bool:
        kinds = (int,) if self.whole else (int, float)
        right = isinstance(value, kinds) and not isinstance(value, bool)
        return right and self.low <= value <= self.high  # type: ignore[operator]

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        end = f"at most {self.high:.12g}" if math.isfinite(self.high) else "finite"
        return f"{kind}, at least {self.low:.12g} and {end}"


WHOLE = Number(True)
NUMBER = Number(False)


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a TOML file says.

    Raises
    ------
    MissingFileError, FileFormatError
        If there is no such file, or it is not a regular file of at most a megabyte of TOML.
    """
    try:
        about = Path(path).stat()
        if not stat.S_ISREG(about.st_mode):
            raise FileFormatError(path, "is not a regular file")
        if about.st_size > LARGEST_BYTES:
            raise FileFormatError(path, f"has more than {LARGEST_BYTES:,} bytes: no settings do")
        return tomllib.loads(Path(path).read_bytes().decode())
    except FileNotFoundError:
        raise MissingFileError(f"{path}: there is no such file") from None
    except FileFormatError:
        raise
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # other characters, other syntax, too deep
        raise FileFormatError(path, f"is not TOML: {error}") from None


def check_shape(path: str | os.PathLike[str], value: object, shape: Any, name: str = "it") -> None:
    """Refuse a value that is not as ``shape`` says; ``name`` is how the error calls it.

    A shape is a type, a :class:`Number`, a list with the shape of its elements, a dictionary with those
    of its entries (which may be missing), or a tuple of shapes of which one must fit.

    >>> check_shape("my.toml", {"a": [1, 2], "b": "x"}, {"a": [WHOLE], ANY_KEY: str})
    >>> check_shape("my.toml", {"a": ["x", 2]}, {"a": [str]})
    Traceback (most recent call last):
    tachograph.util.errors.FileFormatError: my.toml: a[1] = 2 must be text
    """
    problem = _problem(value, shape, "")
    if problem is not None:
        raise FileFormatError(path, f"{problem[0] or name} {problem[1]}")


def _problem(value: object, shape: Any, place: str) -> tuple[str, str] | None:
    """Return where something is wrong, and what it must be."""
    if isinstance(shape, tuple) and not isinstance(shape, Number):
        found = [_problem(value, each, place) for each in shape]
        return None if None in found else found[0]
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            return place, f"= {_short(value)} must be a table"
        for key, inner in value.items():
            known = shape.get(key, shape.get(ANY_KEY))
            found_here = known and _problem(inner, known, f"{place}.{key}" if place else key)
            if found_here:
                return found_here
        return None
    if isinstance(shape, list):
        if not isinstance(value, list):
            return place, f"= {_short(value)} must be a list"
        each_of = (_problem(v, shape[0], f"{place}[{k}]") for k, v in enumerate(value))
        return next(filter(None, each_of), None)
    if isinstance(shape, Number):
        return None if shape.takes(value) else (place, f"= {_short(value)} must be {shape}")
    words = {str: "text", bool: "true or false"}[shape]
    return None if isinstance(value, shape) else (place, f"= {_short(value)} must be {words}")


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a huge number"
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
