"""A graph in memory: build, read, write, generate, measure."""
