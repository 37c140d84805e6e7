"""Jaccard's similarity of all edges, over both devices where there are two."""

from __future__ import annotations

from ...algorithms.similarity import jaccard
from ...plots import numbers as show
from ...plots.drawing import Drawing
from ...plots.report.page import Figure, Section
from ...plots.report.sections import trace_figures
from ...plots.split import rates_of, split_curve
from .planned import planned
from .race import race, saving, times_table
from .setting import Outcome, Setting, nearest

__all__ = ["similarity"]

MOST = 1 << 23  # arcs


def similarity(setting: Setting) -> Outcome:
    """What was decided beside each device alone and both."""
    graph, what = nearest(setting.undirected, setting.source, MOST)
    made = planned(setting, "similarity", graph)
    laps = race(made.ways("host", "device", "both"))
    chosen, naive = laps[made.chosen], laps[made.way("host")].median
    jaccard(graph, device="host", verify=True)
    about = "" if what == "the whole graph" else f" Shown on {what}."
    without = " Directions were dropped." if setting.graph.directed else ""
    text = [
        f"For every edge: the neighbours its ends have in common, by all they have.{about}{without}",
        made.told(),
        saving(chosen.median, naive, "the host alone") if not made.chosen.startswith("host") else
        "The host alone is also the naive choice here.",
    ]  # fmt: skip
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("edges", show.count(chosen.result.values.size)),
        ("mean similarity", f"{float(chosen.result.values.sum()) / max(1, graph.m):.4f}"),
        ("host's share", show.percent(chosen.result.share)),
    ]
    both = made.way("both")
    if not both.startswith("both"):
        text += setting.notes
        figures = trace_figures(chosen.result.trace.to_dict())
    else:
        trace = laps[both].result.trace.to_dict()
        text.append("The charts show the run that both devices shared: they take chunks of edges from "
                    "the two ends of one queue until they meet.")  # fmt: skip
        figures = trace_figures(trace)[:1]
        if (rates := rates_of(trace)) is not None:
            measured = [(float(lap.result.share), lap.median, name) for name, lap in laps.items()]

            def draw(width: float) -> Drawing:
                return split_curve(rates, measured, width)

            figures.append(Figure(draw))
    figures.append(Figure(table=times_table(laps, made.chosen, made.predicted)))
    section = Section("Jaccard's similarity: host, device or both", text, facts, figures)
    return Outcome(section, made.chosen, chosen.median, "host alone", naive,
                   made.predicted.get(made.chosen))  # fmt: skip
