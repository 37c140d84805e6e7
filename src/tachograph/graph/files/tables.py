"""Tables of edges: Parquet, Arrow IPC (Feather), CSV with a header line."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from ...util.errors import FileFormatError, TachographError
from ..edges import EdgeTable
from ..exchange import edge_columns
from ..graph import Graph
from .streams import Input

if TYPE_CHECKING:
    import pyarrow as pa


def _columns(
    source: Input, weight: str | bool | None, load: Callable[[pa.BufferReader], pa.Table]
) -> EdgeTable:
    import pyarrow as pa

    try:
        return edge_columns(load(pa.BufferReader(source.content())), None, None, weight)
    except TachographError as error:
        raise FileFormatError(source.path, str(error)) from None
    except Exception as error:  # damaged tables make Arrow raise all kinds
        raise FileFormatError(source.path, str(error).split("\n")[0]) from None


def read_parquet(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the edges of a Parquet file."""
    from pyarrow import parquet

    return _columns(source, weight, parquet.read_table)


def read_arrow(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the edges of an Arrow IPC file or stream."""
    from pyarrow import ipc

    opener = ipc.open_file if source.head.startswith(b"ARROW1") else ipc.open_stream
    return _columns(source, weight, lambda data: opener(data).read_all())


def recognises_csv(head: bytes) -> bool:
    """Whether the first line has commas and words where later lines have numbers or words."""
    first, _, rest = head.partition(b"\n")
    words = [w.strip().strip(b'"') for w in first.split(b",")]
    commas = len(words) > 1 and rest.split(b"\n", 1)[0].count(b",") == len(words) - 1
    return commas and not any(w.replace(b".", b"").isdigit() for w in words) and b"#" not in first


def read_csv(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the edges of a CSV file with a header line."""
    from pyarrow import csv

    return _columns(source, weight, csv.read_csv)


def write_parquet(graph: Graph, out: IO[bytes]) -> None:
    """Write columns source, target and, if there are any, weight."""
    from pyarrow import parquet

    parquet.write_table(graph.to_arrow(), out, compression="zstd")


def write_arrow(graph: Graph, out: IO[bytes]) -> None:
    """Write an Arrow IPC file."""
    from pyarrow import ipc

    table = graph.to_arrow()
    with ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)


def write_csv(graph: Graph, out: IO[bytes]) -> None:
    """Write CSV with a header line. CSV cannot say whether edges are directed."""
    from pyarrow import csv

    csv.write_csv(graph.to_arrow(), out)
