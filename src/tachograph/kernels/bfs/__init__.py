"""Breadth-first search: the loops of a team of workers, and the device's twin."""
