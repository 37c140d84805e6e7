"""Where a kernel of an algorithm in rounds runs: host or device, decided at every call."""
