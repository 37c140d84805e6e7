"""Pictures from plain data: one file for each kind of chart, all drawn the same way.

A chart is a function from lists of numbers to a ``Drawing``, which becomes SVG without any package, and
PNG or PDF by matplotlib. Results, plans and reports show the same charts.
"""
