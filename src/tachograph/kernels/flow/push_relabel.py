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

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel, run
from .augmenting import FEW, SINK, SOURCE, STATE, fill_paths
from .network import Network
from .unwind import unwind

__all__ = ["Solver"]

BLOCK = 1 << 10  # vertices between two looks at the stop flag
LIFT = 12  # work of a lift, in arcs
PART = 1 / 32  # of the arcs that may be looked at for single paths
SMALL = 1 << 14  # arcs below which Ctrl-C can wait
PATIENCE = 4.0  # a search from the root after so many times its own work


@inline
def stack(v, level, top, after):
    st(after, v, ld(top, level))
    st(top, level, v)


@inline
def enlist(v, level, first, after, ahead):
    old = ld(first, level)
    st(after, v, old)
    st(ahead, v, -1)
    if old >= 0:
        st(ahead, old, v)
    st(first, level, v)


@inline
def delist(v, level, first, after, ahead):
    left, right = ld(ahead, v), ld(after, v)
    if left >= 0:
        st(after, left, right)
    else:
        st(first, level, right)
    if right >= 0:
        st(ahead, right, left)


@kernel
def measure(
    begins, target, back, room, root, other, height, excess, now, top, first, after, ahead,
    queue,
):  # fmt: skip
    """Exact heights over ``root``, lists and stacks made anew; the highest vertex with excess, or -1.

    ``other``, the end that excess is not sent to, stays at height n.
    """
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
                    stack(u, above, top, after)
                    highest = np.int64(above)
                else:
                    enlist(u, above, first, after, ahead)
                st(queue, tail, u)
                tail += 1
    return highest


@kernel
def drain(
    stop, begins, target, back, room, root, other, height, excess, now, top, first, after,
    ahead, queue, counts,
):  # fmt: skip
    """Send all excess that can get there to ``root``; counts of searches, pushes, lifts."""
    n = np.int64(height.size)
    highest = measure(
        begins, target, back, room, root, other, height, excess, now, top, first, after,
        ahead, queue,
    )  # fmt: skip
    searches, pushes, lifts = np.int64(1), np.int64(0), np.int64(0)
    work = np.float64(0)
    limit = PATIENCE * (6.0 * n + target.size)
    steps = np.int64(0)
    unsure = False
    while highest >= 0:
        v = ld(top, highest)
        if v < 0:
            highest -= 1
            continue
        steps += 1
        if steps % BLOCK == 0 and stopped(stop):
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
                            delist(u, level - 1, first, after, ahead)
                            stack(u, level - 1, top, after)
                        have -= amount
                        if have == 0:
                            break
                k += 1
            if have == 0:
                break
            lifts += 1
            if ld(first, level) < 0 and ld(top, level) < 0:
                clear_above(level, n, height, first, after, top)
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
            work += LIFT + last - begin
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
            enlist(v, level, first, after, ahead)
            highest = max(highest, level - 1)  # where it has pushed to
        if work > limit:
            work = 0.0
            searches += 1
            unsure = False
            highest = measure(
                begins, target, back, room, root, other, height, excess, now, top, first,
                after, ahead, queue,
            )  # fmt: skip
    left = False
    for v in range(n):
        if v != root and ld(excess, v) > 0:
            left = True
            break
    if left and unsure:
        searches += 1
        measure(
            begins, target, back, room, root, other, height, excess, now, top, first, after, ahead,
            queue,
        )  # fmt: skip
    elif not left:
        for v in range(n):
            st(height, v, 0)
        st(height, other, n)
    counts[0] += searches
    counts[1] += pushes
    counts[2] += lifts


@inline
def clear_above(level, n, height, first, after, top):
    """Set aside all vertices above ``level``: nobody is at it, so none of them can come down."""
    above = level + 1
    while above < n and (ld(first, above) >= 0 or ld(top, above) >= 0):
        v = ld(first, above)
        while v >= 0:
            st(height, v, n)
            v = ld(after, v)
        v = ld(top, above)
        while v >= 0:
            st(height, v, n)
            v = ld(after, v)
        st(first, above, -1)
        st(top, above, -1)
        above += 1


