"""Settings of a channel's controller."""

from __future__ import annotations

from dataclasses import dataclass

from ...util.errors import InputError
from .engine import layout as at
from .standards import Standard

__all__ = ["MAX_QUEUE", "SCHEDULERS", "Controller", "controller_for"]

#: Schedulers by the version of Ramulator whose controller is followed; the first is usual.
SCHEDULERS = {1: ("FRFCFS-Cap", "FRFCFS", "FCFS"), 2: ("FRFCFS", "FRFCFS-RowHit")}
MAX_QUEUE = 256  # requests


@dataclass(frozen=True)
class Controller:
    """Settings of a channel's controller; the defaults are those of Ramulator 1.

    Parameters
    ----------
    scheduler
        ``"FRFCFS-Cap"`` serves the oldest request whose next command can go, and lets at most ``cap``
        accesses to an open row overtake others; ``"FRFCFS"`` has no cap; ``"FRFCFS-RowHit"`` closes no
        row for which an older request waits; ``"FCFS"`` serves the oldest request or none.
    rows
        When rows are closed. ``"open"``: when another row of the bank is needed; ``"closed"``: as soon
        as the channel has nothing else to do; ``"timeout"``: the same, but only ``timeout`` cycles
        after the last use.
    read_queue, write_queue
        Requests that can wait in a channel.
    write_high, write_low
        Shares of the write queue. Above the first, writes go before reads; below the second they no
        longer do.
    refresh
        ``"all-bank"``: all banks of a rank at once; ``"per-bank"``: one after the other, if the
        standard has that; ``"none"``.
    version
        Of Ramulator, whose controller is followed: 1, or 2 for 2.1. Version 2 never closes a row that
        was opened for a request before that is served, merges writes to the same address, hands over
        all reads that are complete, and refreshes in strict order.
    """

    scheduler: str = SCHEDULERS[1][0]
    cap: int = 16
    rows: str = "open"
    timeout: int = 50
    read_queue: int = 32
    write_queue: int = 32
    write_high: float = 0.8
    write_low: float = 0.2
    refresh: str = "all-bank"
    version: int = 1

    def __post_init__(self) -> None:
        if self.version not in SCHEDULERS:
            raise InputError(f"version = {self.version!r}: Ramulator's controller 1 or 2")
        rows = at.ROW_POLICIES if self.version == 1 else at.ROW_POLICIES[:1]
        choices = {"scheduler": SCHEDULERS[self.version], "rows": rows, "refresh": at.REFRESH_KINDS}
        for name, known in choices.items():
            if (value := getattr(self, name)) not in known:
                raise InputError(
                    f"unknown {name} {value!r} for a controller of version {self.version}; "
                    f"known: {', '.join(known)}"
                )
        for name in ("read_queue", "write_queue"):
            if not 1 <= (value := getattr(self, name)) <= MAX_QUEUE:
                raise InputError(f"{name} = {value}: must be 1 to {MAX_QUEUE}")
        if self.cap < 0 or self.timeout < 0:
            raise InputError(f"cap = {self.cap}, timeout = {self.timeout}: must not be negative")
        if not 0 <= self.write_low <= self.write_high <= 1:
            raise InputError(
                f"write_low = {self.write_low}, write_high = {self.write_high}: "
                "must be shares from 0 to 1, the first not above the second"
            )


def controller_for(s: Standard, settings: dict[str, str | float]) -> Controller:
    """Return the usual controller of a standard with some settings changed."""
    known = list(Controller.__dataclass_fields__)
    for unknown in [name for name in settings if name not in known]:
        raise InputError(f"unknown setting {unknown!r}; known: {', '.join(known)}")
    own = int(s.protocol["version"])
    chosen = {"version": own, **settings}
    if chosen["version"] in SCHEDULERS:
        chosen = {"scheduler": SCHEDULERS[int(chosen["version"])][0], **chosen}
    made = Controller(**chosen)  # type: ignore[arg-type]  # it checks
    if made.version < own:
        raise InputError(f"version = {made.version}: the commands of {s.name} need version {own}")
    if made.refresh == "per-bank" and not (s.timings["REFIB"] and made.version > 1):
        raise InputError(
            f"refresh = 'per-bank': there are no timings for it in the table of {s.name}"
        )
    return made
