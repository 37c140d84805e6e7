"""What a simulator has to beat: regressions that know a GPU's data sheet and a graph's sizes only.

Time is launches of the levels, plus arcs over the speed of the cores, plus arcs over the memory's rate,
plus the same weighted by how far the labels overflow the L2. *Pooled* has one set of coefficients for
all GPUs, *per GPU* one for each. Like the simulator's constants, they are fitted to the logarithms of
the times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..gpu import GPU
from .fit import Sample

__all__ = ["Regression"]

LABEL_BYTES = 4
START = np.log([40.0, 50.0, 6.0, 5.0, 100.0])
LOOSE, OF_CELL = 2.0, 0.1  # standard deviations of logarithms, of coefficients and of cells
Numbers = NDArray[np.float64]


def columns(samples: list[Sample]) -> Numbers:
    """Return levels, levels over the clock, arcs over the cores, arcs over the rate, overflowing."""
    rows = []
    for sample in samples:
        gpu, cell = GPU(sample.cell.gpu), sample.cell
        levels = float((sample.rows["share"] * sample.rows["launches"]).sum())
        overflow = max(0.0, 1 - gpu.l2_bytes / (LABEL_BYTES * cell.vertices))
        arcs = cell.arcs * 1e-6
        rows.append(
            (
                levels * 1e-3,
                levels * 1e-3 / gpu.clock_ghz,
                arcs / (gpu.sms * gpu.clock_ghz),
                arcs / gpu.memory_gbps,
                arcs * overflow / gpu.memory_gbps,
            )
        )
    return np.array(rows)


class Regression:
    """Fit the coefficients to samples, then predict others."""

    def __init__(self, samples: list[Sample]) -> None:
        from scipy.optimize import least_squares

        known, measured = columns(samples), np.log([s.cell.ms for s in samples])

        def residuals(values: Numbers) -> Numbers:
            off = (np.log(known @ np.exp(values)) - measured) / OF_CELL
            off = np.sign(off) * np.sqrt(2 * (np.sqrt(1 + off**2) - 1))
            return np.concatenate([off, (values - START) / LOOSE])

        self.coefficients: Numbers = np.exp(least_squares(residuals, START).x)

    def ms(self, samples: list[Sample]) -> Numbers:
        """Return predicted milliseconds."""
        made: Numbers = columns(samples) @ self.coefficients
        return made
