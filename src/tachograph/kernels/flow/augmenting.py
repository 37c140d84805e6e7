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

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel

__all__ = ["ARCS_OF_AN_END", "ENTRIES", "LOOKED", "PATHS", "SINK", "SOURCE", "Trees", "fill_paths"]

ARCS_OF_AN_END = 8  # up to which paths are tried
FREE, SOURCE, SINK = 0, 1, 2  # the trees
LOST, ROOT = -1, -2
# of ``state``: ends of the list, how many of each tree are in it, vertices lost, paths, arcs looked at
LIST_HEAD, LIST_TAIL, GROWING, MISSING, PATHS, LOOKED, ENTRIES = 0, 1, 2, 5, 6, 7, 8
STEPS_BETWEEN_STOPS = 1 << 8  # looks at the stop flag


class Trees(NamedTuple):
    """What belongs to each vertex: its tree, the arc of its parent, the next one of the list, a place
    for a lost one, the last path after which it was seen; and ``state``.
    """

    tree: np.ndarray
    link: np.ndarray
    after: np.ndarray
    lost: np.ndarray
    seen: np.ndarray
    state: np.ndarray


@inline
def usable(net, k, side):
    """Whether something can go along arc ``k`` of a vertex (source's tree), or come along it."""
    return ld(net.room, k if side == SOURCE else np.int64(ld(net.back, k))) > 0


@inline
def count(state, what, more):
    """Add to an entry of ``state``."""
    st(state, what, ld(state, what) + more)


@inline
def activate(trees, v, side):
    """Let ``v`` grow; it is counted unless it is listed already."""
    if ld(trees.after, v) >= 0:
        return
    last = ld(trees.state, LIST_TAIL)
    if last >= 0:
        st(trees.after, last, v)
    else:
        st(trees.state, LIST_HEAD, v)
    st(trees.after, v, v)
    st(trees.state, LIST_TAIL, v)
    count(trees.state, GROWING + side, 1)


@inline
def remove_first(trees, v):
    """Take ``v``, the first one, off the list."""
    following = ld(trees.after, v)
    st(trees.after, v, -1)
    st(trees.state, LIST_HEAD, -1 if following == v else following)
    if following == v:
        st(trees.state, LIST_TAIL, -1)


@inline
def lose(trees, v):
    """Cut ``v`` off its parent; it will look for another."""
    st(trees.link, v, LOST)
    st(trees.lost, ld(trees.state, MISSING), v)
    count(trees.state, MISSING, 1)


@inline
def parent(net, trees, v, side):
    """The parent of ``v``, which has one."""
    k = ld(trees.link, v)
    return ld(net.target, k if side == SINK else np.int64(ld(net.back, k)))


@inline
def rooted(net, trees, v, side):
    """Whether the way from ``v`` to its root is whole; steps count as arcs looked at."""
    _, link, _, _, seen, state = trees
    turn = ld(state, PATHS)
    u = np.int64(v)
    steps = np.int64(0)
    while ld(link, u) >= 0 and ld(seen, u) != turn:
        u = np.int64(parent(net, trees, u, side))
        steps += 1
    count(state, LOOKED, steps)
    if ld(link, u) == LOST:
        return False
    stop_at = u
    u = np.int64(v)
    while u != stop_at:
        st(seen, u, turn)
        u = np.int64(parent(net, trees, u, side))
    return True


@inline
def narrowest(net, trees, v, side, amount):
    """What can go along the way from ``v`` to its root, at most ``amount``."""
    while ld(trees.link, v) != ROOT:
        amount = min(amount, ld(net.room, ld(trees.link, v)))
        v = np.int64(parent(net, trees, v, side))
    return amount


@inline
def send(net, k, amount):
    """Send along arc ``k``; what room is left."""
    reverse = ld(net.back, k)
    left = ld(net.room, k) - amount
    st(net.room, k, left)
    st(net.room, reverse, ld(net.room, reverse) + amount)
    return left


@inline
def send_down(net, trees, v, side, amount):
    """Send along the way from ``v`` to its root; where no room is left, vertices are lost."""
    while ld(trees.link, v) != ROOT:
        above = np.int64(parent(net, trees, v, side))
        if send(net, ld(trees.link, v), amount) == 0:
            lose(trees, v)
        v = above


@inline
def fill(net, trees, met):
    """Send along the path over the arc ``met`` what it can take; gives how much."""
    begin = np.int64(ld(net.target, ld(net.back, met)))
    end = np.int64(ld(net.target, met))
    amount = narrowest(net, trees, begin, SOURCE, ld(net.room, met))
    amount = narrowest(net, trees, end, SINK, amount)
    send(net, met, amount)
    send_down(net, trees, begin, SOURCE, amount)
    send_down(net, trees, end, SINK, amount)
    return amount


