"""Small exercises that have loops compiled: ``tacho warm`` does them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Exercise(NamedTuple):
    """A call that uses some compiled loops.

    ``seconds`` says about how long it compiles them: the longest exercises begin first, so that all
    cores end together (``tacho warm --json`` measures it). Those that are ``first`` end before others
    begin, because others use their loops, too.
    """

    run: Callable[[], object]
    seconds: float = 2.0
    first: bool = False
