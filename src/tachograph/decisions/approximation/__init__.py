"""Speedup and inaccuracy of approximate shortest paths: collected, predicted, calibrated."""
