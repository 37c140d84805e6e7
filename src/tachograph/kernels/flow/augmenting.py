"""Maximum flow along single paths, for ends that have few arcs: little of the graph is looked at.

Method: a tree grows from the source along arcs that have room, another from the sink against them;
where they meet, the path between the ends is filled. Arcs without room then fall out of the trees, and
what hung on them looks for another place in the same tree or becomes free (Y. Boykov, V. Kolmogorov,
"An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in Vision", 2004).
When a tree cannot grow any more, it is its side of a minimum cut. The work is limited: what flows by
then is a beginning for ``push_relabel``.

Encoding: ``link`` is the arc from the parent (in the source's tree) or to it (in the sink's), LOST
without one, ROOT at the ends. Vertices that may grow are in a list that goes on with ``after``; its
last one points to itself, -1 is for those outside. ``seen`` is the number of the path after which the
way from a vertex to the root was last found whole.

Bounds: every vertex is lost at most once for each path, so ``lost`` has room for all.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel

__all__ = ["FEW", "LOOKED", "PATHS", "SINK", "SOURCE", "STATE", "fill_paths"]

FEW = 8  # arcs at an end up to which paths are tried
SOURCE, SINK = 1, 2  # the trees; 0: free
LOST, ROOT = -1, -2
# of ``state``: ends of the list, how many of each tree are in it, vertices lost, paths, arcs looked at
FIRST, LAST, GROWING, MISSING, PATHS, LOOKED, STATE = 0, 1, 2, 5, 6, 7, 8
BLOCK = 1 << 8


@inline
def usable(k, side, back, room):
    """Whether something can go along arc ``k`` of a vertex (source's tree), or come along it."""
    return ld(room, k) > 0 if side == SOURCE else ld(room, ld(back, k)) > 0


@inline
def activate(v, side, after, state):
    """Let ``v`` grow; it is counted unless it is listed already."""
    if ld(after, v) >= 0:
        return
    last = ld(state, LAST)
    if last >= 0:
        st(after, last, v)
    else:
        st(state, FIRST, v)
    st(after, v, v)
    st(state, LAST, v)
    st(state, GROWING + side, ld(state, GROWING + side) + 1)


@inline
def remove_first(v, after, state):
    following = ld(after, v)
    st(after, v, -1)
    if following == v:
        st(state, FIRST, -1)
        st(state, LAST, -1)
    else:
        st(state, FIRST, following)


@inline
def parent(v, side, target, back, link):
    k = ld(link, v)
    return ld(target, k) if side == SINK else ld(target, ld(back, k))


@inline
def rooted(v, side, target, back, link, seen, state):
    """Whether the way from ``v`` to its root is whole; steps count as arcs looked at."""
    turn = ld(state, PATHS)
    u = np.int64(v)
    steps = np.int64(0)
    while ld(link, u) >= 0 and ld(seen, u) != turn:
        u = np.int64(parent(u, side, target, back, link))
        steps += 1
    st(state, LOOKED, ld(state, LOOKED) + steps)
    if ld(link, u) == LOST:
        return False
    stop_at = u
    u = np.int64(v)
    while u != stop_at:
        st(seen, u, turn)
        u = np.int64(parent(u, side, target, back, link))
    return True


@inline
def take(k, amount, child, back, room, link, lost, state):
    """Send along ``k``, by which ``child`` hangs in its tree: it is lost if no room is left."""
    reverse = ld(back, k)
    st(room, k, ld(room, k) - amount)
    st(room, reverse, ld(room, reverse) + amount)
    if ld(room, k) == 0:
        st(link, child, LOST)
        st(lost, ld(state, MISSING), child)
        st(state, MISSING, ld(state, MISSING) + 1)


@inline
def fill(met, target, back, room, link, lost, state):
    """Send along the path over the arc ``met`` what it can take; gives how much."""
    amount = ld(room, met)
    v = ld(target, ld(back, met))
    while ld(link, v) != ROOT:
        amount = min(amount, ld(room, ld(link, v)))
        v = parent(v, SOURCE, target, back, link)
    v = ld(target, met)
    while ld(link, v) != ROOT:
        amount = min(amount, ld(room, ld(link, v)))
        v = parent(v, SINK, target, back, link)
    st(room, met, ld(room, met) - amount)
    st(room, ld(back, met), ld(room, ld(back, met)) + amount)
    v = ld(target, ld(back, met))
    while ld(link, v) != ROOT:
        above = parent(v, SOURCE, target, back, link)
        take(ld(link, v), amount, v, back, room, link, lost, state)
        v = above
    v = ld(target, met)
    while ld(link, v) != ROOT:
        above = parent(v, SINK, target, back, link)
        take(ld(link, v), amount, v, back, room, link, lost, state)
        v = above
    return amount


@inline
def rehang(v, begins, target, back, room, tree, link, after, lost, seen, state):
    """Find a new parent for ``v``, or set it free with what hung on it."""
    side = np.int64(ld(tree, v))
    begin, end = ld(begins, v), ld(begins, v + 1)
    st(state, LOOKED, ld(state, LOOKED) + end - begin)
    for k in range(begin, end):
        u = ld(target, k)
        # in the source's tree something must come along k, in the sink's go along it
        if (
            ld(tree, u) == side
            and u != v
            and usable(k, SOURCE + SINK - side, back, room)
            and rooted(u, side, target, back, link, seen, state)
        ):
            st(link, v, ld(back, k) if side == SOURCE else k)
            return
    for k in range(begin, end):
        u = ld(target, k)
        if ld(tree, u) != side or u == v:
            continue
        if usable(k, SOURCE + SINK - side, back, room):
            activate(u, side, after, state)
        if ld(link, u) >= 0 and parent(u, side, target, back, link) == v:
            st(link, u, LOST)
            st(lost, ld(state, MISSING), u)
            st(state, MISSING, ld(state, MISSING) + 1)
    st(tree, v, 0)
    if ld(after, v) >= 0:
        st(state, GROWING + side, ld(state, GROWING + side) - 1)


@inline
def grow(v, begins, target, back, room, tree, link, after, state):
    """Take free neighbours of ``v`` into its tree; the arc to the other tree if there is one, or -1."""
    side = np.int64(ld(tree, v))
    for k in range(ld(begins, v), ld(begins, v + 1)):
        if usable(k, side, back, room):
            u = ld(target, k)
            if ld(tree, u) == 0:
                st(tree, u, side)
                st(link, u, k if side == SOURCE else np.int64(ld(back, k)))
                if ld(after, u) >= 0:  # listed from before it was set free, but not counted
                    st(state, GROWING + side, ld(state, GROWING + side) + 1)
                else:
                    activate(u, side, after, state)
            elif ld(tree, u) != side:
                return np.int64(k) if side == SOURCE else np.int64(ld(back, k))
    return np.int64(-1)


@inline
def closed(v, side, begins, back, room):
    """Whether no arc of an end can take anything any more."""
    k = ld(begins, v)
    while k < ld(begins, v + 1) and not usable(k, side, back, room):
        k += 1
    return k == ld(begins, v + 1)


@kernel
def fill_paths(
    stop, begins, target, back, room, source, sink, limit, tree, link, after, lost, seen, excess,
    state,
):  # fmt: skip
    """Fill paths until there is none or about ``limit`` arcs were looked at.

    ``tree`` begins as zeros, ``after`` and ``seen`` as -1, ``state`` as zeros. Gives the side, SOURCE
    or SINK, whose tree is complete: it is that side of a minimum cut; 0 if there may be more paths.
    What came to the sink is its ``excess``.
    """
    st(tree, source, SOURCE)
    st(tree, sink, SINK)
    st(link, source, ROOT)
    st(link, sink, ROOT)
    st(state, FIRST, -1)
    st(state, LAST, -1)
    activate(source, SOURCE, after, state)
    activate(sink, SINK, after, state)
    steps = np.int64(0)
    while ld(state, GROWING + SOURCE) > 0 and ld(state, GROWING + SINK) > 0:
        steps += 1
        if ld(state, LOOKED) > limit or (steps % BLOCK == 0 and stopped(stop)):
            return 0
        v = ld(state, FIRST)
        side = np.int64(ld(tree, v))
        if side == 0:
            remove_first(v, after, state)
            continue
        st(state, LOOKED, ld(state, LOOKED) + ld(begins, v + 1) - ld(begins, v))
        met = grow(v, begins, target, back, room, tree, link, after, state)
        if met < 0:
            remove_first(v, after, state)
            st(state, GROWING + side, ld(state, GROWING + side) - 1)
            continue
        st(state, PATHS, ld(state, PATHS) + 1)
        st(state, MISSING, 0)
        amount = fill(met, target, back, room, link, lost, state)
        st(excess, sink, ld(excess, sink) + amount)
        for end, its in ((source, SOURCE), (sink, SINK)):
            if closed(end, its, begins, back, room):
                for u in range(tree.size):
                    st(tree, u, 0)
                st(tree, end, its)
                return its
        i = np.int64(0)
        while i < ld(state, MISSING):
            rehang(
                np.int64(ld(lost, i)), begins, target, back, room, tree, link, after, lost, seen,
                state,
            )  # fmt: skip
            i += 1
    return SOURCE if ld(state, GROWING + SOURCE) == 0 else SINK
