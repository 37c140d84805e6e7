"""Tables for other libraries, by the Arrow PyCapsule interface: polars, DuckDB, pandas, pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy.typing as npt

__all__ = ["ArrowStream", "stream_of"]


class ArrowStream(Protocol):
    """A table of any library: what it can do is hand over its data as a stream of Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


def stream_of(
    columns: Mapping[str, npt.ArrayLike],
    requested_schema: object = None,
    metadata: Mapping[str, str] | None = None,
) -> object:
    """Return named columns as a capsule, which is what ``__arrow_c_stream__`` must return.

    Parameters
    ----------
    columns
        One-dimensional arrays of equal length. Arrays of numbers are not copied.
    requested_schema
        The argument of ``__arrow_c_stream__``: a schema that the caller would like, or None.
    metadata
        Key-value pairs for the schema of the table.

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> class Squares:
    ...     def __arrow_c_stream__(self, requested_schema=None):
    ...         return stream_of({"x": np.arange(3), "square": np.arange(3) ** 2}, requested_schema)
    >>> pa.table(Squares()).column_names
    ['x', 'square']
    """
    import pyarrow as pa

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    if metadata is not None:
        table = table.replace_schema_metadata(dict(metadata))
    stream: object = table.__arrow_c_stream__(requested_schema)
    return stream
