"""Version 2 of the memory that looks at every request in every tick: slow, and written to be obviously right.

Each tick is played as the controller of Ramulator 2.1 plays it: what is due is asked for, then each bus has
its turn, and for each turn every request is looked at anew. The only state is queues, open rows and the past.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

from tachograph.simulation.dram.rules import rules

COLUMNS = ("RD", "WR")


@dataclass
class Request:
    number: int
    write: int
    address: int
    place: tuple  # rank, group (of all stacks), bank
    row: int
    arrival: int
    first: bool = True


def decode(memory, address):
    """Channel, (rank, group of all stacks, bank), row by arithmetic on the mapping's fields, lowest first."""
    mapping, s = memory.mapping, memory.standard
    sizes = mapping.sizes
    line = address // s.request_bytes
    found = {}
    if mapping.xor:
        order = [("Ch", sizes["Ch"]), ("low", 4), ("Ra", sizes["Ra"]), ("Si", sizes["Si"])]
        order += [("Bg", sizes["Bg"]), ("Ba", sizes["Ba"]), ("high", sizes["Co"] // 4)]
        for name, size in order:
            line, found[name] = divmod(line, size)
        found["Ro"], column = line, found["low"] + 4 * found["high"]
        for name in ("Ra", "Si", "Bg", "Ba"):
            found[name] ^= column % sizes[name]
            column //= sizes[name]
        found["Ro"] ^= column
    else:
        for name in reversed(list(sizes)):
            line, found[name] = divmod(line, sizes[name])
        if mapping.hashed:
            found["Ba"] ^= found["Ro"] % sizes["Ba"]
            found["Bg"] ^= found["Ro"] // sizes["Ba"] % sizes["Bg"]
    place = found["Ra"], found["Si"] * s.groups + found["Bg"], found["Ba"]
    return found["Ch"], place, found["Ro"]


class Channel:
    def __init__(self, memory):
        self.memory, self.s, self.c = memory, memory.standard, memory.controller
        self.p, self.t = self.s.protocol, self.s.timings
        self.clock = 0
        self.writing = False
        self.queues, self.activated, self.maintenance = ([], []), [], []
        self.open, self.half, self.latest = {}, None, 0  # half: the request whose row is half open
        self.following, self.clock_end = None, 0
        self.pending, self.last = [], 0
        self.past, self.free = defaultdict(list), {}
        self.log, self.counts = [], Counter()
        self.rules = defaultdict(list)
        for rule in rules(self.s, self.c.version):
            self.rules[rule.after].append(rule)
        ticks = self.s.command_ticks
        like = {"WR": "RD", "CAS": "RD", "PREA": "PRE", "REFB": "REF", "ACT2": "ACT"}
        names = ("ACT", "PRE", "RD", "WR", "PREA", "REF", "REFB", "ACT2", "CAS")
        self.ticks = {name: ticks[like.get(name, name)] for name in names}
        self.ranks = memory.ranks * self.s.pseudo
        self.groups = self.s.stacks * self.s.groups
        self.asks = self.refreshes()
        self.due = next(self.asks)

    # Refreshes ---------------------------------------------------------------

    def refreshes(self):
        """Ticks and what is asked for in them, without end."""
        every = [
            (r, g, b)
            for r in range(self.ranks)
            for g in range(self.groups)
            for b in range(self.s.banks)
        ]
        t, k = self.t, 0
        if self.c.refresh == "all-bank":
            while True:
                k += 1
                yield k * t["REFI"], [("REF", (r,)) for r in range(self.ranks)]
        elif self.c.refresh == "per-bank" and not self.p["paired"]:
            while True:
                yield (k + 1) * t["REFIB"], [("REFB", every[k % len(every)])]
                k += 1
        elif self.c.refresh == "per-bank":
            tick, rested, each = t["REFIB"], {}, self.groups * self.s.banks
            while True:
                bank = k % each
                stack = bank // (self.s.groups * self.s.banks)
                tick = max(tick, rested.get(stack, 0))
                for rank in range(self.ranks):
                    yield tick + rank, [("REFB", every[rank * each + bank])]
                if (bank + 1) % (self.s.groups * self.s.banks) == 0:
                    rested[stack] = tick + self.ranks - 1 + t["RFCB"]
                tick, k = tick + t["REFIB"], k + 1
        while True:
            yield math.inf, []

    # Rules -------------------------------------------------------------------

    def bus(self, command):
        return "column" if self.p["buses"] == 2 and command in COLUMNS else "row"

    def nodes(self, place, where):
        """The places whose past a rule looks at."""
        rank = place[0]
        stack = place[1] // self.s.groups if len(place) > 1 else 0
        match where:
            case "channel":
                return [()]
            case "rank":
                return [("rank", rank)]
            case "stack":
                return [("stack", rank, stack)]
            case "group":
                return [("group", *place[:2])]
            case "bank":
                return [("bank", *place)]
            case "other rank":
                return [("rank", r) for r in range(self.ranks) if r != rank]
            case "other stack":
                return [("stack", rank, i) for i in range(self.s.stacks) if i != stack]

    def ready(self, command, place):
        """Whether no rule and no bus forbids the command now."""
        if self.clock < self.free.get(self.bus(command), 0):
            return False
        if self.p["half_clocks"] and self.clock % 2 == 0 and command not in ("PRE", "PREA"):
            return False
        for rule in self.rules[command]:
            for node in self.nodes(place, rule.place):
                past = self.past[rule.before, node]
                if len(past) >= rule.count and self.clock < past[-rule.count] + rule.cycles:
                    return False
        return True

    def needs(self, request):
        if self.half is not None and self.half.place == request.place:
            return "ACT2"
        row = self.open.get(request.place)
        if row is None:
            return "ACT"
        return COLUMNS[request.write] if row == request.row else "PRE"

    def held(self, place):
        """Whether closing these rows would take one from a request it was opened for."""
        return any(r.place[: len(place)] == place for r in self.activated)

    # A tick ------------------------------------------------------------------

    def tick(self, completion):
        self.clock += 1
        while self.due[0] <= self.clock:
            self.maintenance += self.due[1]
            self.due = next(self.asks)
        while self.pending and self.pending[0][0] <= self.clock:
            _, number = self.pending.pop(0)
            completion[number] = self.clock
        if self.following is not None:
            command = COLUMNS[self.following[1].write]
            if self.ready(command, self.following[1].place):
                self.go(*self.following, command, completion)
                self.following = None
            return
        if self.p["buses"] == 2:
            self.turn("column", completion)
            self.turn("row", completion)
            return
        if self.half is not None and self.clock >= self.latest:
            self.second()
        elif not self.turn("row", completion) and self.half is not None:
            if self.ready("ACT2", self.half.place):
                self.second()

    def turn(self, bus, completion):
        """One bus may send a command; whether it did."""
        two = self.p["buses"] == 2
        if not two or bus == "column":
            request = self.oldest(self.activated, bus)
            if request is not None:
                return self.serve(self.activated, request, completion)
        if self.maintenance:
            if two and bus == "column":
                return False
            return self.maintain()
        reads, writes = map(len, self.queues)
        size = self.c.write_queue
        if not self.writing:
            self.writing = writes > self.c.write_high * size or reads == 0
        elif (writes == 0 or writes < self.c.write_low * size) and reads:
            self.writing = False
        queue = self.queues[self.writing]
        request = self.oldest(queue, bus)
        return request is not None and self.serve(queue, request, completion)

    def oldest(self, queue, bus):
        """The oldest request that may and can go."""
        able = []
        for request in queue:
            command = self.needs(request)
            if command == "ACT2" or (command == "ACT" and self.half is not None):
                continue
            if self.p["buses"] == 2 and self.bus(command) != bus:
                continue
            if command == "PRE":
                if self.held(request.place):
                    continue
                rivals = [r for r in queue if r.place == request.place and self.needs(r) in COLUMNS]
                keep = self.c.scheduler == "FRFCFS-RowHit"
                if keep and any(r.arrival <= request.arrival for r in rivals):
                    continue
            if self.ready(command, request.place):
                able.append(request)
        return min(able, key=lambda r: r.arrival) if able else None

    def maintain(self):
        """The first refresh of all that wait, or the precharge that it needs."""
        command, place = self.maintenance[0]
        if any(p[: len(place)] == place for p in self.open):
            command = "PREA" if command == "REF" else "PRE"
            if self.held(place):
                return False
        if self.half is not None and self.half.place[: len(place)] == place:
            return False
        if not self.ready(command, place):
            return False
        if command in ("REF", "REFB"):
            self.maintenance.pop(0)
        self.issue(command, place, self.open[place] if command == "PRE" else -1)
        return True

    def second(self):
        request, self.half = self.half, None
        self.issue("ACT2", request.place, request.row)
        self.open[request.place] = request.row
        self.activated.append(request)

    def serve(self, queue, request, completion):
        command = self.needs(request)
        if self.p["split"] and command in COLUMNS and self.clock >= self.clock_end:
            if self.half is not None and self.latest <= self.clock + self.ticks["CAS"]:
                self.second()
                return True
            self.issue("CAS", request.place, request.row)
            self.following = (queue, request)
            return True
        self.go(queue, request, command, completion)
        return True

    def go(self, queue, request, command, completion):
        if request.first:
            request.first = False
            self.counts[{"ACT": "misses", "PRE": "conflicts"}.get(command, "hits")] += 1
        row = self.open[request.place] if command == "PRE" else request.row
        self.issue(command, request.place, row)
        if command == "PRE":
            return
        queue.remove(request)
        if command == "ACT" and self.p["split"]:
            self.half, self.latest = request, self.clock + self.t["AAD"]
        elif command == "ACT":
            self.open[request.place] = request.row
            self.activated.append(request)
        else:
            runs = self.t["CWL" if request.write else "CL"] + self.t["BL"] + self.t["WCKPST"]
            self.clock_end = max(self.clock_end, self.clock + runs)
            if request.write:
                completion[request.number] = self.last = self.clock
            else:
                end = self.clock + self.s.read_latency
                self.counts["latency"] += end - request.arrival
                self.pending.append((end, request.number))

    def issue(self, command, place, row):
        nodes = [(), ("rank", place[0])]
        if len(place) == 3:
            stack = place[1] // self.s.groups
            nodes += [("stack", place[0], stack), ("group", *place[:2]), ("bank", *place)]
        for node in nodes:
            self.past[command, node].append(self.clock)
        self.free[self.bus(command)] = self.clock + self.ticks[command]
        self.log.append((self.clock, command, *place, *(-1 for _ in range(3 - len(place))), row))
        self.counts[command] += 1
        if command in ("PRE", "PREA"):
            self.open = {p: r for p, r in self.open.items() if p[: len(place)] != place}

    def enqueue(self, request, completion):
        queue = self.queues[request.write]
        if any(w.address == request.address for w in self.queues[1]):
            if request.write:
                completion[request.number] = self.clock
                self.counts["merged"] += 1
            else:
                self.pending.append((self.clock + 1, request.number))
                self.counts["forwarded"] += 1
            return True
        if len(queue) >= (self.c.write_queue if request.write else self.c.read_queue):
            return False
        queue.append(request)
        return True

    def busy(self):
        return any((*self.queues, self.activated, self.pending, self.half, self.following))


def simulate(memory, addresses, writes, arrivals=None):
    """Offer one request a tick, in order; the ticks, completions and counters, and the channels."""
    channels = [Channel(memory) for _ in range(memory.channels)]
    completion = [0] * len(addresses)
    tick = k = 0
    while k < len(addresses) or any(c.busy() for c in channels):
        if k < len(addresses) and (arrivals is None or arrivals[k] <= tick):
            number, place, row = decode(memory, int(addresses[k]))
            request = Request(k, int(writes[k]), int(addresses[k]), place, row, tick)
            k += channels[number].enqueue(request, completion)
        for channel in channels:
            channel.tick(completion)
        tick += 1
    counts = sum((c.counts for c in channels), Counter())
    return tick, completion, counts, channels
