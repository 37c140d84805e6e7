"""Tables that other libraries pass, damaged: odd types, holes, forged buffers and metadata."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa

import tachograph as tg

from . import must
from .readers import MEMORY

NUMBERS = [pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(),
           pa.float32(), pa.float64(), pa.float16(), pa.decimal128(30, 2)]  # fmt: skip
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
OTHERS = [pa.date32(), pa.bool_(), pa.binary(), pa.list_(pa.int32()), pa.timestamp("s"), pa.null(),
          pa.struct([("a", pa.int32())]), pa.time32("s"), pa.run_end_encoded(pa.int32(), pa.int64())]  # fmt: skip
NAMES = [
    "source",
    "target",
    "weight",
    "src",
    "dst",
    "u",
    "v",
    "w",
    "when",
    "buyer",
    "seller",
    "Source",
    "",
]
SAID = [
    b"True",
    b"false",
    b"",
    b"yes",
    b"4",
    b"-1",
    b"1e3",
    b"99999999999999999999",
    b"\xff",
    b"0x4",
]


def some(rng: random.Random, kind: pa.DataType, size: int) -> pa.Array:
    """An array of this type: mostly small ids, sometimes what is odd for ids."""
    values: list[object] = [rng.randrange(4) for _ in range(size)]
    if pa.types.is_decimal(kind):
        values = [Decimal(v) + (Decimal("0.5") if rng.random() < 0.02 else 0) for v in values]
    elif pa.types.is_floating(kind):
        odd = [float("nan"), float("inf"), -0.0, 0.5, -1.0]
        values = [rng.choice(odd) if rng.random() < 0.02 else float(v) for v in values]
    elif kind in TEXTS:
        values = [rng.choice(("a", "b", "10", "1_0", "", "é", "None")) for _ in values]
    elif pa.types.is_integer(kind):
        width = kind.bit_width - (not str(kind).startswith("u"))
        odd = [2**width - 1, -(2**width) if str(kind)[0] != "u" else 2**width - 2]
        values = [rng.choice(odd) if rng.random() < 0.02 else v for v in values]
    else:
        values = [None if rng.random() < 0.1 else v for v in values]
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, TypeError, NotImplementedError):
            return pa.nulls(size, kind)
    if kind == pa.float16():
        return pa.array(np.array(values, np.float16))
    if size and rng.random() < 0.03:
        values[rng.randrange(size)] = None
    return pa.array(values, kind)


def forged(rng: random.Random, array: pa.Array) -> pa.Array:
    """The same array with a buffer that was changed, or shorter than it should be."""
    buffers = array.buffers()
    at = rng.randrange(len(buffers))
    if buffers[at] is None or not buffers[at].size:
        return array
    raw = bytearray(buffers[at].to_pybytes())
    if rng.random() < 0.7:
        place = rng.randrange(len(raw))
        raw[place] = rng.choice((0, 127, 128, 255))
    else:
        del raw[rng.randrange(len(raw)) :]
    buffers[at] = pa.py_buffer(bytes(raw))
    try:
        return pa.Array.from_buffers(array.type, len(array), buffers, -1, array.offset)
    except pa.ArrowInvalid:  # it was noticed already
        return array


def column(rng: random.Random, size: int) -> pa.ChunkedArray:
    kind = rng.choice(
        rng.choice((NUMBERS, NUMBERS, TEXTS, OTHERS)) if rng.random() < 0.5 else [pa.int64()]
    )
    cuts = sorted(rng.randrange(size + 1) for _ in range(rng.randrange(3)))
    pieces, packed = [], kind in (*TEXTS[:2], pa.int64(), pa.int32()) and rng.random() < 0.15
    for lo, hi in zip([0, *cuts], [*cuts, size], strict=True):
        piece = some(rng, kind, hi - lo + 2).slice(1, hi - lo)
        pieces.append(piece.dictionary_encode() if packed else piece)
    kind = pieces[0].type
    if rng.random() < 0.1 and not pa.types.is_dictionary(kind) and not pa.types.is_nested(kind):
        pieces = [forged(rng, p) if p.type in (*NUMBERS, *TEXTS) else p for p in pieces]
    return pa.chunked_array(pieces, kind)


class Tables:
    """Arrow's door: :meth:`tachograph.Graph.from_arrow`."""

    def __init__(self, place: Path) -> None:
        pass

    def __call__(self, rng: random.Random) -> bool:
        size = rng.choice((0, 1, 2, 5, 9))
        names = ["source", "target", "weight"][: rng.choice((2, 3))]
        if rng.random() < 0.2:
            names = [rng.choice(NAMES) for _ in range(rng.randrange(5))]
        table = pa.Table.from_arrays([column(rng, size) for _ in names], names)
        if rng.random() < 0.1:
            keys = (b"directed", b"vertices", b"named")
            table = table.replace_schema_metadata({rng.choice(keys): rng.choice(SAID)})
        try:
            with tg.limits(memory=MEMORY):
                g = tg.Graph.from_arrow(table, relabel=rng.random() < 0.3)
                source, target, weights = g.to_edges()
        except tg.TachographError:
            return False
        known = [n for n in names if n.lower() in ("source", "src", "u")]
        others = [n for n in names if n.lower() in ("target", "dst", "v")]
        ends = [self.one(known, "source"), self.one(others, "target")]
        cells = [table.column(name).to_pylist() for name in ends]
        named = [(lambda v: g.names[v]) if g.names is not None else int][0]
        found = Counter(
            (self.plain(named(u)), self.plain(named(v)))
            for u, v in zip(source, target, strict=True)
        )
        want = [(self.plain(u), self.plain(v)) for u, v in zip(*cells, strict=True)]
        if not g.directed:
            found = Counter(tuple(sorted(e)) for e in found.elements())
            if self.lists_both_directions(want, table, names if weights is not None else []):
                want = [e for e in want if e[0] <= e[1]]
            want = [tuple(sorted(e)) for e in want]
        must(found == Counter(want), f"{found} of {table!r}")
        if weights is not None and g.directed and "weight" in names:
            told = [float(w) for w in table.column("weight").to_pylist()]
            must(sorted(weights.tolist()) == sorted(told), f"{weights} of {table!r}")
        return True

    @staticmethod
    def one(names: list[str], usual: str) -> str:
        return next((n for n in names if n.lower() == usual), names[0])

    @staticmethod
    def lists_both_directions(
        ends: list[tuple[str, str]], table: pa.Table, names: list[str]
    ) -> bool:
        """Whether every row has one with its ends exchanged, and the same weight."""
        weighted = "weight" in names
        told = table.column("weight").to_pylist() if weighted else [None] * len(ends)
        rows = Counter((*e, w) for e, w in zip(ends, told, strict=True))
        return all(rows[v, u, w] == count for (u, v, w), count in rows.items())

    @staticmethod
    def plain(value: object) -> str:
        """A whole number without decimals, anything else as text."""
        number = isinstance(value, int | float | Decimal | np.number)
        whole = number and value == int(value)
        return str(int(value)) if whole else str(value).removesuffix(".00")
