"""The compiled memory controller: one flat array of int64 is the whole memory system.

``layout``    which word of the array means what, and the array at rest
``queues``    byte addresses to bank and row, and the requests waiting in a channel
``waiting``   banks by what their requests need, and which row command is first
``earliest``  the first of many banks, eight at once
``distances`` cycles between two commands, from the timings of a standard
``plan``      the next command of a channel, and when
``refreshes`` when refreshes are asked for, and which is next
``commands``  what a command changes
``counters``  what is counted
``issue``     what is planned is carried out
``port``      offer, advance, take: what producers call, from Python or from compiled loops
``feed``      a list of requests through one port, or through one port for each channel
"""
