"""Push or pull: the direction of every level of a breadth-first search."""
