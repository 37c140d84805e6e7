/* Twins of rounds.py. ID: int or long, of vertices; PLACE: of arcs; NUM: long or double. GROUP is the size
   of a work-group. BY_ARCS (whole capacities only: sums are in another order): a group shares the arcs of its
   rows; without, a work-item has a row. */
#include "by_arcs.cl"

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

/* `book` keeps what kernels count, so that the host need not look after each. A kernel finds the length of its
   work list at `before`, or as `count` if that is negative. At `here` it counts the entries that it lists and,
   modulo 2**32, the arcs that it looks at. Rounds have RING places in turns, two numbers for preflow and two
   for adjust; the first work-item of preflow clears the place of the next round. Behind them: */
#define LISTED 0
#define LOOKED 1
#define PLACE_OF(turn) (4 * ((turn) % RING))
#define HALT (4 * RING)     /* of a round: whether rounds have to wait for a search; 4 take turns */
#define END (HALT + 4)      /* of a level: where it begins in the queue of a search; 4 take turns */
#define FOUND (END + 4)     /* of a level: how many vertices it has; 4 take turns */
#define START (FOUND + 4)   /* vertices with excess that a search has found */
#define LEVELS (START + 1)   /* of a search */
#define CHECKSUM (START + 2)

#ifdef REAL
#define BITS(x) as_ulong(x)
#else
#define BITS(x) (ulong)(x)
#endif

static inline long listed(int before, long count, int turn, volatile __global int *book)
{
    return before < 0 ? count : book[HALT + turn % 4] ? 0 : (long)book[before];
}

/* Before a round: is a search worth it first, as the host would decide by what the last round counted?
   `looked` has `rounds` times the arcs that were looked at and, for each round, all arcs once. */
static inline bool halted(int turn, long arcs, long rounds, volatile __global int *book, __global long *looked)
{
    int last = PLACE_OF(turn + RING - 1), was = (turn + 3) % 4, is = turn % 4;
    long now = looked[was] + arcs
        + rounds * ((long)(uint)book[last + LOOKED] + (long)(uint)book[last + 2 + LOOKED]);
    bool halt = turn && (book[HALT + was] || now >= rounds * arcs || book[last + 2 + LISTED] == 0);
    if (get_global_id(0) == 0) {
        looked[is] = turn ? now : 0;
        book[HALT + is] = halt;
        for (int i = 0; i < 4; i++) book[PLACE_OF(turn + 1) + i] = 0;
    }
    return halt;
}

static inline bool enters(ID v, volatile __global int *mark)
{
    return mark[v] == 0 && atomic_cmpxchg(&mark[v], 0, 1) == 0;
}

#define FOR_BLOCKS(i, first, last) \
    for (long i = (first) + (long)get_global_id(0), past = (last); i - get_local_id(0) < past; \
         i += get_global_size(0))

