"""Arrays to lines of text, for all text formats."""

from __future__ import annotations

from typing import IO

import numpy as np

from ...util.progress import bar

LINES_PER_WRITE = 1 << 20


def write_lines(
    out: IO[bytes], columns: list[str | np.ndarray | tuple[np.ndarray, int]], delimiter: str = " "
) -> None:
    """Write a line for each entry of the columns: arrays, arrays with a number to add, or a word.

    Floats are written in the shortest form that reads back the same.
    """
    import pyarrow as pa
    from pyarrow import csv

    sizes = [
        len(c[0]) if isinstance(c, tuple) else len(c) for c in columns if not isinstance(c, str)
    ]
    options = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    with bar("writing", sizes[0]) as b:
        for lo in range(0, sizes[0], LINES_PER_WRITE):
            hi = min(lo + LINES_PER_WRITE, sizes[0])
            made = []
            for column in columns:
                if isinstance(column, str):
                    made.append(pa.repeat(column, hi - lo))
                elif isinstance(column, tuple):
                    made.append(pa.array(column[0][lo:hi] + np.int64(column[1])))
                else:
                    made.append(pa.array(column[lo:hi]))
            csv.write_csv(pa.table(made, [str(i) for i in range(len(made))]), out, options)
            b.advance(hi - lo)
