"""TNTP road networks (Transportation Networks for Research): links with capacity, length, time.

``<KEY> value`` lines end with ``<END OF METADATA>``; lines with ``~`` are comments; then a link per
line, closed by ``;``. The weight is the free flow time, or the column named with ``weight``.
"""

from __future__ import annotations

import re
from typing import IO

from ...util.errors import FileFormatError, InputError
from ..edges import EdgeTable
from ..graph import Graph
from .lines import write_lines
from .streams import Input
from .text import Header, Layout, header_lines, is_count, read_promised

LINK_COLUMNS = ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "type")
KEY = re.compile(r"<([^>]*)>\s*(.*)")


def recognises(head: bytes) -> bool:
    """Whether the metadata of a network is there."""
    first = next(
        (x for x in head.split(b"\n") if x.strip() and not x.lstrip().startswith(b"~")), b""
    )
    return first.lstrip().startswith(b"<") and b"<NUMBER OF LINKS>" in head.upper()


def read(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the links as arcs."""
    wanted = "free_flow_time" if weight is None or weight is True else weight
    if wanted and wanted not in LINK_COLUMNS:
        raise InputError(f"weight={wanted!r} is not a TNTP column: {', '.join(LINK_COLUMNS)}")
    counts: dict[str, int] = {}
    line, skip = 0, 0
    for line, skip, text in header_lines(source):  # noqa: B007
        found = KEY.match(text)
        if not found:
            continue
        key = found[1].upper().strip()
        if key == "END OF METADATA":
            break
        if key in ("NUMBER OF NODES", "NUMBER OF LINKS"):
            value = found[2].split("~")[0].strip()
            if not is_count(value):
                raise FileFormatError(source.path, f"<{key}> needs a number", line)
            counts[key] = int(value)
    else:
        raise FileFormatError(source.path, "there is no line <END OF METADATA>")
    if len(counts) < 2:
        raise FileFormatError(source.path, "<NUMBER OF NODES> or <NUMBER OF LINKS> is missing")
    header = Header(counts["NUMBER OF NODES"], counts["NUMBER OF LINKS"], line, skip)
    column = LINK_COLUMNS.index(wanted) + 2 if wanted else None
    layout = Layout(comments=b"~<", separators=b" \t\r;", weight_column=column, base=1)
    sources, targets, weights = read_promised(source, layout, header, "links")
    if wanted and weights is None and sources.size:
        raise FileFormatError(source.path, f"the links have no column {wanted}")
    return EdgeTable(sources, targets, weights, n=header.n, directed=True)


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write arcs as links with the weight as free flow time and length, the rest zero."""
    out.write(
        f"<NUMBER OF ZONES> 0\n<NUMBER OF NODES> {graph.n}\n<FIRST THRU NODE> 1\n"
        f"<NUMBER OF LINKS> {graph.arcs}\n<END OF METADATA>\n\n"
        "~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\t"
        "link_type\t;\n".encode()
    )
    weights = "1" if graph.weights is None else graph.weights
    ends = (graph.arc_sources(), 1), (graph.indices, 1)
    write_lines(out, ["", *ends, "0", weights, weights, *"00000", ";"], delimiter="\t")
