"""Which part of the edges the host computes, and which the device."""
