"""The earliest of many banks, and the oldest of those, in one pass over eight at once.

With NUMBA_BOUNDSCHECK=1 it is a plain loop whose accesses are checked.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils

from ....kernels.runtime.lanes import LANES, MISSING, _Lanes, _written
from ....kernels.runtime.launch import CHECKED, inline

I64 = ir.IntType(64)


@inline
def _checked_least(m, n, times, apart, keys, now, late):
    best = least = MISSING
    for i in range(n):
        key = m[keys + i]
        time = max(m[times + i], now) | (m[times + i + apart] & late) | (key & MISSING)
        if time < best or (time == best and key < least):
            best, least = time, key
    return best, least


def _least(lanes: _Lanes) -> ir.Value:
    """Every lane keeps its own best time and key; the best of the eight comes at the end."""
    n, *about = lanes.args
    b, nothing = lanes.builder, lanes.all(I64(MISSING))
    best, least = (cgutils.alloca_once_value(b, nothing) for _ in range(2))
    with cgutils.for_range_slice(b, I64(0), n, I64(LANES), I64) as (first, _):
        key, time = lanes.times(first, *about)
        old_time, old_key = b.load(best), b.load(least)
        earlier = b.icmp_signed("<", time, old_time)
        older = b.and_(b.icmp_signed("==", time, old_time), b.icmp_signed("<", key, old_key))
        b.store(b.select(earlier, time, old_time), best)
        b.store(b.select(b.or_(earlier, older), key, old_key), least)
    found = lanes._least(b.load(best))
    same = b.icmp_signed("==", b.load(best), lanes.all(found))
    return cgutils.pack_array(b, [found, lanes._least(b.select(same, b.load(least), nothing))])


#: ``least_time_and_key(array, n, times, apart, keys, now, late)``: of ``n`` entries the least time
#: (``_Lanes.times``) and, of those with that time, the least key; the key of no time means nothing.
least_time_and_key = (
    _checked_least if CHECKED else _written(6, types.UniTuple(types.int64, 2))(_least)
)
