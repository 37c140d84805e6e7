"""A list of requests through one port, or through one port for each channel."""

from __future__ import annotations

import numpy as np

from ....kernels.machine import ld, st, stopped
from ....kernels.runtime import kernel
from .address import locate
from .layout import DONE, STALLS
from .port import accept, advance_channel, has_room, log_is_full, next_tick

#: Words of the control array: the next request, the time, the number of the first request.
NEXT, TIME, FIRST = range(3)
PATIENCE = 1 << 12  # requests between looks at the stop flag


@kernel
def feed(stop, m, control, addresses, writes, arrivals):
    """Offer requests in order, one a tick, each not before its arrival; True when all are taken.

    A request that finds its queue full is offered again in every tick and holds up those behind it.
    Channels are brought up to date only when a request comes for them. False: a log must be emptied,
    or the work was stopped; call again to go on.
    """
    k, now = control[NEXT], control[TIME]
    timed = arrivals.size > 0
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
        full = False
        while not full and not has_room(m, o, w):
            full = not advance_channel(m, o, next_tick(m, o))
        if full or log_is_full(m, o):
            break
        if ld(m, o + DONE) > now:
            st(m, o + STALLS, ld(m, o + STALLS) + ld(m, o + DONE) - now)
            now = ld(m, o + DONE)
        accept(m, o, w, number, row, address, control[FIRST] + k, now)
        k += 1
        now += 1
    control[NEXT], control[TIME] = k, now
    return k == addresses.size
