"""Loops over one part of a partitioned graph, for ``scale/programs``.

A part's vertices are its own and its ghosts (``scale/piece.py``). Own vertices have the local ids
``begin <= v < end``; rows of ghosts are empty. All arrays with an entry for each vertex have
``indptr.size - 1`` entries, and all targets in ``indices`` are below that, which bounds every access by
vertex.
"""
