"""Write hashes into the table of graphs, ``decisions/graphs.csv``: of those that have none.

    python benchmarks/graph_hashes.py

Hashes of data sets are those of the files that are here. A hash that is in the table is never changed:
a test makes the graphs again and fails if one differs.
"""

from __future__ import annotations

import csv
from pathlib import Path

from tachograph.decisions import graphs

if __name__ == "__main__":
    path = Path(graphs.__file__).with_name("graphs.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    here = set(graphs.present(row["name"] for row in rows))
    for row in rows:
        if not row["hash"] and row["name"] in here:
            row["hash"] = graphs.hash_of(graphs.graph_named(row["name"]))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
