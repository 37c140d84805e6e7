"""Maximal independent sets: in one pass, and in rounds."""
