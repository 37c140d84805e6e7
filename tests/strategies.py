"""Random inputs: edge lists of every awkward kind, and the graphs made of them."""

from __future__ import annotations

from hypothesis import strategies as st

WHOLE = st.integers(-1000, 1000)
REAL = st.floats(-1e6, 1e6, allow_nan=False)
FLOAT32 = st.floats(-1e6, 1e6, allow_nan=False, width=32)


@st.composite
def edge_lists(draw, weights=st.none(), max_n=12, max_edges=40, min_edges=0):
    """(n, edges): loops, parallel edges, isolated vertices and stars come by themselves."""
    n = draw(st.integers(1 if min_edges else 0, max_n))
    vertex = st.integers(0, max(n - 1, 0))
    hub = draw(vertex) if n and draw(st.booleans()) else None
    first = vertex if hub is None else st.one_of(st.just(hub), vertex)
    count = st.integers(min_edges, max_edges) if n else st.just(0)
    edges = []
    for _ in range(draw(count)):
        edge = (draw(first), draw(vertex))
        weight = draw(weights)
        edges.append(edge if weight is None else (*edge, weight))
    return n, edges
