"""Parts of docstrings: the summary, and the text about each parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable


def summary_of(function: Callable[..., object]) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return _plain((inspect.getdoc(function) or "").partition("\n\n")[0])


def parameters_of(function: Callable[..., object]) -> dict[str, str]:
    """Return what a docstring says about each parameter, on one line each.

    >>> def area(width):
    ...     '''An area.
    ...
    ...     Parameters
    ...     ----------
    ...     width
    ...         How ``wide`` it is.
    ...     '''
    >>> parameters_of(area)
    {'width': 'How wide it is.'}
    """
    doc = inspect.getdoc(function) or ""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE
    )
    found = {}
    entries = r"^(\S.*)\n((?:[ \t]+.*\n?|\n)+)"
    for names, text in re.findall(entries, section[1] if section else "", re.MULTILINE):
        for name in names.split(","):
            found[name.strip()] = _plain(text)
    return found


def _plain(text: str) -> str:
    """Remove line ends and markup."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", " ".join(text.split()))
    return text.replace("``", "")
