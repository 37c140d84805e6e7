"""Byte addresses to channels, ranks, banks and rows.

A mapping is written from the highest bits to the lowest: ``RoBaRaCoCh`` puts the channel in the lowest
bits above those of a request. ``Bg`` may be given apart from ``Ba``, and ``Si`` (stacks of dies) apart
from ``Bg``; if they are not, the known orders have them where Ramulator has them, others have ``Bg``
just below ``Ba`` and ``Si`` just below ``Bg``. ``MOP4CLXOR`` has two bits of the column below the rank,
the others above the bank, and all fields but the channel exclusive-or'ed with bits of the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...util.errors import InputError
from .engine.layout import XOR_LOW_BITS
from .standards import Standard

__all__ = ["Mapping", "read_mapping"]

ADDRESS_FIELDS = {
    "Ch": "channels",
    "Ra": "ranks",
    "Si": "stacks",
    "Bg": "bank groups",
    "Ba": "banks",
    "Ro": "rows",
    "Co": "columns",
}
KNOWN = {
    "RoBaRaCoCh": "RoBaBgSiRaCoCh",
    "ChRaBaRoCo": "ChRaSiBgBaRoCo",
    "MOP4CLXOR": "RoCoBaBgSiRaCh",  # and two bits of the column below the rank
}
XOR_ORDER = "MOP4CLXOR"


@dataclass(frozen=True)
class Mapping:
    """For every field, from the top, its size and shift; ``odd`` is no power of two."""

    name: str
    hashed: bool
    sizes: dict[str, int]
    shifts: dict[str, int]
    odd: str | None
    line_bits: int
    xor: bool = False


def read_mapping(order: str, hashed: bool, s: Standard, channels: int, ranks: int) -> Mapping:
    """Read the mapping that is written as ``order``, for a memory of this size."""
    full = KNOWN.get(order, order)
    parts = re.findall("[A-Z][a-z]", full)
    known = ", ".join(f"{k} ({v})" for k, v in ADDRESS_FIELDS.items())
    if "".join(parts) != full or not parts:
        raise InputError(f"mapping {order!r}: write fields as in RoBaRaCoCh; known: {known}")
    if "Bg" not in parts and "Ba" in parts:
        parts.insert(parts.index("Ba") + 1, "Bg")
    if "Si" not in parts and "Bg" in parts:
        parts.insert(parts.index("Bg") + 1, "Si")
    for name in parts:
        if name not in ADDRESS_FIELDS:
            raise InputError(f"mapping {order!r} has an unknown field {name}; known: {known}")
    if sorted(parts) != sorted(ADDRESS_FIELDS):
        raise InputError(f"mapping {order!r} must have each field once; known: {known}")
    ranks, xor = ranks * s.pseudo, order == XOR_ORDER
    bytes_each = s.request_bytes
    sizes = (channels, ranks, s.stacks, s.groups, s.banks, s.rows, s.lines)
    if bytes_each.bit_count() != 1:
        raise InputError(f"{s.name}: {bytes_each} bytes a request, which is not a power of two")
    counts = dict(zip(ADDRESS_FIELDS, sizes, strict=True))
    shifts, shift, odd = {}, 0, None
    for name in reversed(parts):
        shifts[name], many = shift, counts[name]
        shift += (many - 1).bit_length()
        if xor and name in ("Ch", "Co"):  # the lowest bits of the column lie above the channel
            shift += XOR_LOW_BITS if name == "Ch" else -XOR_LOW_BITS
        if many.bit_count() != 1:
            odd = name
            if name != parts[0] or name not in ("Ch", "Ro"):
                raise InputError(
                    f"{many} {ADDRESS_FIELDS[name]}: mapping {order} needs a power of two there "
                    f"(only the topmost field, {parts[0]}, may have another size)"
                )
    if xor and (hashed or odd):
        raise InputError(
            f"mapping {order} takes powers of two, and banks that are not hashed besides"
        )
    if hashed and odd == "Ro":
        raise InputError(f"bank hashing needs a power of two of rows, not {s.rows}")
    by_part = {name: counts[name] for name in parts}
    return Mapping(order, hashed, by_part, shifts, odd, bytes_each.bit_length() - 1, xor)
