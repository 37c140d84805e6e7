"""Pictures from plain data, all drawn the same way; results, plans and reports show the same charts.

A chart is a function from lists of numbers to a ``Drawing``, which becomes SVG without any package, and
PNG or PDF by matplotlib.
"""
