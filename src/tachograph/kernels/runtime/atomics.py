"""Machine instructions that Numba has no name for: atomics, raw loads and stores, the clock.

``ld`` and ``st``, and ``peek`` and ``poke`` for an array in a tuple, do without the test for negative
indices; with NUMBA_BOUNDSCHECK=1 their accesses are checked. Everything here works on one-dimensional
contiguous arrays.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder
from llvmlite.ir import Value
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext as Context
from numba.core.types import Type
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from .launch import CHECKED, inline

__all__ = [
    "ask",
    "bit_length",
    "compare_exchange",
    "eight_bytes",
    "fetch_add",
    "fetch_min",
    "fetch_or",
    "four_below",
    "four_equal",
    "ld",
    "ld_acquire",
    "let_others_run",
    "nanoseconds",
    "pause",
    "peek",
    "poke",
    "prefetch",
    "rolled",
    "st",
    "st_release",
    "stop_at",
    "stopped",
    "trailing_zeros",
]

I64 = ir.IntType(64)
STEPS_BETWEEN_LOOKS = 1 << 12  # how often a loop looks at the stop flag

Values = Sequence[Value]
# What an intrinsic returns: its types, and the function that writes its code.
Typed = tuple[Signature, Callable[[Context, Builder, Signature, Values], Value]]
Intrinsic = Callable[..., object]


def _place(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
    """The address of ``array[index]``."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    index = context.cast(builder, args[1], signature.args[1], types.int64)
    return builder.gep(data, [index], inbounds=True)


def _value(
    context: Context, builder: Builder, signature: Signature, args: Values, at: int
) -> Value:
    """Argument ``at`` converted to the array's type."""
    return context.cast(builder, args[at], signature.args[at], signature.args[0].dtype)


@intrinsic
def raw_load(typing: TypingContext, array: types.Array, index: Type) -> Typed:
    """``array[index]``, unchecked."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        return builder.load(_place(context, builder, signature, args))

    return array.dtype(array, index), generate


@intrinsic
def raw_store(typing: TypingContext, array: types.Array, index: Type, value: Type) -> Typed:
    """``array[index] = value``, unchecked."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        builder.store(_value(context, builder, signature, args, 2), place)
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@inline
def checked_load(array, index):
    return array[index]


@inline
def checked_store(array, index, value):
    array[index] = value


ld: Intrinsic = checked_load if CHECKED else raw_load
st: Intrinsic = checked_store if CHECKED else raw_store


def _place_of(
    context: Context, builder: Builder, signature: Signature, args: Values
) -> tuple[Value, Type]:
    """Of a tuple of arrays, the address of an entry of one of them, and that array's type."""
    which = signature.args[1].literal_value
    array = signature.args[0].types[which]
    one = builder.extract_value(args[0], which)
    if CHECKED:
        size = builder.extract_value(context.make_array(array)(context, builder, one).shape, 0)
        index = context.cast(builder, args[2], signature.args[2], types.int64)
        cgutils.do_boundscheck(context, builder, index, size)
    kinds = types.void(array, signature.args[2])
    return _place(context, builder, kinds, (one, args[2])), array.dtype


# Taking an array out of a tuple counts references, by two atomic operations each: these do not.


@intrinsic(prefer_literal=True)
def peek(typing: TypingContext, arrays: types.Tuple, which: types.Literal, index: Type) -> Typed:
    """``arrays[which][index]``."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        return builder.load(_place_of(context, builder, signature, args)[0])

    return arrays.types[which.literal_value].dtype(arrays, which, index), generate


@intrinsic(prefer_literal=True)
def poke(
    typing: TypingContext, arrays: types.Tuple, which: types.Literal, index: Type, value: Type
) -> Typed:
    """``arrays[which][index] = value``."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place, kind = _place_of(context, builder, signature, args)
        builder.store(context.cast(builder, args[3], signature.args[3], kind), place)
        return context.get_dummy_value()

    return types.void(arrays, which, index, types.unliteral(value)), generate


