"""Arrow streams of programs that lie about what they pass: refused, or what the columns hold."""

from __future__ import annotations

import ctypes

import pyarrow as pa
import pytest

import tachograph as tg

Pointer = ctypes.POINTER
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Array(ctypes.Structure):
    """``ArrowArray`` of the C data interface."""


Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", Pointer(ctypes.c_void_p)), ("children", Pointer(Pointer(Array))),
    *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
]  # fmt: skip


class Stream(ctypes.Structure):
    """``ArrowArrayStream``."""

    _fields_ = [("get_schema", ctypes.c_void_p), ("get_next", GET_NEXT)]


class Lying:
    """A table that is passed as a stream, with one number of its arrays changed."""

    def __init__(self, table: pa.Table, child: bool, name: str, value: int) -> None:
        self.table, self.lie = table, (child, name, value)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        capsule = self.table.__arrow_c_stream__()
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        stream = ctypes.cast(address(capsule, b"arrow_array_stream"), Pointer(Stream)).contents
        honest = ctypes.cast(stream.get_next, GET_NEXT)

        def get_next(this: int, out: int) -> int:
            code = honest(this, out)
            array = ctypes.cast(out, Pointer(Array)).contents
            if code == 0 and array.release:
                child, name, value = self.lie
                where = array.children[0].contents if child else array
                if name == "buffer":
                    where.buffers[value] = None
                else:
                    setattr(where, name, value)
            return code

        self.kept = GET_NEXT(get_next)
        stream.get_next = self.kept
        return capsule


TABLES = [
    pa.table({"source": [0, 1, 2, 3], "target": [1, 2, 3, 0]}),
    pa.table({"source": list("abcd"), "target": list("bcda")}),
    pa.table({"source": pa.array(list("abcd")).dictionary_encode(), "target": list("bcda")}),
]


@pytest.mark.parametrize("table", TABLES, ids=["numbers", "words", "dictionary"])
@pytest.mark.parametrize(
    "lie",
    [(True, "length", -5), (True, "length", 1), (False, "length", 10), (False, "n_children", 1),
     (True, "offset", -3), (True, "null_count", 3), (True, "null_count", -7), (True, "n_buffers", 0),
     (True, "n_buffers", 1), (True, "buffer", 1)],
)  # fmt: skip
def test_lies_are_refused(table: pa.Table, lie: tuple[bool, str, int]) -> None:
    assert tg.Graph.from_arrow(Lying(table, True, "length", 4), relabel=True).m == 4
    with pytest.raises(tg.TachographError):
        tg.Graph.from_arrow(Lying(table, *lie), relabel=True)
