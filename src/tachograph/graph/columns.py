"""Tables of edges: which columns hold them, and those columns as arrays, checked in full."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..util import memory
from ..util.arguments import single
from ..util.errors import InputError
from ..util.text import did_you_mean
from .build import EdgeTable

if TYPE_CHECKING:
    import pyarrow as pa

#: Names by which columns are recognised; the first is taken if several are there.
SOURCE = ("source", "src", "from", "u", "tail", "start")
TARGET = ("target", "dst", "to", "v", "head", "end", "destination")
WEIGHT = ("weight", "w", "cost", "distance", "length", "capacity", "value")
FLAGS = {b"": None, b"true": True, b"false": False}  # in the metadata of tables
MOST_DIGITS = 18  # of a number of vertices there


def in_words(text: str) -> dict[str, str | bool]:
    """Return what :func:`read` is told by "source,target" or "source,target,weight".

    >>> in_words("from,to")
    {'source': 'from', 'target': 'to', 'weight': False}
    """
    named = [part.strip() for part in text.split(",")]
    if len(named) not in (2, 3) or not all(named):
        raise InputError(
            f"columns = {text!r}: give those of source and target, and of weights if there are some, "
            "such as from,to,cost"
        )
    weight = named[2] if len(named) > 2 else False
    return {"source": named[0], "target": named[1], "weight": weight}


def asked_otherwise(message: str, how: str) -> str:
    """Return a message that asks for columns with another answer to how they are named.

    >>> asked_otherwise("which column holds the weight? There are 'a': pass weight='a'", "say it")
    "which column holds the weight? There are 'a': say it"
    """
    return re.sub(r"(which column holds the \w+\? There are .*?): .*", rf"\1: {how}", message)


class Columns(NamedTuple):
    """The columns that a user has named.

    ``weight`` may also be True: the one with a known name, if there is one; False or None: none.
    """

    source: str | None = None
    target: str | None = None
    weight: str | bool | None = True

    def among(self, names: list[str]) -> list[str]:
        """Return the columns of source, target and, if there is one, weight.

        Raises :class:`InputError` if they are neither named nor recognised.
        """
        if twice := {c for c in names if names.count(c) > 1}:
            raise InputError(f"several columns are called {sorted(twice)[0]!r}")
        ends = [
            _one(names, self.source, SOURCE, self.target is None and not _known(names, TARGET)),
            _one(names, self.target, TARGET),
        ]
        if ends[0] == ends[1]:
            raise InputError(f"column {ends[0]!r} cannot hold both the sources and the targets")
        left = [c for c in names if c not in ends]
        asked = single("weight", self.weight, "str | bool | None")
        weight = asked if isinstance(asked, str) else None
        if weight is None and not (left and asked):
            return ends
        named = self.source is not None and self.target is not None and weight is None
        if named and not any(c.lower() in WEIGHT for c in left):
            return ends  # whoever names the ends would have named the weights
        return [*ends, _one(left, weight, WEIGHT)]


def _known(names: list[str], known: tuple[str, ...]) -> list[str]:
    """Return the columns with a known name: those with the usual one, if there are such."""
    found = [c for c in names if c.lower() in known]
    return [c for c in found if c.lower() == known[0]] or found


def _one(names: list[str], given: str | None, known: tuple[str, ...], both: bool = False) -> str:
    """Return the column that was given, or the only one that has a known name.

    ``both`` says that the other end is not known either, so that one answer asks for both.
    """
    there, what = ", ".join(map(repr, names)) or "none", known[0]
    if given is not None:
        if given not in names:
            near = did_you_mean(given, names)
            raise InputError(f"no column {given!r} for the {what}; there are {there}{near}")
        return given
    if len(found := _known(names, known)) == 1:
        return found[0]
    nothing = ", or weight=None if none does" if what == "weight" else ""
    asked = f"{what}= and {TARGET[0]}=" if both else f"{what}="
    raise InputError(
        f"which column holds the {what}? There are {there}: pass {asked} and a name{nothing}"
    )


def edge_table(table: pa.Table, wanted: Columns, typed: bool = False) -> EdgeTable:
    """Return the columns of a table that hold edges, and what its metadata says about them.

    ``typed`` says that text is meant as text; in a file a word may be a damaged number.
    """
    chosen = wanted.among(table.column_names)
    table.select(chosen).validate(full=True)
    ends = [_checked(table, name) for name in chosen[:2]]
    source, target = (_ids(column, name) for column, name in zip(ends, chosen, strict=False))
    weight = _weights(_checked(table, chosen[2]), chosen[2]) if len(chosen) > 2 else None
    directed, named, n = _said(table)
    typed |= wanted.source is not None and wanted.target is not None  # somebody looked at them
    kinds = [table.schema.field(name).type for name in chosen[:2]]
    words = any(_is_text(getattr(kind, "value_type", kind)) for kind in kinds)
    text = words and (typed or not any(map(_has_numbers, ends)))
    return EdgeTable(source, target, weight, n=n, directed=directed, named=bool(named) or text)


def _said(table: pa.Table) -> tuple[bool | None, bool | None, int | None]:
    """Return what the metadata says: whether edges are directed, ends are names; how many vertices."""
    said = table.schema.metadata or {}
    flags = []
    for name in (b"directed", b"named"):
        if (found := said.get(name, b"").lower()) not in FLAGS:
            raise InputError(_odd(name, found, "True or False"))
        flags.append(FLAGS[found])
    n = said.get(b"vertices", b"")
    if n and not (n.isdigit() and len(n) <= MOST_DIGITS):
        raise InputError(_odd(b"vertices", n, "a number"))
    return flags[0], flags[1], int(n) if n else None


def _odd(name: bytes, value: bytes, wanted: str) -> str:
    shown = value[:40].decode(errors="backslashreplace")
    return f"the metadata says {name.decode()} = {shown!r}: write {wanted}, or remove that entry"


def _checked(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a column of numbers or strings without holes, dictionaries resolved."""
    import pyarrow as pa

    column = table.column(name)
    if any(chunk.offset < 0 for chunk in column.chunks):  # Arrow does not look at that
        raise InputError(f"column {name!r} begins before its memory: whoever passes it is wrong")
    _refuse_holes(column, name)
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        chunks = [(c.dictionary, c.indices.cast(pa.int64())) for c in column.chunks]
        if _is_text(kind):
            _require(sum(_lengths(d)[i.to_numpy()].sum() for d, i in chunks), name)
        plain = _plain_type(kind, name)
        column = pa.chunked_array([d.cast(plain).take(i) for d, i in chunks], plain)
        _refuse_holes(column, name)
    elif _is_text(kind):
        _require(sum(_lengths(c).sum() for c in column.chunks), name)
    return column.cast(_plain_type(kind, name))


