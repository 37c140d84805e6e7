"""Traces in, models out."""
