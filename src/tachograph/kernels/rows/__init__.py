"""Compressed rows: built from edges, checked, combined."""
