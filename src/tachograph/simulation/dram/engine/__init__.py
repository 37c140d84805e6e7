"""The compiled memory controller: one flat array of int64 is the whole memory system.

``layout``    which word of the array means what, and the array at rest
``queues``    byte addresses to bank and row, and the requests waiting in a channel
``plan``      the next command of a channel, and when
``issue``     what a command changes, and what is counted
``port``      offer, advance, take: what producers call, from Python or from compiled loops
``feed``      a list of requests through one port, or through one port for each channel
"""
