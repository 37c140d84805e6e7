"""A list of requests through one port, or through one port for each channel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....kernels.runtime.atomics import ld, st, stopped
from ....kernels.runtime.launch import kernel
from . import layout as L
from .address import locate
from .port import (
    FOR_EVER,
    NO_GOAL,
    ROOM,
    accept,
    advance_to,
    has_room,
    log_is_full,
    set_high,
    settle,
)
from .stream import running, stream

#: Words of the control array: the next request, the time, the number of the first request, and the
#: tick by which all was done.
NEXT, TIME, FIRST_NUMBER, END = range(4)
CONTROLS = 4
REQUESTS_PER_LOOK = 1 << 12  # requests between two looks at the stop flag


class Requests(NamedTuple):
    """A list of requests: byte addresses, whether each writes, and, if given, when it arrives at the
    earliest and what it is called (else by its number).
    """

    addresses: np.ndarray
    writes: np.ndarray
    arrivals: np.ndarray
    idents: np.ndarray


@kernel
def feed(stop, m, control, requests, last):
    """Offer requests in order, one a tick, each not before its arrival; True when all are taken.

    A request that finds its queue full is offered again in every tick and holds up those behind it.
    Channels are brought up to date only when a request comes for them. False means that a log must be
    emptied, or that the work was stopped; call again to go on. Requests are called by their number in
    the list, counted from ``control[FIRST_NUMBER]``, or by ``idents``. After the ``last`` ones all that
    waits is done, and ``control[END]`` is the tick of the end. (One loop does both, since each takes
    seconds to compile.)
    """
    addresses, writes, arrivals, idents = requests
    k, now = control[NEXT], control[TIME]
    timed, named = arrivals.size > 0, idents.size > 0
    while k < addresses.size:
        if k % REQUESTS_PER_LOOK == 0 and stopped(stop):
            break
        if timed:
            now = max(now, arrivals[k])
        address = addresses[k]
        o, number, row = locate(m, address)
        w = np.int64(writes[k])
        if not advance_to(m, o, now, NO_GOAL):
            break
        if not has_room(m, o, w):
            bank = running(m, o)
            if bank >= 0 and w == 0 and not timed:
                taken, now = stream(m, o, bank, k, now, requests, control[FIRST_NUMBER])
                if taken > k:
                    k = taken
                    continue
            if not advance_to(m, o, FOR_EVER, ROOM + w):
                break
        if log_is_full(m, o):
            break
        if ld(m, o + L.DONE) > now:
            st(m, o + L.STALLS, ld(m, o + L.STALLS) + ld(m, o + L.DONE) - now)
            now = ld(m, o + L.DONE)
        accept(
            m, o, w, number, row, address, idents[k] if named else control[FIRST_NUMBER] + k, now
        )
        k += 1
        now += 1
    control[NEXT], control[TIME] = k, now
    if k < addresses.size or not last:
        return k == addresses.size
    for channel in range(ld(m, L.CHANNELS)):
        if not advance_to(m, L.BLOCKS + channel * ld(m, L.STRIDE), now, NO_GOAL):
            return False
    set_high(m, 0)
    control[END] = settle(m, now + 1)
    return control[END] >= 0


@kernel
def feed_channels(stop, m, lo, hi, starts, controls, requests):
    """Channels ``lo`` to ``hi``, each with a port of its own and its own part of the lists."""
    addresses, writes, arrivals, idents = requests
    done = True
    for channel in range(lo, hi):
        a, b = starts[channel], starts[channel + 1]
        due = arrivals[a:b] if arrivals.size > 0 else arrivals
        own = Requests(addresses[a:b], writes[a:b], due, idents[a:b])
        done &= feed(stop, m, controls[channel], own, False)
    return done


@kernel
def channels_of(m, addresses, found):
    """The channel of every address."""
    for k in range(addresses.size):
        o, _, _ = locate(m, addresses[k])
        found[k] = (o - L.BLOCKS) // ld(m, L.STRIDE)
