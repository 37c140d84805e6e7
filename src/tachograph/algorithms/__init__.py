"""Algorithms on graphs: one file each, readable beside its paper; results with traces."""
