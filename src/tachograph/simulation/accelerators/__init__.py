"""Graph accelerators, simulated by their off-chip memory requests."""

from .accugraph import AccuGraph
from .base import Accelerator, Layout, Parameter
from .foregraph import ForeGraph
from .hitgraph import HitGraph
from .problem import Problem, Simulation
from .scalabfs import ScalaBFS
from .simulate import Job, simulate
from .thundergp import ThunderGP

__all__ = [
    "Accelerator",
    "AccuGraph",
    "ForeGraph",
    "HitGraph",
    "Job",
    "Layout",
    "Parameter",
    "Problem",
    "ScalaBFS",
    "Simulation",
    "ThunderGP",
    "simulate",
]
