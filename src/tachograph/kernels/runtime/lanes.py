"""Loops over an int64 array, eight neighbouring entries at once.

Compilers turn a loop into such instructions only if it is long and simple; these are short ones. They
look at whole groups of eight, also at what lies behind the last entry asked for. With
NUMBA_BOUNDSCHECK=1 they are plain loops whose accesses are checked.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .atomics import I32, I64, _data
from .launch import CHECKED, inline

LANES = 8  # entries of 8 bytes: 512 bits
MISSING = 1 << 62  # the bit of a key that stands for no key
VECTOR = ir.VectorType(I64, LANES)


class _Lanes:
    """Writes instructions on eight entries of the array that is the first argument."""

    def __init__(self, context, builder, signature, args) -> None:
        self.builder = builder
        self.data = _data(context, builder, signature, args, 0)
        given = zip(args[1:], signature.args[1:], strict=True)
        self.args = [context.cast(builder, a, kind, types.int64) for a, kind in given]

    def _place(self, index):
        place = self.builder.gep(self.data, [index], inbounds=True)
        return self.builder.bitcast(place, VECTOR.as_pointer())

    def load(self, index):
        return self.builder.load(self._place(index), align=8)

    def store(self, index, value):
        self.builder.store(value, self._place(index), align=8)

    def all(self, value):
        """A vector of equal entries."""
        one = self.builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, I32(0))
        nowhere = ir.Constant(VECTOR, ir.Undefined)
        return self.builder.shuffle_vector(
            one, nowhere, ir.Constant(ir.VectorType(I32, LANES), [0] * LANES)
        )

    def larger(self, a, b):
        return self.builder.select(self.builder.icmp_signed(">", a, b), a, b)

    def least_in_groups(self, n, found):
        """The least entry of the vectors ``found(first)`` for groups from 0 on, up to ``n`` entries."""
        b = self.builder
        best = cgutils.alloca_once_value(b, self.all(I64(MISSING)))
        with cgutils.for_range_slice(b, I64(0), n, I64(LANES), I64) as (first, _):
            new, old = found(first), b.load(best)
            b.store(b.select(b.icmp_signed("<", new, old), new, old), best)
        return self._least(b.load(best))

    def _least(self, a):
        kind = ir.FunctionType(I64, [VECTOR])
        name = f"llvm.vector.reduce.smin.v{LANES}i64"
        found = self.builder.module.globals.get(name)
        return self.builder.call(found or ir.Function(self.builder.module, kind, name), [a])

    def times(self, first, times, apart, keys, now, late):
        """Keys, and for each the later of its time and ``now``, far away if there is no key.

        Bits of ``late`` are added where the entry ``apart`` words behind the time is -1.
        """
        b, at = self.builder, self.builder.add(times, first)
        key, masks = self.load(b.add(keys, first)), self.load(b.add(at, apart))
        time = b.or_(self.larger(self.load(at), self.all(now)), b.and_(masks, self.all(late)))
        return key, b.or_(time, b.and_(key, self.all(I64(MISSING))))


def _written(count: int, result: types.Type) -> Callable[[Callable[..., object]], object]:
    """An intrinsic of an array and ``count`` integers, whose code is written with :class:`_Lanes`."""

    def decorate(write):
        def typed(typing, array, *others):
            def generate(context, builder, signature, args):
                found = write(_Lanes(context, builder, signature, args))
                return context.get_dummy_value() if result is types.void else found

            return result(array, *others), generate

        by_count = {  # Numba wants to see how many arguments there are
            5: lambda typing, m, a, b, c, d, e: typed(typing, m, a, b, c, d, e),
            6: lambda typing, m, a, b, c, d, e, f: typed(typing, m, a, b, c, d, e, f),
            7: lambda typing, m, a, b, c, d, e, f, g: typed(typing, m, a, b, c, d, e, f, g),
        }
        return intrinsic(by_count[count])

    return decorate


@inline
def _time(m, times, apart, keys, now, late):
    return max(m[times], now) | (m[times + apart] & late) | (m[keys] & MISSING)


@inline
def _checked_least_time(m, n, times, apart, keys, now, late):
    best = MISSING
    for i in range(n):
        best = min(best, _time(m, times + i, apart, keys + i, now, late))
    return best


@inline
def _checked_least_key(m, n, times, apart, keys, now, late, best):
    key = MISSING
    for i in range(n):
        if _time(m, times + i, apart, keys + i, now, late) == best:
            key = min(key, m[keys + i])
    return key


@inline
def _checked_raise_where(m, at, masks, wanted, value, n):
    for i in range(n):
        if m[masks + i] == wanted:
            m[at + i] = max(m[at + i], value)


def _least_time(lanes):
    n, *about = lanes.args
    return lanes.least_in_groups(n, lambda first: lanes.times(first, *about)[1])


def _least_key(lanes):
    n, *about, best = lanes.args
    b, nothing = lanes.builder, lanes.all(I64(MISSING))

    def chosen(first):
        key, time = lanes.times(first, *about)
        return b.select(b.icmp_signed("==", time, lanes.all(best)), key, nothing)

    return lanes.least_in_groups(n, chosen)


def _raise_where(lanes):
    at, masks, wanted, value, n = lanes.args
    b, numbers = lanes.builder, ir.Constant(VECTOR, list(range(LANES)))
    with cgutils.for_range_slice(b, I64(0), n, I64(LANES), I64) as (first, _):
        place = b.add(at, first)
        chosen = b.and_(
            b.icmp_signed("==", lanes.load(b.add(masks, first)), lanes.all(wanted)),
            b.icmp_signed("<", numbers, lanes.all(b.sub(n, first))),
        )
        old = lanes.load(place)
        lanes.store(place, b.select(chosen, lanes.larger(old, lanes.all(value)), old))


#: ``least_time(array, n, times, apart, keys, now, late)``: the least of ``n`` times (``_Lanes.times``).
least_time = _checked_least_time if CHECKED else _written(6, types.int64)(_least_time)
#: ``least_key(..., best)``: of those whose time is ``best``, the least key.
least_key = _checked_least_key if CHECKED else _written(7, types.int64)(_least_key)
#: ``raise_where(array, at, masks, wanted, value, n)``: raise ``n`` entries to ``value`` where that of
#: ``masks`` is ``wanted``.
raise_where = _checked_raise_where if CHECKED else _written(5, types.void)(_raise_where)
