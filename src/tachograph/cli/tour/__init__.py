"""``tacho tour``: what Tachograph does, shown on one graph, on the terminal and as a page.

Every number is measured, or simulated where it says so, while the tour runs: what was decided and the
naive choice both run, in turns.
"""
