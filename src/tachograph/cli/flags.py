"""Messages for people who type flags: the arguments of Python that they name, as flags."""

from __future__ import annotations

import re

from ..util.errors import InputError

__all__ = ["in_flags"]

#: Arguments of Python that commands have as flags of other names.
OTHER_FLAGS = {
    "directed=False": "--undirected",
    "directed=True": "--directed",
    "graph.to_undirected() makes one": "--undirected makes one",
    "graph.without_weights()": "tacho convert --no-weights",
    "with weight=None": "by --columns SOURCE,TARGET",
    "along_arcs=True": "--along-arcs (of tacho simulate)",
}
COLUMNS = "name them with --columns SOURCE,TARGET,WEIGHT, without WEIGHT if there is none"
READING = {"relabel", "weight", "columns"}  # arguments about files
#: Arguments that no command has.
PYTHON_ONLY = ("symmetrize", "dedupe", "drop_self_loops", "copy", "pipe", "n", "capacity", "indptr")


def in_flags(message: str) -> str:
    """Return a message about arguments as one about flags.

    >>> in_flags("resolution = -1: a number from 0 on")
    '--resolution -1: a number from 0 on'
    >>> in_flags("use relabel=True if most ids are unused, or memory_limit=2000")
    'use --relabel if most ids are unused, or --memory-limit 2000'
    >>> in_flags("source: there is no vertex 9; ids go from 0 to 4")
    '--source: there is no vertex 9; ids go from 0 to 4'
    """
    try:
        from ..graph.columns import asked_otherwise
        from ..tasks.table import TASKS
    except InputError:  # kernels cannot be imported: that is what the message says
        return message
    message = asked_otherwise(message, COLUMNS)
    known = {name for task in TASKS.values() for name in task.parameters} | READING
    words = "|".join(sorted(known - set(PYTHON_ONLY), key=len, reverse=True))
    for python, flag in OTHER_FLAGS.items():
        message = message.replace(python, flag)
    message = re.sub(rf"^({words}) = (['\"]?)([^'\":]*)\2(?=[:,])", _with_value, message)
    message = re.sub(rf"^({words})(?=:)", lambda found: _flag(found[1]), message)
    message = re.sub(rf"(?<![\w.(-])({words})=True\b", lambda found: _flag(found[1]), message)
    number = rf"(?<![\w.(-])({words})=(['\"]?)([\w.%]+)\2(?![\w(])"
    return re.sub(number, _with_value, message)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _with_value(found: re.Match[str]) -> str:
    return f"{_flag(found[1])} {found[3]}"