__kernel void preflow(int before, long count, int here, int turn, long arcs, long rounds,
                      __global long *looked_at, __global const ID *work,
                      __global const long *begins, __global const ID *target, __global NUM *room,
                      __global const ID *height, __global NUM *excess, __global NUM *sent,
                      __global ID *next_height, volatile __global int *mark, __global ID *out,
                      volatile __global int *book, ID n)
{
    if (before >= 0) count = halted(turn, arcs, rounds, book, looked_at) ? 0 : book[before];
    long looked = 0;
#ifdef BY_ARCS
    __local long box[4 * GROUP], sums[2 * GROUP], left[GROUP];
    __local int level[GROUP], lowest[GROUP], places[4];
    int me = get_local_id(0);
    FOR_BLOCKS(i, 0, count) {
        ID v = i < count ? work[i] : 0;
        long begin = begins[v], end = i < count ? begins[v + 1] : begin;
        left[me] = excess[v];
        level[me] = (int)height[v];
        lowest[me] = (int)n;
        rows_of_group rows = note_rows(begin, end, box);
        for (long tile = 0; tile < rows.total; tile += GROUP) {
            long k = tile + me, can = 0, arc = 0;
            ID u = 0;
            int h = 0;
            bool valid = k < rows.total;
            int row = row_with(rows, 0, k);
            if (valid) {
                arc = arc_at(rows, row, k);
                can = room[arc];
                u = target[arc];
                h = (int)height[u];
            }
            bool lower = valid && can > 0 && h == level[row] - 1;
            __local long *upto = long_sums(lower ? can : 0, sums);
            long place = (row ? rows.upto[row - 1] : 0) - tile; /* of the row's first arc */
            long others = place > 0 ? upto[place - 1] : 0;
            long rest = lower ? left[row] - (upto[me] - can - others) : 0;
            long amount = rest > 0 ? min(can, rest) : 0;
            if (amount > 0) {
                room[arc] = can - amount;
                sent[arc] = amount;
            }
            if (valid && can > amount) atomic_min(&lowest[row], h);
            append(amount > 0 && enters(u, mark), u, out, &book[here + LISTED], places);
            if (valid && (k + 1 == rows.upto[row] || me == GROUP - 1))
                left[row] -= min(left[row], upto[me] - others);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        bool stays = i < count && left[me] > 0;
        if (i < count) excess[v] = left[me];
        if (stays) next_height[v] = min(lowest[me] + 1, (int)n);
        append(stays && enters(v, mark), v, out, &book[here + LISTED], places + 2);
        if (me == 0) looked += rows.total;
    }
#else
    for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
        ID v = work[i];
        NUM have = excess[v];
        ID own = height[v], lowest = n;
        long last = begins[v + 1];
        for (long k = begins[v]; k < last; k++) {
            NUM can = room[k];
            if (!(can > 0)) continue;
            ID u = target[k], h = height[u];
            if (h == own - 1 && have > 0) {
                NUM amount = can < have ? can : have;
                room[k] = can - amount;
                sent[k] = amount;
                have -= amount;
                can -= amount;
                if (enters(u, mark)) out[atomic_inc(&book[here + LISTED])] = u;
            }
            if (can > 0 && h < lowest) lowest = h;
        }
        excess[v] = have;
        if (have > 0) {
            next_height[v] = lowest + 1 < n ? lowest + 1 : n;
            if (enters(v, mark)) out[atomic_inc(&book[here + LISTED])] = v;
        }
        looked += last - begins[v];
    }
#endif
    if (looked) atomic_add(&book[here + LOOKED], (int)looked);
}

__kernel void adjust(int before, long count, int here, int turn, __global const ID *work, ID root, ID other,
                     __global const long *begins, __global const PLACE *back, __global NUM *room,
                     __global ID *height, __global NUM *excess, __global NUM *sent,
                     __global const ID *next_height, volatile __global int *mark,
                     __global ID *out, volatile __global int *book, ID n)
{
    count = listed(before, count, turn, book);
    long looked = 0;
#ifdef BY_ARCS
    __local long box[4 * GROUP], sums[2 * GROUP], gained[GROUP];
    __local int places[2];
    int me = get_local_id(0);
    FOR_BLOCKS(i, 0, count) {
        ID v = i < count ? work[i] : 0;
        long begin = begins[v], end = i < count ? begins[v + 1] : begin;
        gained[me] = 0;
        rows_of_group rows = note_rows(begin, end, box);
        for (long tile = 0; tile < rows.total; tile += GROUP) {
            long k = tile + me, came = 0;
            int row = row_with(rows, 0, k);
            if (k < rows.total) {
                long arc = arc_at(rows, row, k);
                PLACE reverse = back[arc];
                came = sent[reverse];
                if (came > 0) {
                    sent[reverse] = 0;
                    room[arc] += came;
                }
            }
            __local long *upto = long_sums(came, sums);
            long place = (row ? rows.upto[row - 1] : 0) - tile;
            if (k < rows.total && (k + 1 == rows.upto[row] || me == GROUP - 1))
                gained[row] += upto[me] - (place > 0 ? upto[place - 1] : 0);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        bool goes_on = false;
        if (i < count) {
            long have = excess[v] + gained[me];
            mark[v] = 0;
            excess[v] = have;
            height[v] = next_height[v];
            goes_on = have > 0 && height[v] < n && v != root && v != other;
        }
        append(goes_on, v, out, &book[here + LISTED], places);
        if (me == 0) looked += rows.total;
    }
#else
    for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
        ID v = work[i];
        mark[v] = 0;
        NUM have = excess[v];
        long last = begins[v + 1];
        for (long k = begins[v]; k < last; k++) {
            PLACE reverse = back[k];
            NUM came = sent[reverse];
            if (came > 0) {
                sent[reverse] = 0;
                room[k] += came;
                have += came;
            }
        }
        excess[v] = have;
        height[v] = next_height[v];
        if (have > 0 && height[v] < n && v != root && v != other)
            out[atomic_inc(&book[here + LISTED])] = v;
        looked += last - begins[v];
    }
#endif
    if (looked) atomic_add(&book[here + LOOKED], (int)looked);
}

