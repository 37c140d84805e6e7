"""What is known of a breadth-first search before a level is walked."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["State"]


class State(NamedTuple):
    """What is known of a search before a level is walked; arcs of undirected edges count twice."""

    n: float  # vertices of the graph
    arcs: float  # arcs of the graph
    n_f: float  # vertices in the frontier
    m_f: float  # arcs out of the frontier
    n_u: float  # vertices not visited yet
    m_u: float  # arcs out of them
    s_f: float = 0.0  # how n_f has varied since the level before
    c_f: float = 0.0  # how s_f has varied since the level before
    before: float = 0.0  # n_f of the level before
    m_before: float = 0.0  # m_f of the level before
    previous: float = 0.0  # direction of the level before
    pulled: float = 0.0  # levels that were pulled so far
    depth: float = 0.0  # the level, from 0
    hubs_f: float = 0.0  # vertices of the frontier above the mean degree, if they are counted
    hubs: float = 0.0  # the same of the whole graph
    p_h: float = 0.0  # share of hubs in a sample of the vertices
    threads: float = 1.0  # workers of the search
    directed: float = 0.0  # 1 if arcs have no reverse
    alone: float = 0.0  # 1 if one worker pushes, because the others' cores are far from its own
    near: float = 0.0  # 1 if pulls look first at each vertex's neighbours of highest degree