def _has_numbers(column: pa.ChunkedArray) -> bool:
    """Whether any cell is a number, or begins like one."""
    import pyarrow.compute as pc

    if not _is_text(column.type):
        return bool(len(column))
    return bool(pc.any(pc.match_substring_regex(column, r"^\s*[+-]?[0-9.]")).as_py())


def _weights(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """Return a column of weights; text is refused, with a cell that is no number."""
    if _is_text(column.type) and len(column):
        found = column.to_pylist()
        odd = next((cell for cell in found if not _is_number(cell)), None)
        what = f"has text, such as {odd!r:.60}" if odd is not None else "has numbers as text"
        how = "make them numbers, or leave the weights out with weight=None"
        raise InputError(f"column {name!r} {what}: {how}")
    return _array(column)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _refuse_holes(column: pa.ChunkedArray, name: str) -> None:
    if column.null_count:
        mask = column.is_null().to_numpy(zero_copy_only=False)
        many = "an empty cell" if column.null_count == 1 else f"{column.null_count:,} empty cells"
        first = f"{'' if column.null_count == 1 else 'the first '}in row {int(mask.argmax())}"
        how = "counted from 0 below the head: leave such rows out"
        raise InputError(f"column {name!r} has {many}, {first}, {how}")


def _lengths(strings: pa.Array) -> np.ndarray:
    """Return the bytes of each string."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string_view(strings.type):
        return np.asarray(pc.fill_null(pc.binary_length(strings), 0))
    if not len(strings):
        return np.empty(0, np.int32)
    # 16 bytes for each: the length, and the rest. The buffer may be longer, by any number of bytes.
    buffer, first = strings.buffers()[1], 16 * strings.offset
    return np.frombuffer(buffer, np.int32, 4 * len(strings), first).reshape(-1, 4)[:, 0]


def _require(size: int, name: str) -> None:
    """Refuse strings that share their bytes in the table, but would not in memory."""
    memory.require(int(size), f"column {name!r} as text", "use a machine with more memory")


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in tests)


def _plain_type(kind: pa.DataType, name: str) -> pa.DataType:
    """Return the Arrow type that a column of type ``kind`` is converted to before NumPy gets it."""
    import pyarrow as pa

    if pa.types.is_null(kind):  # of a table without rows
        return pa.int32()
    if _is_text(kind):
        return pa.large_string()
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    if not any(test(kind) for test in numbers):
        raise InputError(f"column {name!r} holds {kind}, neither numbers nor text")
    return kind


def _ids(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """Return a column of ids or names: decimals as integers if they are, else as text."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            column = column.cast(pa.large_string())
    if pa.types.is_boolean(column.type):
        raise InputError(f"column {name!r} holds {column.type}; ids are integers or names")
    return _array(column)


def _array(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column as an array of numbers or strings."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
        return np.asarray(column.combine_chunks().to_numpy(zero_copy_only=False))
    # to_numpy() would import pandas if it is installed, which takes 50 MB and half a second
    if not column.num_chunks:
        return np.empty(0, column.type.to_pandas_dtype())
    found = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: np.ndarray = np.from_dlpack(found)
    array.flags.writeable = False
    return array
