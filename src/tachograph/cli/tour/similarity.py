"""Jaccard's similarity of all edges, over both devices where there are two."""

from __future__ import annotations

from ...algorithms.similarity import jaccard
from ...charts import numbers as show
from ...charts.drawing import Drawing
from ...charts.split import rates_of, split_curve
from ...report.page import Figure, Section
from ...report.sections import trace_figures
from .race import race, saving, times_table
from .setting import Outcome, Setting, nearest

__all__ = ["similarity"]

MOST = 1 << 23  # arcs
HOST, BOTH = "host alone", "host and device"


def similarity(setting: Setting) -> Outcome:
    """What was decided beside each device alone and both."""
    graph, what = nearest(setting.undirected, setting.source, MOST)
    ways = {"auto": lambda: jaccard(graph), HOST: lambda: jaccard(graph, devices="host")}
    if setting.device is not None:
        ways["device alone"] = lambda: jaccard(graph, devices="opencl")
        ways[BOTH] = lambda: jaccard(graph, devices=["host", "opencl"])
    laps = race(ways)
    chosen, naive = laps["auto"], laps[HOST].median
    about = "" if what == "the whole graph" else f" Shown on {what}."
    without = "" if not setting.graph.directed else " Directions were dropped."
    text = [
        f"For every edge: the neighbours its ends have in common, by all they have.{about}{without}",
        f"Decided: {chosen.result.why}.",
        saving(chosen.median, naive, "the host alone"),
    ]
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("edges", show.count(chosen.result.values.size)),
        ("mean similarity", f"{float(chosen.result.values.mean()):.4f}"),
        ("host's share", show.percent(chosen.result.share)),
    ]
    if BOTH not in laps:
        text += setting.notes
        figures = trace_figures(chosen.result.trace.to_dict())
    else:
        trace = laps[BOTH].result.trace.to_dict()
        text.append("The charts show the run that both devices shared: they take chunks of edges from "
                    "the two ends of one queue until they meet.")  # fmt: skip
        figures = trace_figures(trace)[:1]
        if (rates := rates_of(trace)) is not None:
            measured = [(float(lap.result.share), lap.median, name) for name, lap in laps.items()
                        if name != "auto"]  # fmt: skip

            def draw(width: float) -> Drawing:
                return split_curve(rates, measured, None, width)

            figures.append(Figure(draw))
    figures.append(Figure(table=times_table(laps, "auto")))
    section = Section("Jaccard's similarity: host, device or both", text, facts, figures)
    return Outcome(section, chosen.result.why, chosen.median, HOST, naive)
