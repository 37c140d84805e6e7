"""The parser against Python's own int and float."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tachograph.kernels.text import numbers, parse


def run(text: bytes, *, fields=2, tag=b"", column=-1, base=0, ids=np.int32, comments=b"#%"):
    data = np.frombuffer(text, np.uint8)
    assert data[-1] == 10
    room = data.size // 4 + 1
    source, target = np.empty(room, ids), np.empty(room, ids)
    weight = np.empty(room if column >= 0 else 0, np.float64)
    late = np.zeros(room, np.int64)
    state = np.zeros(parse.STATE_SLOTS, np.int64)
    table = parse.classes(comments=comments)
    letter = tag[0] if tag else 0
    form = parse.Form(table, letter, fields, column, base, np.iinfo(ids).max)
    edges = parse.Edges(source, target, weight, late)
    parse.parse_edges(np.zeros(1, np.int64), data, 0, data.size, form, edges, state)
    k = state[parse.RECORDS]
    return source[:k].tolist(), target[:k].tolist(), weight[:k].tolist(), late[:k], state


separators = st.sampled_from([" ", "\t", ",", "  ", " , ", "\t ", ", "])
ends = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n# 1 2\n", "\n  % x\n"])


@given(
    st.lists(st.tuples(st.integers(0, 2**31 - 2), st.integers(0, 2**31 - 2)), max_size=8), st.data()
)
@settings(max_examples=150, deadline=None)
def test_ids_in_any_spacing(pairs, data):
    text = "# head\n" + "".join(
        data.draw(st.sampled_from(["", " "]))
        + str(u)
        + data.draw(separators)
        + str(v)
        + data.draw(ends)
        for u, v in pairs
    )
    source, target, _, _, state = run(text.encode())
    assert state[parse.ERROR] == numbers.OK
    assert list(zip(source, target, strict=True)) == pairs
    assert state[parse.LINES] == text.count("\n")


@given(st.integers(0, 2**70))
@example(2**63 - 1)
@example(2**63 - 2)
@example(2**31 - 1)
@example(2**31 - 2)
@example(10**18)
@settings(deadline=None)
def test_large_ids_fit_or_are_reported(x):
    for ids in (np.int32, np.int64):
        source, _, _, _, state = run(f"{x:030} 0\n".encode(), ids=ids)
        if x < np.iinfo(ids).max:
            assert source == [x]
        else:
            assert state[parse.ERROR] == numbers.TOO_LARGE


def number_of(text: str) -> float | None:
    _, _, weight, late, state = run(f"0 1 {text}\n".encode(), fields=3, column=2)
    assert state[parse.ERROR] == numbers.OK
    return None if late[0] else weight[0]


def same(a: float, b: float) -> bool:
    return struct.pack("d", a) == struct.pack("d", b)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.0)
@example(-0.0)
@example(1e22)
@example(9007199254740993.0)
@settings(max_examples=500, deadline=None)
def test_weights_are_what_python_reads(x):
    for text in (repr(x), f"{x:.17e}", f"{x:.3f}", f"+{abs(x)!r}"):
        found = number_of(text)
        assert found is None or same(found, float(text))


@given(st.integers(0, 2**64 - 1), st.integers(-400, 400))
@example(2**53 + 1, 0)
@example((2**53 + 1) * 5, -1)
@example(2**64 - 1, 0)
@example(8, -324)
@settings(max_examples=1000, deadline=None)
def test_decimals_are_rounded_correctly_or_left_open(mantissa, exponent):
    box = np.zeros(1, np.uint64)
    if numbers.decimal_to_float(np.uint64(mantissa), exponent, box):
        assert same(box.view(np.float64)[0], float(f"{mantissa}e{exponent}"))
    else:  # rare: only near the ends of the range
        assert not 1e-300 < float(f"{mantissa}e{exponent}") < 1e300


@given(st.binary(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_bytes_end_in_records_or_an_error(raw):
    for tag in (b"", b"a"):
        *_, state = run(raw + b"\n", fields=3, column=2, tag=tag)
        assert 0 <= state[parse.OFFSET] <= len(raw) + 1
        assert state[parse.ERROR] or state[parse.LINES] == raw.count(b"\n") + 1


def test_each_error_has_its_code():
    cases = {
        b"1 x\n": numbers.NOT_AN_ID,
        b"1.5 2\n": numbers.NOT_AN_ID,
        b"1 -2\n": numbers.NEGATIVE,
        b"1\n": numbers.TOO_FEW,
        b"1 2 3\n": numbers.RAGGED,
        b"1,,2\n": numbers.EMPTY_FIELD,
        b"1,2,\n": numbers.EMPTY_FIELD,
    }
    for text, code in cases.items():
        assert run(text)[-1][parse.ERROR] == code, text
    assert run(b"0 1\n", base=1)[-1][parse.ERROR] == numbers.BELOW_BASE
    assert run(b"b 1 1\n", tag=b"a")[-1][parse.ERROR] == numbers.WRONG_TAG
    weights = {b"nan": numbers.NOT_FINITE, b"-inf": numbers.NOT_FINITE, b"1e": numbers.NOT_A_NUMBER,
               b".": numbers.NOT_A_NUMBER, b"1x": numbers.NOT_A_NUMBER, b"--1": numbers.NOT_A_NUMBER}  # fmt: skip
    for word, code in weights.items():
        assert run(b"0 1 " + word + b"\n", fields=3, column=2)[-1][parse.ERROR] == code, word


@given(st.lists(st.lists(st.integers(0, 10**12), max_size=5), max_size=6))
@settings(deadline=None)
def test_rows_of_any_length(rows):
    text = "".join("% c\n" + " ".join(map(str, row)) + "\n" for row in rows).encode() or b"%\n"
    data = np.frombuffer(text, np.uint8)
    values, lengths = np.empty(data.size // 2 + 1, np.int64), np.empty(data.size, np.int64)
    state = np.zeros(parse.STATE_SLOTS, np.int64)
    stop = np.zeros(1, np.int64)
    parse.parse_rows(stop, data, 0, data.size, parse.classes(comments=b"%"), values, lengths, state)
    assert lengths[: state[parse.RECORDS]].tolist() == [len(row) for row in rows]
    assert values[: state[parse.NUMBERS]].tolist() == [x for row in rows for x in row]
