"""Runs as a page for a browser: charts, tables and what was decided, in one file that needs no network."""
