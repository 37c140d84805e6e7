"""Traces in, models out: collect, fit, evaluate, keep."""
