"""How the controller of a channel decides."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ...util.errors import InputError

__all__ = ["Controller"]

SCHEDULERS = ("FRFCFS-Cap", "FRFCFS", "FCFS")
ROWS = ("open", "closed", "timeout")
MAX_QUEUE = 256


@dataclass(frozen=True)
class Controller:
    """Settings of a channel's controller; the defaults are those of Ramulator 1.

    Parameters
    ----------
    scheduler
        ``"FRFCFS-Cap"``: the oldest request whose next command can go, but a row only so often in a
        row (``cap``); ``"FRFCFS"``: without the cap; ``"FCFS"``: the oldest request or none.
    rows
        When rows are closed: ``"open"``: when another row of the bank is needed; ``"closed"``: as soon
        as the channel has nothing else to do; ``"timeout"``: the same, ``timeout`` cycles after the
        last use.
    read_queue, write_queue
        Requests that wait in a channel.
    write_high, write_low
        Shares of the write queue: above the first writes go before reads, below the second no longer.
    """

    scheduler: str = "FRFCFS-Cap"
    cap: int = 16
    rows: str = "open"
    timeout: int = 50
    read_queue: int = 32
    write_queue: int = 32
    write_high: float = 0.8
    write_low: float = 0.2

    @classmethod
    def of(cls, settings: dict[str, Any]) -> Controller:
        """Settings by name, checked."""
        known = [f.name for f in fields(cls)]
        for name in settings:
            if name not in known:
                raise InputError(f"unknown setting {name!r}; known: {', '.join(known)}")
        made = cls(**settings)
        made._check()
        return made

    def _check(self) -> None:
        for name, value, choices in (("scheduler", self.scheduler, SCHEDULERS),
                                     ("rows", self.rows, ROWS)):  # fmt: skip
            if value not in choices:
                raise InputError(f"unknown {name} {value!r}; known: {', '.join(choices)}")
        for name in ("read_queue", "write_queue"):
            if not 1 <= getattr(self, name) <= MAX_QUEUE:
                raise InputError(f"{name} = {getattr(self, name)}: must be 1 to {MAX_QUEUE}")
        if self.cap < 0 or self.timeout < 0:
            raise InputError(f"cap = {self.cap}, timeout = {self.timeout}: must not be negative")
        if not 0 <= self.write_low <= self.write_high <= 1:
            raise InputError(
                f"write_low = {self.write_low}, write_high = {self.write_high}: "
                "must be shares from 0 to 1, the first not above the second"
            )

    @property
    def high(self) -> int:
        """Writes above which they go first."""
        return int(self.write_high * self.write_queue)

    @property
    def low(self) -> int:
        """Writes below which reads go first again; with none they always do."""
        return max(1, int(self.write_low * self.write_queue))
