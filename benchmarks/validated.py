"""Write the table of what simulations were validated on: ``simulation/accelerators/validated.csv``.

    python benchmarks/validated.py

It takes the default rows of ``tacho reproduce hitgraph-table-5`` and ``accugraph-table-6``, and the
rows of HitGraph's full-size graph, of ``thundergp-table-9 --full`` and ``scalabfs-table-2 --full``,
which takes a quarter of an hour and 8 GB. Simulated numbers do not depend on the machine, and a test
simulates them again.
"""

from __future__ import annotations

import csv
from pathlib import Path

from tachograph.papers import scalabfs, thundergp
from tachograph.papers.accelerators import full_validation, validation
from tachograph.simulation.accelerators import validated

if __name__ == "__main__":
    path = Path(validated.__file__).with_suffix(".csv")
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(validated.Cell._fields)
        writer.writerows(validation())
        writer.writerows(full_validation())
        writer.writerows(thundergp.validation())
        writer.writerows(scalabfs.validation())
