"""Damage to bytes and to values."""

from __future__ import annotations

import copy
import math
import random
import zlib
from typing import Any

WORDS = (b"\n", b" ", b"-1", b"999999999999", b"nan", b"\0", b"#", b"%", b"1e400", b"\r", b",", b"0x1",
         b"2147483648", b"\xff", b"9007199254740993", b"007", b"1_0", b"1.0", b"\xc2\xa0", b"\"", b"'",
         b"+1", b"-0", b"1e-320", b"18446744073709551615", b"\xef\xbb\xbf", b"inf", b"\x0b", b";")  # fmt: skip
NUMBERS = (0, 1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)
ODD = (None, True, 0, -1, 2**63 - 1, -(2**63), 2**64, 1e308, -1e308, 1e-320, math.nan, math.inf, "",
       "x", "\ud800", "|", [], {}, [[]], [0] * 40, {"a": {}}, "9" * 5000)  # fmt: skip


def few_places(rng: random.Random, raw: bytes) -> bytes:
    """Return the content of a small file with a few places changed: bytes, words, numbers, bits."""
    made = bytearray(raw)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(made) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(made):
            made[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 1:
            made[at : at + rng.choice((0, 1))] = rng.choice(WORDS)
        elif kind == 2:
            width = rng.choice((1, 4, 8))
            value = rng.choice(NUMBERS) % 2 ** (8 * width)
            made[at : at + width] = value.to_bytes(width, "little")
        elif kind == 3:
            del made[at : at + rng.randint(1, 40)]
        elif kind == 4:
            made[at:at] = made[at : at + rng.randint(1, 40)]
        elif at < len(made):
            made[at] ^= 1 << rng.randrange(8)
    return mended(bytes(made)) if rng.random() < 0.7 else bytes(made)


def mended(raw: bytes) -> bytes:
    """Return a ``.tgraph`` file with the checksum of its header made right, anything else as it is."""
    if not raw.startswith(b"\x89TGRAPH\n") or len(raw) < 20:
        return raw
    length = int.from_bytes(raw[12:16], "little")
    return raw[:16] + zlib.crc32(raw[20 : 20 + length]).to_bytes(4, "little") + raw[20:]


def many_bytes(rng: random.Random, data: bytes) -> bytes:
    """Return the content of a file with bytes changed, cut out or repeated, up to whole pages."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(len(made)) if made else 0
        length = rng.choice((1, 1, 4, 100, 4096))
        kind = rng.randrange(5)
        if kind == 0:
            made[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            made[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            made[at : at + length] = rng.choice((b"\0", b"\xff")) * length
        elif kind == 3:
            del made[at : at + length]
        else:
            made[at:at] = made[at : at + length]
    return bytes(made[: rng.randrange(len(made))] if made and rng.random() < 0.1 else made)


def one_value(rng: random.Random, value: Any) -> Any:
    """Return a copy in which one value, somewhere inside, is an odd one, or is missing."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        made = copy.copy(value)
        key = rng.choice(list(made) if isinstance(made, dict) else range(len(made)))
        if rng.random() < 0.1:
            del made[key]
        else:
            made[key] = one_value(rng, made[key])
        return made
    return rng.choice(ODD)
