"""Runs as a page for a browser: charts, tables, what was decided; one file that needs no network."""
