"""Where a kernel runs: host or device, decided at every call."""
