"""Machine instructions that Numba has no name for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["eight_bytes", "stopped", "trailing_zeros"]


@intrinsic
def eight_bytes(typing: Any, array: Any, at: Any) -> Any:
    """``array[at:at + 8]`` (uint8) as one little-endian uint64. The caller keeps it in bounds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1, typ=ir.IntType(64))

    return types.uint64(array, types.int64), generate


@intrinsic
def trailing_zeros(typing: Any, x: Any) -> Any:
    """Number of 0 bits below the lowest 1 bit of a uint64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


@intrinsic
def stopped(typing: Any, stop: Any) -> Any:
    """Whether ``stop[0]`` (int64) was raised: an atomic load, which no optimiser keeps from looking."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        flag = builder.load_atomic(data, "monotonic", 8, typ=ir.IntType(64))
        return builder.icmp_signed("!=", flag, ir.Constant(ir.IntType(64), 0))

    return types.boolean(stop), generate
