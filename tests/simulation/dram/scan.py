"""A memory that looks at every request in every cycle: slow, and written to be obviously right.

It knows the rules as the checker states them, keeps for every command the cycle of its last issues,
and decides anew in each cycle. Nothing is remembered between cycles but queues, open rows and the past.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from tachograph.simulation.dram.checker import rules


@dataclass
class Request:
    number: int
    write: int
    address: int
    rank: int
    group: int
    bank: int
    row: int
    arrival: int
    first: bool = True

    @property
    def place(self):
        return self.rank, self.group, self.bank


def decode(memory, address):
    """Channel, rank, group, bank and row by arithmetic on the mapping's fields, lowest first."""
    sizes = memory.mapping.sizes
    line = address // memory.standard.request_bytes
    found = {}
    for name in reversed(list(sizes)):
        found[name] = line % sizes[name]
        line //= sizes[name]
    if memory.mapping.hashed:
        found["Ba"] ^= found["Ro"] % sizes["Ba"]
        found["Bg"] ^= found["Ro"] // sizes["Ba"] % sizes["Bg"]
    return tuple(found[name] for name in ("Ch", "Ra", "Bg", "Ba", "Ro"))


@dataclass
class Channel:
    memory: object
    cycle: int = 0
    high: int = 0
    low: int = 1
    writing: bool = False
    queues: tuple = field(default_factory=lambda: ([], []))
    activated: list = field(default_factory=list)
    refreshes: list = field(default_factory=list)
    pending: list = field(default_factory=list)
    open: dict = field(default_factory=dict)
    uses: Counter = field(default_factory=Counter)
    stamp: dict = field(default_factory=dict)
    past: dict = field(default_factory=lambda: defaultdict(list))
    log: list = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    def __post_init__(self):
        c = self.memory.controller
        self.high = int(c.write_high * c.write_queue)
        self.low = max(1, int(c.write_low * c.write_queue))
        self.rules = defaultdict(list)
        for rule in rules(self.memory.standard):
            self.rules[rule.after].append(rule)

    def enqueue(self, request, completion):
        c = self.memory.controller
        queue = self.queues[request.write]
        if len(queue) >= (c.write_queue if request.write else c.read_queue):
            return False
        if not request.write and any(w.address == request.address for w in self.queues[1]):
            completion[request.number] = self.cycle + 1
            self.pending.append(self.cycle + 1)
            self.counts["forwarded"] += 1
        else:
            queue.append(request)
        return True

    def ready(self, command, place):
        """Whether no rule forbids the command now."""
        rank = place[0]
        for rule in self.rules[command]:
            if rule.place == "other rank":
                ticks = [
                    self.past[rule.before, (r,)][-1:] for r in range(self.memory.ranks) if r != rank
                ]
                if any(t and self.cycle < t[0] + rule.cycles for t in ticks):
                    return False
                continue
            depth = {"channel": 0, "rank": 1, "stack": 1, "group": 2, "bank": 3}[rule.place]
            past = self.past[rule.before, place[:depth]]
            if len(past) >= rule.count and self.cycle < past[-rule.count] + rule.cycles:
                return False
        return True

    def needs(self, request):
        row = self.open.get(request.place)
        if row is None:
            return "ACT"
        return ("WR" if request.write else "RD") if row == request.row else "PRE"

    def best(self, queue):
        """The scheduler's choice, ready or not."""
        if not queue:
            return None
        oldest = min(queue, key=lambda r: r.arrival)
        if self.memory.controller.scheduler == "FCFS":
            return oldest
        cap = (
            self.memory.controller.cap
            if self.memory.controller.scheduler == "FRFCFS-Cap"
            else 10**9
        )
        able = [
            r
            for r in queue
            if self.ready(self.needs(r), r.place)
            and not (self.open.get(r.place) == r.row and self.uses[r.place] > cap)
        ]
        return min(able, key=lambda r: r.arrival) if able else oldest

    def issue(self, command, place, row):
        for depth in range(len(place) + 1):
            self.past[command, place[:depth]].append(self.cycle)
        self.log.append((self.cycle, command, *place, *(-1 for _ in range(3 - len(place))), row))
        self.counts[command] += 1
        if command == "ACT":
            self.open[place], self.uses[place], self.stamp[place] = row, 0, self.cycle
        elif command == "PRE":
            del self.open[place]
        elif command == "PREA":
            self.open = {p: r for p, r in self.open.items() if p[0] != place[0]}
        elif command in ("RD", "WR"):
            self.uses[place] += 1
            self.stamp[place] = self.cycle

    def tick(self, completion):
        """One cycle."""
        self.cycle += 1
        if self.pending and self.pending[0] <= self.cycle:
            self.pending.pop(0)
        refreshed = self.memory.controller.refresh != "none"
        if refreshed and self.cycle % self.memory.standard.timings["REFI"] == 0:
            self.refreshes += list(range(self.memory.ranks))
        reads, writes = map(len, self.queues)
        if not self.writing:
            self.writing = writes > self.high or reads == 0
        elif writes < self.low and reads:
            self.writing = False
        for queue in (self.activated, None):
            if queue is None and self.refreshes:
                if self.refresh():
                    return
                continue
            queue = self.queues[self.writing] if queue is None else queue
            request = self.best(queue)
            if request is not None and self.ready(self.needs(request), request.place):
                self.serve(queue, request, completion)
                return
        self.close()

    def refresh(self):
        for rank in self.refreshes:
            command = "PREA" if any(p[0] == rank for p in self.open) else "REF"
            if self.ready(command, (rank,)):
                if command == "REF":
                    self.refreshes.remove(rank)
                self.issue(command, (rank,), -1)
                return True
            if self.memory.controller.scheduler == "FCFS":
                return False
        return False

    def serve(self, queue, request, completion):
        command = self.needs(request)
        if request.first:
            request.first = False
            self.counts[{"ACT": "misses", "PRE": "conflicts"}.get(command, "hits")] += 1
        row = self.open[request.place] if command == "PRE" else request.row
        self.issue(command, request.place, row)
        if command == "ACT":
            queue.remove(request)
            self.activated.append(request)
        elif command in ("RD", "WR"):
            queue.remove(request)
            end = self.cycle
            if command == "RD":
                end += self.memory.standard.read_latency
                self.pending.append(end)
                self.counts["latency"] += end - request.arrival
            completion[request.number] = end

    def close(self):
        """Nothing else to do: the row policy may close a bank."""
        policy = self.memory.controller
        for place in sorted(self.open) if policy.rows != "open" else ():
            if policy.rows == "timeout" and self.cycle - self.stamp[place] < policy.timeout:
                continue
            if self.ready("PRE", place):
                self.issue("PRE", place, self.open[place])
                return

    def busy(self):
        return any((*self.queues, self.activated, self.refreshes, self.pending))


def simulate(memory, addresses, writes, arrivals=None):
    """Offer one request a cycle, in order; the cycles, completions and counters, and the channels."""
    channels = [Channel(memory) for _ in range(memory.channels)]
    completion = [0] * len(addresses)
    cycle = k = ended = 0
    while k < len(addresses) or any(c.busy() for c in channels) or cycle == ended:
        if k < len(addresses):
            if arrivals is None or arrivals[k] <= cycle:
                number, *place = decode(memory, int(addresses[k]))
                request = Request(k, int(writes[k]), int(addresses[k]), *place, cycle)
                k += channels[number].enqueue(request, completion)
            ended = cycle + 1
        else:
            for channel in channels:
                channel.high = 0
        for channel in channels:
            channel.tick(completion)
        cycle += 1
    counts = sum((c.counts for c in channels), Counter())
    return cycle, completion, counts, channels
