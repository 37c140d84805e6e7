"""The compiled memory controller: one flat array of int64 is the whole memory system.

``layout``    which word of the array means what
``address``   byte addresses to channel, bank and row
``queues``    requests waiting in a channel
``plan``      the next command of a channel, and when
``issue``     what a command changes
``count``     what is counted on the way
``port``      offer, advance, take: what producers call, from Python or from compiled loops
``feed``      a list of requests through one port, or through one port for each channel
``stream``    runs of reads of one row, taken a row at a time
``parse``     text to requests
``replay``    the checker's loop, which shares nothing with the others
"""
