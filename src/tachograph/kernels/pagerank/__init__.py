"""PageRank and products with a vector."""
