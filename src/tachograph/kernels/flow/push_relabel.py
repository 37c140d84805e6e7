"""Maximum flow by pushing excess along falling heights, one vertex after the other.

Method: the arcs out of the source are filled; then the highest vertex that has excess pushes it to
neighbours one step lower, and is lifted when there are none (A. Goldberg, R. Tarjan, "A New Approach to
the Maximum-Flow Problem", 1988; highest first: J. Cheriyan, S. Maheshwari, 1989). Heights are made
exact distances by a search from the sink at the beginning and after every so much work; if no vertex
of some height is left, those above cannot reach the sink any more and are set aside (B. Cherkassky, A.
Goldberg, "On Implementing the Push-Relabel Method for the Maximum Flow Problem", 1997).

When no excess can reach the sink, its excess is the value, and the vertices that were set aside, with
all the excess that is left, are the other side of a minimum cut: when one is set aside no arc with room
leads from it to any that is not, and none comes into being, since nobody pushes up. (Only a vertex
lifted to height n beside one of height n - 1 may have such an arc: then a last search decides.) What is
left over is sent back to the source in the same way.

Encoding: vertices of one height that have excess are in a stack of that height (``top``), the
others in a list (``first``, ``after``, ``ahead``) from which any can be taken; both go on with
``after``, and -1 ends them. A vertex that cannot reach the root has height n and is in neither.

Bounds: heights are below n wherever they index ``top`` and ``first``, which have n + 1 entries; ``now``
is a place of the vertex's own row, or its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import inline, kernel, run, subroutine
from .augmenting import ARCS_OF_AN_END, ENTRIES, SINK, SOURCE, Trees, fill_paths
from .network import BRIEF_BELOW_ARCS, Residual, Walk, unwind

__all__ = ["Solver"]

LIFT_WORK_ARCS = 12  # a lift takes as long as to look at so many arcs, beside those of the vertex
SEARCH_WORK = 4.0  # heights are made exact again after so many times the work of that
PATHS_SHARE = 1 / 32  # of the arcs that may be looked at for single paths
DRAIN_BRIEF_BELOW_ARCS = 1 << 14  # Ctrl-C can wait
PATHS_BRIEF_BELOW_ARCS = 1 << 24


class Levels(NamedTuple):
    """Heights, the arc at which each vertex is, the stack and the list of each height, and a queue."""

    height: np.ndarray
    now: np.ndarray
    top: np.ndarray
    first: np.ndarray
    after: np.ndarray
    ahead: np.ndarray
    queue: np.ndarray


@inline
def stack(levels, v, level):
    """Put ``v``, which has excess, on the stack of a height."""
    st(levels.after, v, ld(levels.top, level))
    st(levels.top, level, v)


@inline
def enlist(levels, v, level):
    """Put ``v`` in the list of a height."""
    old = ld(levels.first, level)
    st(levels.after, v, old)
    st(levels.ahead, v, -1)
    if old >= 0:
        st(levels.ahead, old, v)
    st(levels.first, level, v)


@inline
def delist(levels, v, level):
    """Take ``v`` out of the list of a height."""
    left, right = ld(levels.ahead, v), ld(levels.after, v)
    if left >= 0:
        st(levels.after, left, right)
    else:
        st(levels.first, level, right)
    if right >= 0:
        st(levels.ahead, right, left)


@subroutine
def measure(net, ends, levels, excess):
    """Exact heights over the first of ``ends``, lists and stacks made anew; the highest vertex with
    excess, or -1. The other end, to which no excess is sent, stays at height n.
    """
    begins, target, back, room = net
    height, now, top, first, _, _, queue = levels
    root, other = ends
    n = height.size
    for v in range(n):
        st(height, v, n)
    for level in range(n + 1):
        st(top, level, -1)
        st(first, level, -1)
    st(height, root, 0)
    st(queue, 0, root)
    head = np.int64(0)
    tail = np.int64(1)
    highest = np.int64(-1)
    while head < tail:
        v = ld(queue, head)
        head += 1
        above = ld(height, v) + 1
        for k in range(ld(begins, v), ld(begins, v + 1)):
            u = ld(target, k)
            if ld(height, u) == n and u != other and ld(room, ld(back, k)) > 0:
                st(height, u, above)
                st(now, u, ld(begins, u))
                if ld(excess, u) > 0:
                    stack(levels, u, above)
                    highest = np.int64(above)
                else:
                    enlist(levels, u, above)
                st(queue, tail, u)
                tail += 1
    return highest


@kernel
def drain(stop, net, ends, levels, excess, counts):
    """Send all excess that can get there to the first of ``ends``; counts searches, pushes, lifts."""
    begins, target, back, room = net
    height, now, top, first, after, _, _ = levels
    root, other = ends
    n = np.int64(height.size)
    highest = measure(net, ends, levels, excess)
    searches, pushes, lifts = np.int64(1), np.int64(0), np.int64(0)
    work = np.float64(0)
    limit = SEARCH_WORK * (6.0 * n + target.size)
    steps = np.int64(0)
    unsure = False
    while highest >= 0:
        v = ld(top, highest)
        if v < 0:
            highest -= 1
            continue
        steps += 1
        if stop_at(stop, steps):
            break
        st(top, highest, ld(after, v))
        level = highest
        have = ld(excess, v)
        k = np.int64(ld(now, v))
        last = ld(begins, v + 1)
        while True:
            while k < last:
                can = ld(room, k)
                if can > 0:
                    u = ld(target, k)
                    if ld(height, u) == level - 1:
                        amount = min(can, have)
                        reverse = ld(back, k)
                        st(room, k, can - amount)
                        st(room, reverse, ld(room, reverse) + amount)
                        theirs = ld(excess, u)
                        st(excess, u, theirs + amount)
                        pushes += 1
                        if theirs == 0 and u != root:
                            delist(levels, u, level - 1)
                            stack(levels, u, level - 1)
                        have -= amount
                        if have == 0:
                            break
                k += 1
            if have == 0:
                break
            lifts += 1
            if ld(first, level) < 0 and ld(top, level) < 0:
                clear_above(levels, level)
                highest = max(highest, level - 1)
                level = n
                break
            lowest = n
            begin = ld(begins, v)
            for j in range(begin, last):
                if ld(room, j) > 0:
                    h = np.int64(ld(height, ld(target, j)))
                    if h < lowest:
                        lowest = h
                        k = np.int64(j)
            work += LIFT_WORK_ARCS + last - begin
            if lowest + 1 >= n:
                unsure = unsure or lowest < n
                highest = max(highest, level - 1)
                level = n
                break
            level = lowest + 1
        st(excess, v, have)
        st(height, v, level)
        if level < n:
            st(now, v, k)
            enlist(levels, v, level)
            highest = max(highest, level - 1)  # where it has pushed to
        if work > limit:
            work = 0.0
            searches += 1
            unsure = False
            highest = measure(net, ends, levels, excess)
    left = False
    for v in range(n):
        if v != root and ld(excess, v) > 0:
            left = True
            break
    if left and unsure:
        searches += 1
        measure(net, ends, levels, excess)
    elif not left:
        for v in range(n):
            st(height, v, 0)
        st(height, other, n)
    counts[0] += searches
    counts[1] += pushes
    counts[2] += lifts


@inline
def clear_above(levels, level):
    """Set aside all vertices above ``level``: nobody is at it, so none of them can come down."""
    height, _, top, first, after, _, _ = levels
    n = height.size
    above = level + 1
    while above < n and (ld(first, above) >= 0 or ld(top, above) >= 0):
        for v in (ld(first, above), ld(top, above)):
            while v >= 0:
                st(height, v, n)
                v = ld(after, v)
        st(first, above, -1)
        st(top, above, -1)
        above += 1


class Solver:
    """One flow problem: :meth:`begin`, :meth:`drain`; for the flow itself, :meth:`give_back` at last.

    :meth:`fill_paths` may come first, and may be enough. In a network that was ``turned`` round the
    sink sends and the source receives.
    """

    def __init__(self, made: Residual, source: int, sink: int, turned: bool) -> None:
        self.made, self.turned = made, turned
        self.ends: tuple[int, int] = (sink, source) if turned else (source, sink)
        self.net: Residual = made._replace(room=made.room.copy())  # the network as it is now
        self.room = self.net.room
        n, ids = made.begins.size - 1, made.target.dtype
        self.height, after, ahead, queue = (np.empty(n, ids) for _ in range(4))
        top, first = np.empty(n + 1, ids), np.empty(n + 1, ids)
        self.levels: Levels = Levels(
            self.height, np.empty(n, np.int64), top, first, after, ahead, queue
        )
        self.excess = np.zeros(n, made.room.dtype)
        self.counts = np.zeros(3, np.int64)  # searches, pushes, lifts
        self.paths = np.zeros(ENTRIES, np.int64)

    def fill_paths(self) -> bool:
        """Send what goes along few single paths, if an end has few arcs; whether that is all.

        Only ends that are near each other are worth it: a small part of the network is looked at.
        """
        begins, arcs = self.made.begins, self.made.target.size
        if min(begins[end + 1] - begins[end] for end in self.ends) > ARCS_OF_AN_END:
            return False
        height, now, _, _, after, ahead, queue = self.levels
        height[:], after[:], queue[:] = 0, -1, -1
        trees = Trees(height, now, after, ahead, queue, self.paths)
        call = (self.net, *self.ends, int(PATHS_SHARE * arcs), trees, self.excess)
        complete = run(fill_paths, [call], brief=arcs < PATHS_BRIEF_BELOW_ARCS)[0]
        if complete:
            apart = height == SOURCE if complete == SOURCE else height != SINK
            height[:] = np.where(apart, height.size, 0)
        return bool(complete)

    def begin(self) -> None:
        """Empty the source: send as much as possible along every arc out of it."""
        begins, target, back, room = self.net
        source = self.ends[0]
        arcs = np.arange(begins[source], begins[source + 1])
        arcs = arcs[target[arcs] != source]
        np.add.at(self.excess, target[arcs], room[arcs])
        room[back[arcs]] += room[arcs]
        room[arcs] = 0

    def drain(self) -> None:
        """Send all excess that can get there to the sink; what cannot has height n at the end.

        (If all gets there, heights are made such that only the source is apart: it is emptied, so that
        is a minimum cut.)
        """
        call = (self.net, self.ends[::-1], self.levels, self.excess, self.counts)
        run(drain, [call], brief=self.made.target.size < DRAIN_BRIEF_BELOW_ARCS)

    @property
    def value(self) -> np.number:
        """What has come to the sink."""
        found: np.number = self.excess[self.ends[1]]
        return found

    def cut(self) -> np.ndarray:
        """For each vertex whether it is on the source's side of a minimum cut, by the heights."""
        apart = self.height == self.height.size
        return ~apart if self.turned else apart

    def give_back(self) -> np.ndarray:
        """Send excess that did not get there back; what is left of every arc's capacity."""
        source, sink = self.ends
        self.excess[sink] = 0
        if self.excess.any():
            height, now, top, first, _, _, _ = self.levels
            walk = Walk(height, now, top, first)
            call = (self.net, self.made.room, source, self.excess, walk)
            run(unwind, [call], brief=self.made.target.size < BRIEF_BELOW_ARCS)
        return self.room
