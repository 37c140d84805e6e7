"""A list of requests through one port, or through one port for each channel."""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.atomics import ld, st, stopped
from ....kernels.runtime.launch import kernel
from .address import locate
from .layout import BLOCKS, CHANNELS, DONE, NONE, STALLS, STRIDE
from .port import (
    ROOM,
    accept,
    advance_channel,
    advance_to,
    has_room,
    log_is_full,
    set_high,
    settle,
)
from .stream import running, stream

#: Words of the control array: the next request, the time, the number of the first request, and the
#: tick by which all was done.
NEXT, TIME, FIRST, END = range(4)
CONTROLS = 4
PATIENCE = 1 << 12  # requests between looks at the stop flag


@kernel
def feed(stop, m, control, addresses, writes, arrivals, idents, last):
    """Offer requests in order, one a tick, each not before its arrival; True when all are taken.

    A request that finds its queue full is offered again in every tick and holds up those behind it.
    Channels are brought up to date only when a request comes for them. False: a log must be emptied,
    or the work was stopped; call again to go on. Requests are called by their number in the list,
    counted from ``control[FIRST]``, or by ``idents``. After the ``last`` ones all that waits is done;
    ``control[END]`` is the tick of the end. (One loop for both, since each takes seconds to compile.)
    """
    k, now = control[NEXT], control[TIME]
    timed, named = arrivals.size > 0, idents.size > 0
    while k < addresses.size:
        if k % PATIENCE == 0 and stopped(stop):
            break
        if timed:
            now = max(now, arrivals[k])
        address = addresses[k]
        o, number, row = locate(m, address)
        w = np.int64(writes[k])
        if not advance_channel(m, o, now):
            break
        if not has_room(m, o, w):
            bank = running(m, o)
            if bank >= 0 and w == 0 and not timed:
                taken, now = stream(m, o, bank, k, now, addresses, writes, idents, control[FIRST])
                if taken > k:
                    k = taken
                    continue
            if not advance_to(m, o, NONE, ROOM + w):
                break
        if log_is_full(m, o):
            break
        if ld(m, o + DONE) > now:
            st(m, o + STALLS, ld(m, o + STALLS) + ld(m, o + DONE) - now)
            now = ld(m, o + DONE)
        accept(m, o, w, number, row, address, idents[k] if named else control[FIRST] + k, now)
        k += 1
        now += 1
    control[NEXT], control[TIME] = k, now
    if k < addresses.size or not last:
        return k == addresses.size
    for channel in range(ld(m, CHANNELS)):
        if not advance_channel(m, BLOCKS + channel * ld(m, STRIDE), now):
            return False
    set_high(m, 0)
    control[END] = settle(m, now + 1)
    return control[END] >= 0


@kernel
def feed_channels(stop, m, lo, hi, starts, controls, addresses, writes, arrivals, idents):
    """Channels ``lo`` to ``hi``, each with a port of its own and its own part of the lists."""
    done = True
    for channel in range(lo, hi):
        first, last = starts[channel], starts[channel + 1]
        due = arrivals[first:last] if arrivals.size > 0 else arrivals
        done &= feed(stop, m, controls[channel], addresses[first:last], writes[first:last], due,
                     idents[first:last], False)  # fmt: skip
    return done


@kernel
def channels_of(m, addresses, found):
    """The channel of every address."""
    for k in range(addresses.size):
        o, _, _ = locate(m, addresses[k])
        found[k] = (o - BLOCKS) // ld(m, STRIDE)
