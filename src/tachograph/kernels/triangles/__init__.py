"""Counting triangles."""
