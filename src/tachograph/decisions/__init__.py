"""Forks on the way to a result: one file for each, with its choices and the policies that take it."""
