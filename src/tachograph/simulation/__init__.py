"""Machines that are simulated: memories and, on top of them, accelerators."""
