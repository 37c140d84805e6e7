"""Tachograph beside other libraries, in one run."""
