"""Caches between a processor and its memory, simulated access by access."""

from .sectored import SectoredCache

__all__ = ["SectoredCache"]
