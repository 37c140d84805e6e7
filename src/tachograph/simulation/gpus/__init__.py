"""Simulated GPUs: kernels as streams of sectors, an L2, and a memory; no GPU is needed."""

from .gpu import GPU, gpu_named, known_gpus
from .result import GpuSimulation
from .simulate import simulate

__all__ = ["GPU", "GpuSimulation", "gpu_named", "known_gpus", "simulate"]
