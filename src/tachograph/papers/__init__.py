"""Tachograph beside others: peers in one run, published numbers."""