@inline
def rehang(net, trees, v):
    """Find a new parent for ``v``, or set it free with what hung on it."""
    begins, target, back, _ = net
    tree, link, after, _, _, state = trees
    side = np.int64(ld(tree, v))
    begin, end = ld(begins, v), ld(begins, v + 1)
    count(state, LOOKED, end - begin)
    for k in range(begin, end):
        u = np.int64(ld(target, k))
        # in the source's tree something must come along k, in the sink's go along it
        if (
            ld(tree, u) == side
            and u != v
            and usable(net, k, SOURCE + SINK - side)
            and rooted(net, trees, u, side)
        ):
            st(link, v, np.int64(ld(back, k)) if side == SOURCE else k)
            return
    for k in range(begin, end):
        u = np.int64(ld(target, k))
        if ld(tree, u) != side or u == v:
            continue
        if usable(net, k, SOURCE + SINK - side):
            activate(trees, u, side)
        if ld(link, u) >= 0 and parent(net, trees, u, side) == v:
            lose(trees, u)
    st(tree, v, FREE)
    if ld(after, v) >= 0:
        count(state, GROWING + side, -1)


@inline
def grow(net, trees, v):
    """Take free neighbours of ``v`` into its tree; the arc to the other tree if there is one, or -1."""
    begins, target, back, _ = net
    tree, link, after, _, _, state = trees
    side = np.int64(ld(tree, v))
    for k in range(ld(begins, v), ld(begins, v + 1)):
        if usable(net, k, side):
            u = np.int64(ld(target, k))
            if ld(tree, u) == FREE:
                st(tree, u, side)
                st(link, u, k if side == SOURCE else np.int64(ld(back, k)))
                if ld(after, u) >= 0:  # listed from before it was set free, but not counted
                    count(state, GROWING + side, 1)
                else:
                    activate(trees, u, side)
            elif ld(tree, u) != side:
                return np.int64(k) if side == SOURCE else np.int64(ld(back, k))
    return np.int64(-1)


@inline
def closed(net, v, side):
    """Whether no arc of an end can take anything any more."""
    k = ld(net.begins, v)
    while k < ld(net.begins, v + 1) and not usable(net, k, side):
        k += 1
    return k == ld(net.begins, v + 1)


@kernel
def fill_paths(stop, net, source, sink, limit, trees, excess):
    """Fill paths until there is none or about ``limit`` arcs were looked at.

    ``tree`` begins as zeros, ``after`` and ``seen`` as -1, ``state`` as zeros. Gives the side, SOURCE
    or SINK, whose tree is complete: it is that side of a minimum cut; 0 if there may be more paths.
    What came to the sink is its ``excess``.
    """
    begins = net.begins
    tree, link, _, lost, _, state = trees
    st(tree, source, SOURCE)
    st(tree, sink, SINK)
    st(link, source, ROOT)
    st(link, sink, ROOT)
    st(state, LIST_HEAD, -1)
    st(state, LIST_TAIL, -1)
    activate(trees, source, SOURCE)
    activate(trees, sink, SINK)
    steps = np.int64(0)
    while ld(state, GROWING + SOURCE) > 0 and ld(state, GROWING + SINK) > 0:
        steps += 1
        if ld(state, LOOKED) > limit or (steps % STEPS_BETWEEN_STOPS == 0 and stopped(stop)):
            return 0
        v = ld(state, LIST_HEAD)
        side = np.int64(ld(tree, v))
        if side == FREE:
            remove_first(trees, v)
            continue
        count(state, LOOKED, ld(begins, v + 1) - ld(begins, v))
        met = grow(net, trees, v)
        if met < 0:
            remove_first(trees, v)
            count(state, GROWING + side, -1)
            continue
        count(state, PATHS, 1)
        st(state, MISSING, 0)
        amount = fill(net, trees, met)
        st(excess, sink, ld(excess, sink) + amount)
        for end, its in ((source, SOURCE), (sink, SINK)):
            if closed(net, end, its):
                for u in range(tree.size):
                    st(tree, u, FREE)
                st(tree, end, its)
                return its
        i = np.int64(0)
        while i < ld(state, MISSING):
            rehang(net, trees, np.int64(ld(lost, i)))
            i += 1
    return SOURCE if ld(state, GROWING + SOURCE) == 0 else SINK
