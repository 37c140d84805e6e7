"""Micro-benchmarks of the host and of devices: each has one cost that dominates."""
