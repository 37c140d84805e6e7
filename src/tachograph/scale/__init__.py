"""Beyond one process and one machine, on Dask."""
