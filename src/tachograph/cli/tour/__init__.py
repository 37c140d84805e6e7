"""``tacho tour``: what Tachograph does, shown on one graph, on the terminal and as a page.

Every number is measured, or simulated where it says so, while the tour runs: the chosen way and the
naive one are timed alternately.
"""
