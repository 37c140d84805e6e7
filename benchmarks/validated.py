"""Write the table of what simulations were validated on: ``simulation/accelerators/validated.csv``.

    python benchmarks/validated.py

Each row is our number beside the one that the design's authors published, from which expected errors
come. Simulated are, by the functions behind ``tacho reproduce``:

- ``hitgraph-table-5`` and ``accugraph-table-6`` in default sizes;
- HitGraph on a generated graph of full size, without ``sssp``, whose 20 roots take hours;
- the graphs of ``thundergp-table-9`` and ``scalabfs-table-2`` in full size.

All of it takes a quarter of an hour and 8 GB. Simulated numbers do not depend on the machine: tests
simulate the first of these again, and one graph of ThunderGP.
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
