"""Graph accelerators, simulated by their off-chip memory requests."""

from .accugraph import AccuGraph
from .base import Accelerator, Parameter
from .hitgraph import HitGraph
from .layout import Layout
from .problem import Problem
from .simulate import Simulation, simulate

__all__ = [
    "Accelerator",
    "AccuGraph",
    "HitGraph",
    "Layout",
    "Parameter",
    "Problem",
    "Simulation",
    "simulate",
]
