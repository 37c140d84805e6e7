"""Arguments that are single values: what the annotation of a function says is what it is given."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .errors import InputError
from .text import did_you_mean, quoted

__all__ = ["checked", "single"]

#: Types of single values, by their names in annotations, and in words.
SINGLE: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
SINGLE["os.PathLike[str]"] = os.PathLike
IN_WORDS = {int: "a whole number", float: "a number", bool: "True or False", str: "text"}
IN_WORDS[os.PathLike] = "a path"
LARGEST_BITS = 63  # of a whole number; a seed may have one more
P = ParamSpec("P")
R = TypeVar("R")


def single(name: str, value: Any, annotation: str) -> Any:
    """Return a value as its annotation wants it, NumPy's as Python's; what is no single value as it is.

    >>> single("n", np.int8(3), "int"), single("n", None, "int | None")
    (3, None)
    >>> single("n", 1.5, "int")
    Traceback (most recent call last):
    tachograph.util.errors.InputError: n = 1.5: a whole number is needed
    """
    kinds, none = _kinds(annotation)
    alone = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim)
    if kinds and alone and value.dtype.kind not in "mM":  # no time would become None
        value = value.item()
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS + (annotation == "Rng"):
        raise InputError(f"{name} is a whole number of {value.bit_length():,} bits: too large")
    if not kinds or (value is None and none):
        return value
    if isinstance(value, int) and kinds in ((bool,), (int,)):
        return kinds[0](value)  # True for a number would compile kernels once more
    if isinstance(value, kinds) or (isinstance(value, int) and {float, bool} & {*kinds}):
        return value
    needed = " or ".join(IN_WORDS[kind] for kind in kinds)
    if float in kinds and name in ("deadline", "seconds"):
        needed += " of seconds, such as 0.5 for 500 ms,"
    elif float in kinds and isinstance(value, str) and value.endswith("%"):
        needed += ", such as 0.05 for 5 %,"
    raise InputError(f"{name} = {quoted(value)}: {needed} is needed")


@functools.cache
def _kinds(annotation: str) -> tuple[tuple[type, ...], bool]:
    """Return the types of an argument that is a single value, else none; and whether None is one."""
    words = [word.strip() for word in annotation.split("|")]
    known = tuple(SINGLE[word] for word in words if word in SINGLE)
    none = "None" in words
    return (known if len(known) + none == len(words) else ()), none


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses other values than its annotations say."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> R:
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            unknown = next((name for name in named if name not in signature.parameters), None)
            near = "" if unknown is None else did_you_mean(unknown, signature.parameters)
            raise TypeError(f"{function.__name__}() {error}{near}") from None
        for name, value in bound.arguments.items():
            annotation = signature.parameters[name].annotation
            if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = {k: single(k, v, annotation) for k, v in value.items()}
            elif annotation is not inspect.Parameter.empty:  # as that of self is
                bound.arguments[name] = single(name, value, annotation)
        return function(*bound.args, **bound.kwargs)

    return call
