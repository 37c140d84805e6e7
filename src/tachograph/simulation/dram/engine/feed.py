"""A list of requests through one port, or through one port for each channel.

There is a short way for runs: reads of one open row that come one after the other into a full queue.
If every queued request reads the same open row and nothing else is going on, the oldest goes, the
next one takes its place in the same tick, and so on at a fixed distance, until a request for another
row comes or a refresh is due. The plan would find the same, step by step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....kernels.runtime.atomics import ld, st, stopped
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .commands import column_times
from .counters import add, classify, count_column
from .port import (
    FOR_EVER,
    NO_GOAL,
    ROOM,
    accept,
    advance_to,
    answered,
    has_room,
    log_is_full,
    set_high,
    settle,
)
from .queues import locate
from .waiting import entry_at

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


@inline
def running(m, o):
    """The bank whose open row all queued requests read, with that planned next; else -1."""
    kind = ld(m, o + L.PLAN_KIND)
    if kind != L.AS_QUEUED and kind != L.AS_OLDEST:
        return -1
    alone = ld(m, o + L.BUSY) == 1 and ld(m, o + L.BUSY + 1) == 0 and ld(m, o + L.LENGTH) > 1
    if not alone or ld(m, o + L.WRITING) != 0 or ld(m, o + L.POLICY) != L.OPEN_ROW:
        return -1
    if ld(m, o + L.ACTIVATED) != 0 or ld(m, o + L.REFRESHES) != 0:
        return -1
    if ld(m, o + L.OPENING) >= 0 or ld(m, o + L.FIXED) != 0 or ld(m, o + L.HALFWAY) != 0:
        return -1
    bank = ld(m, entry_at(o, ld(m, o + L.HEAD)) + L.E_BANK)
    return bank if ld(m, bank + L.B_MISS) == L.NONE else -1


@inline
def _close_ring(m, o, bank):
    """Join both ends of the list of queued reads, which is the bank's, too; its first request."""
    first, last = ld(m, o + L.HEAD), ld(m, o + L.TAIL)
    for link in (L.E_NEXT, L.E_BANK_NEXT):
        st(m, entry_at(o, last) + link, first)
        st(m, entry_at(o, first) + link + 1, last)
    return first


@inline
def _open_ring(m, o, bank, first):
    """Make a list again of the ring of queued reads, beginning with ``first``."""
    last = ld(m, entry_at(o, first) + L.E_BEFORE)
    for link in (L.E_NEXT, L.E_BANK_NEXT):
        st(m, entry_at(o, last) + link, -1)
        st(m, entry_at(o, first) + link + 1, -1)
    for head in (o + L.HEAD, bank + L.B_HEAD):
        st(m, head, first)
        st(m, head + L.TO_TAIL, last)


@inline
def stream(m, o, bank, k, now, requests, first):
    """Take requests from number ``k`` on as long as they go on with the run; the next, and the time.

    The oldest request is done, and its place in the pool is taken by the new one, which is the last
    now: the list is a ring for as long. Ends before a refresh is due and before a full log.
    """
    addresses, writes, _, idents = requests
    read = np.int64(0)  # a plain 0 would have helpers compiled twice
    row, number = ld(m, bank + L.B_OPEN), ld(m, bank + L.B_NUMBER)
    due, step = ld(m, o + L.NEXT_REFRESH), ld(m, o + L.GAPS)
    tick, begun, serial = ld(m, o + L.PLAN_TICK), k, ld(m, o + L.SERIAL)
    e = _close_ring(m, o, bank)
    while k < addresses.size and writes[k] == 0 and tick < due:
        place, b, r = locate(m, addresses[k])
        if place != o or b != number or r != row or log_is_full(m, o):
            break
        x = entry_at(o, e)
        if ld(m, x + L.E_FIRST) != 0:
            classify(m, o, tick, bank, row)
        add(m, o + L.WAIT, tick - ld(m, x + L.E_ARRIVAL))
        count_column(m, o, tick, x, bank, read)
        st(m, x + L.E_ADDRESS, addresses[k])
        st(m, x + L.E_ARRIVAL, tick)
        st(m, x + L.E_IDENT, idents[k] if idents.size > 0 else first + k)
        st(m, x + L.E_FIRST, 1)
        st(m, x + L.E_KEY, (serial << L.KEY_BITS) | e)
        e, serial = ld(m, x + L.E_NEXT), serial + 1
        if addresses[k] >> ld(m, L.BYTES_SHIFT) >= ld(m, L.LINES):
            add(m, o + L.WRAPPED, 1)
        add(m, o + L.STALLS, tick - now)
        now = tick + 1
        tick += step
        k += 1
    _open_ring(m, o, bank, e)
    if k > begun:
        st(m, o + L.SERIAL, serial)
        add(m, o + L.READS, k - begun)
        add(m, bank + L.B_USES, k - begun - 1)
        column_times(m, o, now - 1, bank, read)
        st(m, bank + L.B_HIT, ld(m, entry_at(o, e) + L.E_KEY))
        st(m, o + L.DONE, now - 1)
        st(m, o + L.PLAN_KIND, L.NOTHING)
    return k, now


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
        if not has_room(m, o, w) and not answered(m, o, w, number, address):
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
            add(m, o + L.STALLS, ld(m, o + L.DONE) - now)
            now = ld(m, o + L.DONE)
        ident = idents[k] if named else control[FIRST_NUMBER] + k
        accept(m, o, w, number, row, address, ident, now)
        k += 1
        now += 1
    control[NEXT], control[TIME] = k, now
    if k < addresses.size or not last:
        return k == addresses.size
    for channel in range(ld(m, L.CHANNELS)):
        if not advance_to(m, L.BLOCKS + channel * ld(m, L.STRIDE), now, NO_GOAL):
            return False
    set_high(m, 0)
    control[END] = settle(m, now + (1 if ld(m, L.BLOCKS + L.VERSION) == 1 else 0))
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
