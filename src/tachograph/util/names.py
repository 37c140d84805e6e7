"""The names of tasks: the public function's name, and the other words that people use for it."""

from __future__ import annotations

from .errors import InputError
from .text import did_you_mean

#: The public function's name is the task's name everywhere; behind it what else is accepted.
NAMES: dict[str, tuple[str, ...]] = {
    "bfs": (),
    "sssp": ("shortest_path",),
    "distances": (),
    "pagerank": (),
    "connected_components": ("components", "wcc"),
    "strongly_connected_components": ("strong_components", "scc"),
    "core_number": ("k_core", "cores"),
    "leiden": ("communities",),
    "louvain": (),
    "label_propagation": ("lpa",),
    "triangles": (),
    "clustering": ("clustering_coefficient",),
    "closeness_centrality": ("closeness",),
    "harmonic_centrality": ("harmonic",),
    "betweenness_centrality": ("betweenness",),
    "jaccard": ("similarity",),
    "cosine": (),
    "overlap": (),
    "sorensen": (),
    "adamic_adar": (),
    "resource_allocation": (),
    "similar_to": (),
    "maximal_independent_set": ("mis",),
    "maximum_flow": ("max_flow", "maxflow"),
    "minimum_cut": ("min_cut", "mincut"),
    "spmv": (),
}
ALIASES = {alias: name for name, aliases in NAMES.items() for alias in aliases}


def canonical(name: str) -> str:
    """Return the task's name for a name, an alias, or either with hyphens.

    >>> canonical("wcc"), canonical("max-flow"), canonical("bfs")
    ('connected_components', 'maximum_flow', 'bfs')
    """
    if not isinstance(name, str):
        raise InputError(f"task = {name!r:.200}: the name of a task is needed")
    plain = name.lower().replace("-", "_")
    found = ALIASES.get(plain, plain)
    if found not in NAMES:
        near = did_you_mean(plain, (*NAMES, *ALIASES))
        raise InputError(f"there is no task {name!r}: choose {', '.join(NAMES)}{near}")
    return found
