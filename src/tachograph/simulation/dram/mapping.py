"""Which bits of an address choose channel, rank, bank group, bank, row and column.

A mapping is written from the highest bits to the lowest: ``RoBaRaCoCh`` puts the channel in the lowest
bits above those of a request. ``Bg`` may be given apart from ``Ba``; if it is not, the two known
orders have it where Ramulator has it, and others have it just below ``Ba``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...util.errors import InputError
from .standards import Standard

__all__ = ["KNOWN", "Mapping", "mapping"]

FIELDS = {"Ch": "channels", "Ra": "ranks", "Bg": "bank groups", "Ba": "banks", "Ro": "rows",
          "Co": "columns"}  # fmt: skip
KNOWN = {"RoBaRaCoCh": "RoBaBgRaCoCh", "ChRaBaRoCo": "ChRaBgBaRoCo"}


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
        total = 1
        for size in self.sizes.values():
            total *= size
        return total


def mapping(order: str, hashed: bool, standard: Standard, channels: int, ranks: int) -> Mapping:
    """The mapping written as ``order`` for a memory of this size.

    Raises
    ------
    InputError
        For an unknown or missing field, and for a size that is not a power of two in a field that is
        not the topmost.
    """
    full = KNOWN.get(order, order)
    fields = re.findall("[A-Z][a-z]", full)
    if "".join(fields) != full or not fields:
        raise InputError(f"mapping {order!r}: write fields as in RoBaRaCoCh; known: {_known()}")
    if "Bg" not in fields and "Ba" in fields:
        fields.insert(fields.index("Ba") + 1, "Bg")
    for name in fields:
        if name not in FIELDS:
            raise InputError(f"mapping {order!r} has an unknown field {name}; known: {_known()}")
    if sorted(fields) != sorted(FIELDS):
        raise InputError(f"mapping {order!r} must have each field once; known: {_known()}")
    counts = {"Ch": channels, "Ra": ranks, "Bg": standard.groups, "Ba": standard.banks,
              "Ro": standard.rows, "Co": standard.lines}  # fmt: skip
    if not _power(standard.request_bytes):
        raise InputError(f"{standard.name}: {standard.request_bytes} bytes a request, not 2^k")
    shifts, at, odd = {}, 0, None
    for position, name in enumerate(reversed(fields)):
        shifts[name] = at
        if not _power(counts[name]):
            if position < len(fields) - 1 or name not in ("Ch", "Ro"):
                raise InputError(
                    f"{counts[name]} {FIELDS[name]}: mapping {order} needs a power of two there "
                    f"(only the topmost field, {fields[0]}, may have another size)"
                )
            odd = name
        at += (counts[name] - 1).bit_length()
    if hashed and odd is not None and odd != "Ch":
        raise InputError(f"bank hashing needs a power of two of {FIELDS[odd]}, not {counts[odd]}")
    return Mapping(order, hashed, {n: counts[n] for n in fields}, shifts, odd,
                   standard.request_bytes.bit_length() - 1)  # fmt: skip


def _power(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def _known() -> str:
    return ", ".join(f"{k} ({v})" for k, v in FIELDS.items())
