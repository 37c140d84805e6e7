"""A NetworkX backend: NetworkX's own functions, run by Tachograph.

``nx.pagerank(G, backend="tachograph")``, or for all calls
``nx.config.backend_priority.algos = ["tachograph"]``. NetworkX finds :mod:`.info` and :mod:`.backend`
by entry points; nothing here is imported before.
"""
