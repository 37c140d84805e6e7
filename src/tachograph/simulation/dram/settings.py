"""How the controller of a channel decides, and which bits of an address choose what.

A mapping is written from the highest bits to the lowest: ``RoBaRaCoCh`` puts the channel in the lowest
bits above those of a request. ``Bg`` may be given apart from ``Ba``; if it is not, the two known
orders have it where Ramulator has it, and others have it just below ``Ba``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields

from ...util.errors import InputError
from .standards import Standard

__all__ = ["Controller", "Mapping", "mapping"]

ADDRESS_FIELDS = {
    "Ch": "channels",
    "Ra": "ranks",
    "Bg": "bank groups",
    "Ba": "banks",
    "Ro": "rows",
    "Co": "columns",
}
KNOWN = {"RoBaRaCoCh": "RoBaBgRaCoCh", "ChRaBaRoCo": "ChRaBgBaRoCo"}
SCHEDULERS = ("FRFCFS-Cap", "FRFCFS", "FCFS")
ROWS = ("open", "closed", "timeout")
MAX_QUEUE = 256


@dataclass(frozen=True)
class Controller:
    """Settings of a channel's controller; the defaults are those of Ramulator 1.

    Parameters
    ----------
    scheduler
        ``"FRFCFS-Cap"`` serves the oldest request whose next command can go, and lets at most ``cap``
        accesses to an open row overtake others; ``"FRFCFS"`` has no cap; ``"FCFS"`` serves the oldest
        request or none.
    rows
        When rows are closed. ``"open"``: when another row of the bank is needed; ``"closed"``: as soon
        as the channel has nothing else to do; ``"timeout"``: the same, but only ``timeout`` cycles
        after the last use.
    read_queue, write_queue
        Requests that can wait in a channel.
    write_high, write_low
        Shares of the write queue. Above the first, writes go before reads; below the second they no
        longer do.
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
    def of(cls, settings: dict[str, str | float]) -> Controller:
        """Make a controller with these settings, and check them."""
        known = [f.name for f in fields(cls)]
        for name in settings:
            if name not in known:
                raise InputError(f"unknown setting {name!r}; known: {', '.join(known)}")
        made = cls(**settings)  # type: ignore[arg-type]  # checked below
        made._check()
        return made

    def _check(self) -> None:
        for name, choices in (("scheduler", SCHEDULERS), ("rows", ROWS)):
            if getattr(self, name) not in choices:
                raise InputError(
                    f"unknown {name} {getattr(self, name)!r}; known: {', '.join(choices)}"
                )
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


@dataclass(frozen=True)
class Mapping:
    """For every field its size and shift; ``odd`` is the one that is not a power of two."""

    name: str
    hashed: bool
    sizes: dict[str, int]
    shifts: dict[str, int]
    odd: str | None
    line_bits: int

    @property
    def lines(self) -> int:
        """Requests that fit into the memory."""
        return math.prod(self.sizes.values())


def mapping(order: str, hashed: bool, standard: Standard, channels: int, ranks: int) -> Mapping:
    """Read the mapping that is written as ``order``, for a memory of this size.

    Raises
    ------
    InputError
        For an unknown or missing field, and for a size that is not a power of two in a field that is
        not the topmost.
    """
    full = KNOWN.get(order, order)
    parts = re.findall("[A-Z][a-z]", full)
    known = ", ".join(f"{k} ({v})" for k, v in ADDRESS_FIELDS.items())
    if "".join(parts) != full or not parts:
        raise InputError(f"mapping {order!r}: write fields as in RoBaRaCoCh; known: {known}")
    if "Bg" not in parts and "Ba" in parts:
        parts.insert(parts.index("Ba") + 1, "Bg")
    for name in parts:
        if name not in ADDRESS_FIELDS:
            raise InputError(f"mapping {order!r} has an unknown field {name}; known: {known}")
    if sorted(parts) != sorted(ADDRESS_FIELDS):
        raise InputError(f"mapping {order!r} must have each field once; known: {known}")
    s = standard
    counts = dict(
        zip(ADDRESS_FIELDS, (channels, ranks, s.groups, s.banks, s.rows, s.lines), strict=True)
    )
    if s.request_bytes.bit_count() != 1:
        raise InputError(
            f"{s.name}: {s.request_bytes} bytes a request, which is not a power of two"
        )
    shifts, at, odd = {}, 0, None
    for name in reversed(parts):
        shifts[name] = at
        at += (counts[name] - 1).bit_length()
        if counts[name].bit_count() == 1:
            continue
        if name != parts[0] or name not in ("Ch", "Ro"):
            raise InputError(
                f"{counts[name]} {ADDRESS_FIELDS[name]}: mapping {order} needs a power of two there "
                f"(only the topmost field, {parts[0]}, may have another size)"
            )
        odd = name
    if hashed and odd is not None and odd != "Ch":
        raise InputError(
            f"bank hashing needs a power of two of {ADDRESS_FIELDS[odd]}, not {counts[odd]}"
        )
    sizes, line_bits = {name: counts[name] for name in parts}, s.request_bytes.bit_length() - 1
    return Mapping(order, hashed, sizes, shifts, odd, line_bits)