/* a search level by level: clear, then expand until a level is empty */
__kernel void clear(ID root, ID n, __global ID *height, __global ID *next_height, __global ID *queue,
                    __global int *book)
{
    long v = (long)get_global_id(0);
    if (v >= n) return;
    height[v] = next_height[v] = v == root ? 0 : n;
    if (v != root) return;
    queue[0] = root;
    for (int i = 0; i < 4; i++) book[PLACE_OF(0) + i] = book[FOUND + i] = 0;
    book[FOUND] = 1;
    book[END] = book[START] = book[CHECKSUM] = 0;
}

__kernel void expand(int level, ID other, __global const long *begins, __global const ID *target,
                     __global const PLACE *back, __global const NUM *room,
                     volatile __global ID *height, __global const NUM *excess,
                     __global ID *next_height, __global ID *queue, volatile __global int *mark,
                     __global ID *out, volatile __global int *book, ID n)
{
    volatile __global int *found = &book[FOUND + (level + 1) % 4];
    long first = book[END + level % 4], last = first + book[FOUND + level % 4];
    if (get_global_id(0) == 0) {
        book[END + (level + 1) % 4] = (int)last;
        book[FOUND + (level + 2) % 4] = 0;
        if (first < last) book[LEVELS] = level + 1;
    }
#ifdef BY_ARCS
    __local long box[4 * GROUP];
    __local int places[4];
    int me = get_local_id(0);
    ID above = level + 1;
    FOR_BLOCKS(i, first, last) {
        ID v = i < last ? queue[i] : 0;
        long begin = begins[v], end = i < last ? begins[v + 1] : begin;
        rows_of_group rows = note_rows(begin, end, box);
        for (long tile = 0; tile < rows.total; tile += GROUP) {
            long k = tile + me;
            bool is_new = false;
            ID u = 0;
            if (k < rows.total) {
                long arc = arc_at(rows, row_with(rows, 0, k), k);
                u = target[arc];
                is_new = height[u] == n && u != other && room[back[arc]] > 0
                    && atomic_cmpxchg(&mark[u], 0, 2) == 0;
                if (is_new) height[u] = next_height[u] = above;
            }
            append(is_new, u, queue + last, found, places);
            append(is_new && excess[u] > 0, u, out, &book[START], places + 2);
        }
    }
#else
    for (long i = first + (long)get_global_id(0); i < last; i += get_global_size(0)) {
        ID v = queue[i], above = level + 1;
        for (long k = begins[v]; k < begins[v + 1]; k++) {
            ID u = target[k];
            if (height[u] != n || u == other || !(room[back[k]] > 0)) continue;
            if (atomic_cmpxchg(&mark[u], 0, 2) != 0) continue;
            height[u] = next_height[u] = above;
            queue[last + atomic_inc(found)] = u;
            if (excess[u] > 0) out[atomic_inc(&book[START])] = u;
        }
    }
#endif
}

/* nobody is marked between kernels */
__kernel void unmark(int level, __global const ID *queue, volatile __global int *mark,
                     __global const int *book)
{
    long end = book[END + level % 4] + book[FOUND + level % 4];
    for (long i = get_global_id(0); i < end; i += get_global_size(0)) mark[queue[i]] = 0;
}

/* a number that changes, almost certainly, if an excess or a height does */
__kernel void checksum(ID n, __global const NUM *excess, __global const ID *height,
                       volatile __global int *book)
{
    ulong sum = 0;
    for (long v = get_global_id(0); v < n; v += get_global_size(0)) {
        ulong x = (BITS(excess[v]) ^ (ulong)height[v] << 40) + (ulong)(v + 1) * 0x9E3779B97F4A7C15UL;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
        sum += x ^ (x >> 27);
    }
    atomic_add(&book[CHECKSUM], (int)(sum >> 20));
}