@kernel
def fill_source(stop, source, begins, target, back, room, excess):
    """Send as much as possible along every arc out of the source."""
    for k in range(begins[source], begins[source + 1]):
        u = target[k]
        if u != source and room[k] > 0:
            excess[u] += room[k]
            room[back[k]] += room[k]
            room[k] = 0


class Solver:
    """One flow problem: :meth:`begin`, :meth:`drain`; for the flow itself, :meth:`give_back` at last.

    :meth:`fill_paths` may come first, and may be enough.

    In a network that was turned round the sink sends and the source receives.
    """

    def __init__(self, made: Network, source: int, sink: int) -> None:
        self.made = made
        self.ends = (sink, source) if made.turned else (source, sink)
        self.room = made.room.copy()
        n = made.begins.size - 1
        self.height = np.empty(n, made.target.dtype)
        self.excess = np.zeros(n, made.room.dtype)
        self.space = _workspace(made)
        self.counts = np.zeros(3, np.int64)  # searches, pushes, lifts
        self.paths = np.zeros(STATE, np.int64)

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The network as it is now."""
        return self.made.begins, self.made.target, self.made.back, self.room

    def fill_paths(self) -> bool:
        """Send what goes along few single paths, if an end has few arcs; whether that is all.

        Only ends that are near each other are worth it: a small part of the network is looked at.
        """
        rows = self.made.begins
        if min(rows[end + 1] - rows[end] for end in self.ends) > FEW:
            return False
        now, _, _, after, ahead, queue = self.space
        self.height[:], after[:], queue[:] = 0, -1, -1
        limit = int(PART * self.made.target.size)
        call = (*self.rows, *self.ends, limit, self.height, now, after, ahead, queue, self.excess,
                self.paths)  # fmt: skip
        complete = run(fill_paths, [call], brief=self.made.target.size < 1 << 24)[0]
        if complete:
            n = self.height.size
            apart = self.height == SOURCE if complete == SOURCE else self.height != SINK
            self.height[:] = np.where(apart, n, 0)
        return bool(complete)

    def begin(self) -> None:
        """Empty the source."""
        run(fill_source, [(self.ends[0], *self.rows, self.excess)], brief=True)

    def drain(self) -> None:
        """Send all excess that can get there to the sink; what cannot has height n at the end.

        (If all gets there, heights are made such that only the source is apart: it is emptied, so that
        is a minimum cut.)
        """
        source, sink = self.ends
        call = (*self.rows, sink, source, self.height, self.excess, *self.space, self.counts)
        run(drain, [call], brief=self.made.target.size < SMALL)

    @property
    def value(self) -> np.number:
        """What has come to the sink."""
        found: np.number = self.excess[self.ends[1]]
        return found

    def cut(self) -> np.ndarray:
        """For each vertex whether it is on the source's side of a minimum cut, by the heights."""
        apart = self.height == self.height.size
        return ~apart if self.made.turned else apart

    def give_back(self) -> np.ndarray:
        """Send excess that did not get there back; what is left of every arc's capacity."""
        source, sink = self.ends
        self.excess[sink] = 0
        if self.excess.any():
            state = (self.made.room, source, self.excess, self.height, *self.space[:3])
            run(unwind, [(*self.rows, *state)], brief=self.made.target.size < 1 << 20)
        return self.room


def _workspace(made: Network) -> tuple[np.ndarray, ...]:
    n = made.begins.size - 1
    ids = made.target.dtype
    now = np.empty(n, np.int64)
    top, first = np.empty(n + 1, ids), np.empty(n + 1, ids)
    return now, top, first, np.empty(n, ids), np.empty(n, ids), np.empty(n, ids)
