"""The measurements that table 4 and the figures are made from."""

from __future__ import annotations

from ...decisions.approximation.collect import PLAIN, Data, records
from ...decisions.approximation.train import Trainer
from ...tasks.measure import runner
from ..reproduce import Settings

__all__ = ["FEWEST_CONFIGURATIONS", "measurements", "paper_data"]

FIRST_GRAPHS = ("kronecker-13", "kronecker-14", "kronecker-15")  # if nothing was measured before
FIRST_SHARE = 0.25  # of the configurations, then
FEWEST_CONFIGURATIONS = 30  # that a scenario needs


def measurements(settings: Settings) -> Data:
    """Return what the journal holds; measure all if ``full``, else a little if it holds nothing."""
    found = records()
    if settings.full or not found:
        graphs, size = (None, 1.0) if settings.full else (FIRST_GRAPHS, FIRST_SHARE)
        trainer = Trainer(graphs, executor=settings.executor, runner=runner(), size=size)
        found = trainer.collect(trainer.choose())
    return Data(found)


def paper_data(data: Data) -> dict[str, Data]:
    """Return what the paper predicts in each scenario: Bellman-Ford from the vertex of highest degree,
    on Kronecker graphs of one kind in several sizes, and on real road networks.
    """
    own = data.only(algorithm="bellman-ford", hub=True)
    plain = own.only(graph=PLAIN)
    if not len(plain):
        plain = own.only(family="kronecker")
    return {"random": plain, "large": plain, "real": own.only(family="roads", real=True)}
