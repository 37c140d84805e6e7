"""Shortest paths: delta-stepping, Bellman-Ford, and their approximations."""
