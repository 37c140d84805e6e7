"""Distances from many sources at once, and the paths that lead through each vertex."""
