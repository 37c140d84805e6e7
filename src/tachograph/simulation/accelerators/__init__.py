"""Graph accelerators, simulated by their off-chip memory requests."""

from ..machine import Parameter
from .accugraph import AccuGraph
from .base import Accelerator, Layout
from .hitgraph import HitGraph
from .problem import Problem
from .result import Simulation
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
