"""The devices that kernels run on: the host and OpenCL devices, what they can do, what that costs."""
