"""The requests of the panels: a module for each panel, which lists its endpoints.

To add a panel, add its name to ``PANELS``, a module of that name here with ``ENDPOINTS``, and a module
of that name in ``page/panels``, which ``page/panels/table.js`` lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from math import isfinite
from typing import Any, NamedTuple

from ...util.errors import InputError

__all__ = ["PANELS", "Endpoint", "arguments", "endpoints"]

PANELS = ("graph", "ask", "run", "what_if", "journal", "learn")
PLAIN: dict[str, type] = {"str": str, "list": list, "dict": dict}


class Endpoint(NamedTuple):
    """A request of a panel, at ``api/PANEL/NAME``.

    ``function`` is given the lab and, as keywords, the query of a GET or the JSON object of a POST. Its
    annotations (str, int, float, bool, list, dict, and None) say what each must be. It runs on a thread
    of its own and returns what JSON can hold. One that ``streams`` is a coroutine that is given the lab
    and the request, and returns a response.
    """

    name: str
    function: Callable[..., Any]
    method: str = "GET"
    streams: bool = False


def endpoints(panel: str) -> tuple[Endpoint, ...]:
    """Return the endpoints of a panel."""
    found: tuple[Endpoint, ...] = import_module(f".{panel}", __package__).ENDPOINTS
    return found


def arguments(function: Callable[..., Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was told as the arguments of an endpoint's function.

    Raises
    ------
    InputError
        If there is no such argument, one is missing, or one has another type.
    """
    wanted = dict(list(inspect.signature(function).parameters.items())[1:])
    for name in told:
        if name not in wanted:
            raise InputError(f"there is no argument {name!r}: {', '.join(wanted) or 'none'}")
    made = {}
    for name, parameter in wanted.items():
        if name in told:
            made[name] = _as(name, told[name], str(parameter.annotation))
        elif parameter.default is inspect.Parameter.empty:
            raise InputError(f"the argument {name!r} is missing")
    return made


def _as(name: str, value: Any, annotation: str) -> Any:
    """Return a value as its annotation says; numbers and truth may be text, as in a query."""
    kinds = [part.partition("[")[0].strip() for part in annotation.split("|")]
    if value is None and "None" in kinds:
        return None
    for kind in kinds:
        if kind in ("int", "float") and not isinstance(value, bool):
            with suppress(TypeError, ValueError, OverflowError):
                number = float(value)
                if number.is_integer() or (kind == "float" and isfinite(number)):
                    return number if kind == "float" else int(number)
        elif kind == "bool" and value in (True, False, "true", "false"):
            return value in (True, "true")
        elif kind in PLAIN and isinstance(value, PLAIN[kind]):
            return value
    raise InputError(f"{name} = {ascii(value)[:200]}: {annotation} is needed")
