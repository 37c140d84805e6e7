"""The direction of breadth-first search, learned: which graphs, what is measured, what is fitted."""
