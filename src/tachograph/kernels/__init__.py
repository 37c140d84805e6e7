"""Compiled inner loops on plain arrays: no Graph, no policy objects, only NumPy in and out."""

from ..util.cores import check_environment

check_environment()
