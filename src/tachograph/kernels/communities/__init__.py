"""Communities: local moving, refinement and contraction, the same on any number of threads."""
