"""Machine instructions that Numba has no name for: atomics, raw loads and stores, the clock.

``ld`` and ``st`` do without the test for negative indices; with NUMBA_BOUNDSCHECK=1 their accesses are
checked. Everything here works on one-dimensional contiguous arrays.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from functools import partial

from llvmlite import ir
from llvmlite.ir import Value
from numba import types
from numba.core import cgutils
from numba.core.types import Type
from numba.extending import intrinsic

from .launch import CHECKED, inline

I32, I64 = ir.IntType(32), ir.IntType(64)
STEPS_BETWEEN_LOOKS = 1 << 12  # how often a loop looks at the stop flag
MONOTONIC = {"darwin": 6}.get(sys.platform, 1)  # CLOCK_MONOTONIC

Intrinsic = Callable[..., object]


def _data(context, builder, signature, args, at):
    """The address of the first entry of the array that is argument ``at``."""
    return context.make_array(signature.args[at])(context, builder, args[at]).data


def _on_entry(write: Callable[..., Value | None], result: Type | None = None) -> Intrinsic:
    """An intrinsic ``f(array, index, *values)`` that returns ``result``, by default an entry.

    ``write(builder, place, kind, *values)`` writes its code, with the address and the type of the
    entry, and up to two values converted to that type.
    """
    values = write.__code__.co_argcount - 3

    def typed(array, *others):
        def generate(context, builder, signature, args):
            wanted = [types.int64] + [array.dtype] * values
            given = zip(args[1:], signature.args[1:], wanted, strict=True)
            index, *rest = [context.cast(builder, *one) for one in given]
            data = _data(context, builder, signature, args, 0)
            place = builder.gep(data, [index], inbounds=True)
            written = write(builder, place, array.dtype, *rest)
            return context.get_dummy_value() if result is types.void else written

        return (result or array.dtype)(array, *others), generate

    by_values = (  # Numba wants to see how many arguments there are
        lambda typing, array, index: typed(array, index),
        lambda typing, array, index, value: typed(array, index, value),
        lambda typing, array, index, old, new: typed(array, index, old, new),
    )
    return intrinsic(by_values[values])


_returns_nothing = partial(_on_entry, result=types.void)


def _bytes(kind):
    return kind.bitwidth // 8


@inline
def checked_load(array, index):
    return array[index]


@inline
def checked_store(array, index, value):
    array[index] = value


#: ``array[index]`` and ``array[index] = value``.
ld: Intrinsic = (
    checked_load if CHECKED else _on_entry(lambda builder, place, kind: builder.load(place))
)
st: Intrinsic = (
    checked_store
    if CHECKED
    else _returns_nothing(lambda builder, place, kind, value: builder.store(value, place))
)


@_on_entry
def ld_acquire(builder, place, kind):
    """``array[index]`` as other threads stored it with :func:`st_release`."""
    return builder.load_atomic(place, "acquire", _bytes(kind))


@_returns_nothing
def st_release(builder, place, kind, value):
    """``array[index] = value``, and everything stored before it, for other threads to see."""
    builder.store_atomic(value, place, "release", _bytes(kind))


@intrinsic
def stopped(typing, stop):
    """Whether ``stop[0]`` (int64) was raised: an atomic load, which no optimiser can drop."""

    def generate(context, builder, signature, args):
        flag = builder.load_atomic(_data(context, builder, signature, args, 0), "monotonic", 8)
        return builder.icmp_signed("!=", flag, I64(0))

    return types.boolean(stop), generate


@inline
def stop_at(stop, step):
    """Whether ``stop[0]`` was raised; looks once in ``STEPS_BETWEEN_LOOKS`` steps."""
    return step % STEPS_BETWEEN_LOOKS == 0 and stopped(stop)


@partial(_on_entry, result=types.boolean)
def compare_exchange(builder, place, kind, old, new):
    """Replace ``array[index]`` by ``new`` if it is ``old``; whether that happened."""
    if isinstance(kind, types.Float):  # compared as bits
        bits = ir.IntType(kind.bitwidth)
        place = builder.bitcast(place, bits.as_pointer())
        old, new = builder.bitcast(old, bits), builder.bitcast(new, bits)
    return builder.extract_value(builder.cmpxchg(place, old, new, "acq_rel", "monotonic"), 1)


def _fetch(signed: str, unsigned: str) -> Intrinsic:
    """An atomic read-modify-write that returns the old value."""

    def write(builder, place, kind, value):
        return builder.atomic_rmw(signed if kind.signed else unsigned, place, value, "acq_rel")

    return _on_entry(write)


fetch_add: Intrinsic = _fetch("add", "add")
fetch_min: Intrinsic = _fetch("min", "umin")
fetch_or: Intrinsic = _fetch("or", "or")


@_returns_nothing
def prefetch(builder, place, kind):
    """Ask for the cache line of ``array[index]``; changes nothing, even out of bounds."""
    place = builder.bitcast(place, ir.IntType(8).as_pointer())
    takes = ir.FunctionType(ir.VoidType(), [place.type, I32, I32, I32])
    fetch = cgutils.get_or_insert_function(builder.module, takes, "llvm.prefetch.p0")
    builder.call(fetch, [place, I32(0), I32(3), I32(1)])


@partial(_on_entry, result=types.uint64)
def eight_bytes(builder, place, kind):
    """``array[at:at + 8]`` (uint8) as one little-endian uint64. The caller keeps it in bounds."""
    return builder.load(builder.bitcast(place, I64.as_pointer()), align=1, typ=I64)


def _four(condition: str) -> Intrinsic:
    """Compare four elements from ``array[at]`` on with a value: bits, the lowest for ``array[at]``."""

    @partial(_on_entry, result=types.int64)
    def compare(builder, place, kind, value):
        four = ir.VectorType(value.type, 4)
        place = builder.bitcast(place, four.as_pointer())
        row = builder.load(place, align=_bytes(kind), typ=four)
        same = ir.Constant(four, ir.Undefined)
        for i in range(4):
            same = builder.insert_element(same, value, I32(i))
        found = builder.icmp_signed(condition, row, same)
        return builder.zext(builder.bitcast(found, ir.IntType(4)), I64)

    @inline
    def checked(array, at, value):
        ld(array, at + 3)
        return compare(array, at, value)

    return checked if CHECKED else compare


four_equal = _four("==")
four_below = _four("<")


@intrinsic
def trailing_zeros(typing, x):
    """Number of 0 bits below the lowest 1 bit of a uint64 that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


