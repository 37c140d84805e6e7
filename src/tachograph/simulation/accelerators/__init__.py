"""Graph accelerators, simulated by their off-chip memory requests."""

from .accugraph import AccuGraph
from .base import Accelerator, Layout, Parameter
from .hitgraph import HitGraph
from .problem import Problem, Simulation
from .simulate import Job, simulate

__all__ = [
    "Accelerator",
    "AccuGraph",
    "HitGraph",
    "Job",
    "Layout",
    "Parameter",
    "Problem",
    "Simulation",
    "simulate",
]
