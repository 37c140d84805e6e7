"""Forks in the road: what can be chosen, and the rules, models and oracles that choose."""
