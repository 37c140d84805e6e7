"""Measurements in, models out: what the learned decisions are made from."""
