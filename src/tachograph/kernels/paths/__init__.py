"""Searches that find one certain path: in a fixed order, or from both ends."""
