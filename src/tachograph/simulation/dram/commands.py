"""The commands that a run issued, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NAMES", "Commands"]

#: Names of the commands, by their number.
NAMES = ("ACT", "PRE", "RD", "WR", "PREA", "REF")


@dataclass(frozen=True)
class Commands:
    """One row per command, channel by channel in order of time.

    ``command`` holds numbers of :data:`NAMES`; ``group`` and ``bank`` are -1 for commands to a whole
    rank, ``row`` for those without one, ``request`` (its number in the trace) for those of no request.
    """

    channel: np.ndarray
    cycle: np.ndarray
    command: np.ndarray
    rank: np.ndarray
    group: np.ndarray
    bank: np.ndarray
    row: np.ndarray
    request: np.ndarray

    def __len__(self) -> int:
        return self.cycle.size

    @property
    def names(self) -> np.ndarray:
        """The command of every row as text."""
        names: np.ndarray = np.array(NAMES)[self.command]
        return names

    def to_arrow(self) -> pa.Table:
        """Return a ``pyarrow.Table``."""
        import pyarrow as pa

        columns = {f: getattr(self, f) for f in self.__dataclass_fields__}
        return pa.table({**columns, "command": self.names.tolist()})


def table(parts: list[tuple[int, np.ndarray]], groups: int, banks: int) -> Commands:
    """Make a table of log lines (cycle, command, place, row, request), given by channel."""
    channel = np.concatenate([np.full(len(log), c, np.int64) for c, log in parts])
    lines = np.concatenate([log for _, log in parts])
    order = np.argsort(channel, kind="stable")
    lines, channel = lines[order], channel[order]
    cycle, command, place, row, request = lines.T
    whole = command >= NAMES.index("PREA")
    rank = np.where(whole, place, place // (groups * banks))
    group = np.where(whole, -1, place // banks % groups)
    bank = np.where(whole, -1, place % banks)
    return Commands(channel, cycle, command, rank, group, bank, row, request)
