"""Similarity of vertices by their common neighbours."""
