"""How long ways to run tasks take: measured on many graphs, fitted, judged on others."""
