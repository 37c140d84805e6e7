"""How kernels are compiled, spread over threads, and kept in step."""
