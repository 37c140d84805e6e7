"""Tables written to files: Parquet, CSV or Arrow, as the name of the file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError
from .files import arrow_file, aside

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TABLE_WRITERS", "check_table", "write_table"]


def _parquet(made: pa.Table, file: pa.OSFile) -> None:
    from pyarrow import parquet

    parquet.write_table(made, file)


def _csv(made: pa.Table, file: pa.OSFile) -> None:
    from pyarrow import csv

    csv.write_csv(made, file)


def _arrow(made: pa.Table, file: pa.OSFile) -> None:
    from pyarrow import feather

    feather.write_feather(made, file, compression="uncompressed")


#: What writes a table, by the end of the file's name.
TABLE_WRITERS = {
    ".parquet": _parquet,
    ".pq": _parquet,
    ".csv": _csv,
    ".arrow": _arrow,
    ".feather": _arrow,
}


def check_table(*paths: Path | None) -> None:
    """Refuse names that do not say how to write a table, before there is one."""
    for path in paths:
        if path is not None and path.suffix.lower() not in TABLE_WRITERS:
            raise InputError(f"{path}: the name must say the format: {', '.join(TABLE_WRITERS)}")


def write_table(made: pa.Table, path: Path) -> None:
    """Write a table in the format that the file's name says; a file that is there is complete."""
    check_table(path)
    with aside(path) as temporary, arrow_file(temporary, "wb") as file:
        TABLE_WRITERS[path.suffix.lower()](made, file)