def _width(array: types.Array) -> int:
    """Bytes of an element."""
    return np.dtype(str(array.dtype)).itemsize


@intrinsic
def ld_acquire(typing: TypingContext, array: types.Array, index: Type) -> Typed:
    """``array[index]`` as other threads stored it with :func:`st_release`."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        kind = context.get_data_type(signature.args[0].dtype)
        return builder.load_atomic(place, "acquire", _width(signature.args[0]), typ=kind)

    return array.dtype(array, index), generate


@intrinsic
def st_release(typing: TypingContext, array: types.Array, index: Type, value: Type) -> Typed:
    """``array[index] = value``, and everything stored before it, for other threads to see."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        value = _value(context, builder, signature, args, 2)
        builder.store_atomic(value, place, "release", _width(array))
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@intrinsic
def compare_exchange(
    typing: TypingContext, array: types.Array, index: Type, old: Type, new: Type
) -> Typed:
    """Replace ``array[index]`` by ``new`` if it is ``old``; whether that happened."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        pair = [_value(context, builder, signature, args, at) for at in (2, 3)]
        if isinstance(signature.args[0].dtype, types.Float):  # compared as bits
            bits = ir.IntType(signature.args[0].dtype.bitwidth)
            place = builder.bitcast(place, bits.as_pointer())
            pair = [builder.bitcast(value, bits) for value in pair]
        done = builder.cmpxchg(place, *pair, "acq_rel", "monotonic")
        return builder.extract_value(done, 1)

    return types.boolean(array, index, old, new), generate


def _fetch(signed: str, unsigned: str) -> Intrinsic:
    """An atomic read-modify-write that returns the old value."""

    @intrinsic
    def fetch(typing: TypingContext, array: types.Array, index: Type, value: Type) -> Typed:
        def generate(
            context: Context, builder: Builder, signature: Signature, args: Values
        ) -> Value:
            place = _place(context, builder, signature, args)
            name = signed if signature.args[0].dtype.signed else unsigned
            value = _value(context, builder, signature, args, 2)
            return builder.atomic_rmw(name, place, value, "acq_rel")

        return array.dtype(array, index, value), generate

    return fetch


fetch_add: Intrinsic = _fetch("add", "add")
fetch_min: Intrinsic = _fetch("min", "umin")
fetch_or: Intrinsic = _fetch("or", "or")


@intrinsic
def prefetch(typing: TypingContext, array: types.Array, index: Type) -> Typed:
    """Ask for the cache line of ``array[index]``; changes nothing, even out of bounds."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        place = builder.bitcast(place, ir.IntType(8).as_pointer())
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, i32, i32, i32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [place, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate


@intrinsic
def rolled(typing: TypingContext) -> Typed:
    """Leave the loop around this as it is written: no unrolling.

    A loop over a row ends somewhere else each time, which the processor cannot foresee. Unrolled, it
    has several such ends, and each wrong guess throws away the loads that were already under way: sums
    over rows of 32 random entries take 1.6 times as long. Works by an instruction of no length that
    must not be copied to where other conditions hold.
    """

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        nothing = builder.asm(ir.FunctionType(ir.VoidType(), []), "", "", [], True)
        nothing.attributes.update(("convergent", "nounwind", "readnone"))
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def eight_bytes(typing: TypingContext, array: types.Array, at: Type) -> Typed:
    """``array[at:at + 8]`` (uint8) as one little-endian uint64. The caller keeps it in bounds."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        place = _place(context, builder, signature, args)
        return builder.load(builder.bitcast(place, I64.as_pointer()), align=1, typ=I64)

    return types.uint64(array, types.int64), generate


def _four(condition: str) -> Intrinsic:
    """Compare four elements from ``array[at]`` on with a value: bits, the lowest for ``array[at]``."""

    @intrinsic
    def compare(typing: TypingContext, array: types.Array, at: Type, value: Type) -> Typed:
        def generate(
            context: Context, builder: Builder, signature: Signature, args: Values
        ) -> Value:
            value = _value(context, builder, signature, args, 2)
            if CHECKED:
                size = context.make_array(signature.args[0])(context, builder, args[0]).shape
                last = builder.add(args[1], ir.Constant(I64, 3))
                cgutils.do_boundscheck(context, builder, last, builder.extract_value(size, 0))
            four = ir.VectorType(value.type, 4)
            place = _place(context, builder, signature, args)
            row = builder.load(
                builder.bitcast(place, four.as_pointer()), align=_width(array), typ=four
            )
            same = ir.Constant(four, ir.Undefined)
            for i in range(4):
                same = builder.insert_element(same, value, ir.Constant(ir.IntType(32), i))
            found = builder.icmp_signed(condition, row, same)
            return builder.zext(builder.bitcast(found, ir.IntType(4)), I64)

        return types.int64(array, types.int64, value), generate

    return compare


four_equal: Intrinsic = _four("==")
four_below: Intrinsic = _four("<")


@intrinsic
def trailing_zeros(typing: TypingContext, x: Type) -> Typed:
    """Number of 0 bits below the lowest 1 bit of a uint64 that is not 0."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


@intrinsic
def bit_length(typing: TypingContext, x: Type) -> Typed:
    """Number of bits needed to write an int64 that is not negative."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        zeros = builder.ctlz(args[0], cgutils.false_bit)
        return builder.sub(ir.Constant(I64, 64), zeros)

    return types.int64(types.int64), generate


@intrinsic
def stopped(typing: TypingContext, stop: Type) -> Typed:
    """Whether ``stop[0]`` (int64) was raised: an atomic load, which no optimiser can drop."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        flag = builder.load_atomic(data, "monotonic", 8, typ=I64)
        return builder.icmp_signed("!=", flag, ir.Constant(I64, 0))

    return types.boolean(stop), generate


@inline
def stop_at(stop, step):
    """Whether ``stop[0]`` was raised; looks once in ``STEPS_BETWEEN_LOOKS`` steps."""
    return step % STEPS_BETWEEN_LOOKS == 0 and stopped(stop)


@intrinsic
def ask(typing: TypingContext, address: Type, state: Type, parameters: Type) -> Typed:
    """The answer (int64) of the compiled function at ``address`` to two arrays of float64."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        data = [
            context.make_array(signature.args[at])(context, builder, args[at]).data for at in (1, 2)
        ]
        kind = ir.FunctionType(I64, [pointer.type for pointer in data])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, data)

    return types.int64(types.int64, state, parameters), generate


def _call(name: str, result: ir.Type) -> Intrinsic:
    """A function of the C library or of LLVM that takes nothing."""

    @intrinsic
    def call(typing: TypingContext) -> Typed:
        def generate(
            context: Context, builder: Builder, signature: Signature, args: Values
        ) -> Value:
            kind = ir.FunctionType(result, [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
            return context.get_dummy_value()

        return types.void(), generate

    return call


# What a waiting thread does: tell the core that it waits; let another thread have the core.
_x86 = platform.machine().lower() in ("x86_64", "amd64", "i686")
pause: Intrinsic = _call("llvm.x86.sse2.pause" if _x86 else "llvm.donothing", ir.VoidType())
let_others_run: Intrinsic = _call(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", ir.IntType(32)
)

MONOTONIC = {"darwin": 6}.get(sys.platform, 1)  # CLOCK_MONOTONIC


@intrinsic
def nanoseconds(typing: TypingContext, box: Type) -> Typed:
    """The monotonic clock; ``box`` is scratch space of two int64."""

    def generate(context: Context, builder: Builder, signature: Signature, args: Values) -> Value:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), data.type])
        clock = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(clock, [ir.Constant(ir.IntType(32), MONOTONIC), data])
        seconds = builder.load(data)
        rest = builder.load(builder.gep(data, [ir.Constant(I64, 1)]))
        return builder.add(builder.mul(seconds, ir.Constant(I64, 10**9)), rest)

    return types.int64(box), generate
