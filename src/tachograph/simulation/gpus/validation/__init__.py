"""Simulated GPUs beside published runs: read the runs, simulate their graphs, fit, and judge."""
