"""Loops over one part of a partitioned graph."""
