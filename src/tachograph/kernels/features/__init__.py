"""Small loops that measure a graph or evaluate a model of it."""