@intrinsic
def bit_length(typing, x):
    """Number of bits needed to write an int64 that is not negative."""

    def generate(context, builder, signature, args):
        return builder.sub(I64(64), builder.ctlz(args[0], cgutils.false_bit))

    return types.int64(types.int64), generate


@intrinsic
def ask(typing, address, state, parameters):
    """The answer (int64) of the compiled function at ``address`` to two arrays of float64."""

    def generate(context, builder, signature, args):
        data = [_data(context, builder, signature, args, at) for at in (1, 2)]
        kind = ir.FunctionType(I64, [pointer.type for pointer in data])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), data)

    return types.int64(types.int64, state, parameters), generate


@intrinsic
def nanoseconds(typing, box):
    """The monotonic clock; ``box`` is scratch space of two int64."""

    def generate(context, builder, signature, args):
        data = _data(context, builder, signature, args, 0)
        kind = ir.FunctionType(I32, [I32, data.type])
        clock = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(clock, [I32(MONOTONIC), data])
        rest = builder.load(builder.gep(data, [I64(1)]))
        return builder.add(builder.mul(builder.load(data), I64(10**9)), rest)

    return types.int64(box), generate


def _act(write: Callable[..., object]) -> Intrinsic:
    """An intrinsic that takes and returns nothing."""

    @intrinsic
    def act(typing):
        def generate(context, builder, signature, args):
            write(builder)
            return context.get_dummy_value()

        return types.void(), generate

    return act


@_act
def rolled(builder):
    """Leave the loop around this as it is written: no unrolling.

    A loop over a row ends somewhere else each time, which the processor cannot foresee. Unrolled, it
    has several such ends, and each wrong guess throws away the loads that were already under way: sums
    over rows of 32 random entries take 1.6 times as long. Works by an instruction of no length that
    must not be copied to where other conditions hold.
    """
    nothing = builder.asm(ir.FunctionType(ir.VoidType(), []), "", "", [], True)
    nothing.attributes.update(("convergent", "nounwind", "readnone"))


def _call(name: str, result: ir.Type) -> Intrinsic:
    """A function of the C library or of LLVM that takes nothing."""
    kind = ir.FunctionType(result, [])
    return _act(lambda b: b.call(cgutils.get_or_insert_function(b.module, kind, name), []))


# What a waiting thread does: tell the core that it waits; let another thread have the core.
_x86 = platform.machine().lower() in ("x86_64", "amd64", "i686")
pause = _call("llvm.x86.sse2.pause" if _x86 else "llvm.donothing", ir.VoidType())
let_others_run = _call("SwitchToThread" if sys.platform == "win32" else "sched_yield", I32)
