/* Breadth-first search, twin of search.py and steps.py. blocks.cl says how work is shared: rows of a push are
 * those of the frontier, rows of a pull those of all unvisited vertices, 32 of which make a word of a bitmap
 * and belong to one slice.
 *
 * `tree` has the level of each vertex, then its parent. As on the host the parent is, while a vertex is
 * unvisited, -(out-degree + 1), so that arcs out of the next frontier are summed while it is made. The
 * frontier is queue[LO..HI) (push), or a bitmap (pull). `state` is all that the search knows about itself: the
 * host enqueues several levels and reads it once. A level that comes after the end does nothing.
 *
 * Every vertex enters the queue at most once: n slots are enough.
 */
#include "blocks.cl"

enum { /* places in `state`; the first four are sums of the vertices that a level finds */
    FOUND, FOUND_HUBS, FOUND_ARCS, FOUND_ARCS_HIGH, TASKS, TAIL, LO, HI, VERTICES, HUBS, ARCS, ARCS_HIGH,
    DEPTH, OVER, LOGGED, ALL, CUTOFF, TARGET, HUB_ABOVE, WIDE_TASKS, LOG = 32
};
#define LOG_COLUMNS 6
#define LOG_ROWS 512

#define IS_OVER(state) ((state)[OVER] != 0)

/* Mark all vertices as unvisited. */
__kernel void make_unvisited(__global const OFFSET *ptr, long n, __global int *tree)
{
    long v = get_global_id(0);
    if (v >= n) return;
    tree[v] = -1;
    tree[n + v] = -(int)min((long)(ptr[v + 1] - ptr[v]), (long)0x7ffffffe) - 1;
}

/* Put the sources into the queue. */
__kernel void enter(__global const int *sources, int count, __global int *tree, __global int *queue,
                    __global int *state)
{
    __local Desk desk;
    uint found = 0, hubs = 0;
    ulong arcs = 0;
    clear_desk(&desk);
    for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
        int v = sources[i], mark = tree[state[ALL] + v];
        queue[i] = v;
        tree[v] = 0;
        tree[state[ALL] + v] = v;
        found++;
        hubs += -mark - 1 > state[HUB_ABOVE];
        arcs += -mark - 1;
    }
    add_sums(&desk, found, hubs, arcs, (volatile __global uint *)state);
}

/* End a level: note it, and make what it found the next one. `direction` is -1 for that of the sources. */
__kernel void end_level(__global int *state, __global const int *tree, int direction)
{
    if (get_global_id(0) > 0 || IS_OVER(state)) return;
    int found = state[FOUND];
    if (direction >= 0) {
        __global int *row = state + LOG + LOG_COLUMNS * (state[LOGGED]++ % LOG_ROWS);
        row[0] = direction;
        row[1] = state[VERTICES];
        row[2] = state[HUBS];
        row[3] = state[ARCS];
        row[4] = state[ARCS_HIGH];
        row[5] = state[LO];
        state[DEPTH]++;
    }
    state[LO] = direction == 1 ? state[TAIL] : state[TAIL] - found; /* a pull leaves room in the queue */
    state[HI] = state[LO] + found;
    for (int i = 0; i < 4; i++) {
        state[VERTICES + i] = state[FOUND + i];
        state[FOUND + i] = 0;
    }
    state[TASKS] = 0;
    state[OVER] = found == 0 || state[DEPTH] == state[CUTOFF]
                  || (state[TARGET] >= 0 && tree[state[TARGET]] >= 0);
}

/* What a work-item sums. */
typedef struct {
    uint found, hubs;
    ulong arcs;
} Sums;

/* Claim `v` for `u`: true for the first of all that try. */
int claim(__global int *tree, int n, int v, int u, int depth, int hub_above, Sums *sums)
{
    volatile __global int *parent = tree + n;
    int mark = parent[v];
    if (mark >= 0 || atomic_cmpxchg(&parent[v], mark, u) != mark) return 0;
    tree[v] = depth;
    sums->found++;
    sums->hubs += -mark - 1 > hub_above;
    sums->arcs += -mark - 1;
    return 1;
}

/* One work-item for each vertex of the frontier claims its targets; wide rows are cut into tasks. */
__kernel void push(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                   __global int *queue, __global int2 *tasks, __global int *state, int piece, int pieces)
{
    __local Desk desk;
    if (IS_OVER(state)) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int lo = state[LO], count = state[HI] - lo;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(count, ROWS, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        int end = (int)min((b + 1L) * ROWS, (long)count);
        for (long i = (long)b * ROWS + get_local_id(0); i < end; i += GROUP) {
            int u = queue[lo + i];
            OFFSET k = ptr[u], stop = ptr[u + 1];
            if (stop - k >= WIDE_FROM) {
                cut_row(u, stop - k, tasks, &state[TASKS]);
                continue;
            }
            for (; k < stop; k++) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth, hub_above, &sums)) keep(&desk, v, queue, &state[TAIL]);
            }
        }
        flush(&desk, queue, &state[TAIL]);
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* One slice for each task that `push` has made. */
__kernel void push_wide(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                        __global int *queue, __global const int2 *tasks, __global int *state, int piece,
                        int pieces)
{
    __local Desk desk;
    if (IS_OVER(state)) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(state[TASKS], SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        if (b * SLICES + slice < state[TASKS]) {
            int2 task = tasks[b * SLICES + slice];
            OFFSET from = ptr[task.x] + (OFFSET)task.y * CHUNK, stop = min(ptr[task.x + 1], from + CHUNK);
            for (OFFSET k = from + lane; k < stop; k += LANES) {
                int v = indices[k];
                if (claim(tree, n, v, task.x, depth, hub_above, &sums))
                    keep(&desk, v, queue, &state[TAIL]);
            }
        }
        flush(&desk, queue, &state[TAIL]);
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* One group pushes up to `levels` levels by itself, as long as they have at most `most` arcs. */
__kernel void alone(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                    __global int *queue, __global int *state, int levels, int most)
{
    __local Desk desk;
    __local int wide[ALONE_ARCS / WIDE_FROM + 1], wides, over;
    int me = get_local_id(0), n = state[ALL], hub_above = state[HUB_ABOVE], target = state[TARGET];
    if (get_group_id(0) > 0 || IS_OVER(state)) return;
    int lo = state[LO], hi = state[HI], depth = state[DEPTH], logged = state[LOGGED], hubs = state[HUBS];
    ulong arcs = (ulong)(uint)state[ARCS_HIGH] << 32 | (uint)state[ARCS];
    if (me == 0) over = 0;
    TOGETHER;
    for (int turn = 0; turn < levels && !over && arcs <= (ulong)most; turn++) {
        Sums sums = {0, 0, 0};
        if (me == 0) wides = 0;
        clear_desk(&desk);
        for (int i = lo + me; i < hi; i += GROUP) {
            int u = queue[i];
            OFFSET k = ptr[u], stop = ptr[u + 1];
            if (stop - k >= WIDE_FROM) {
                wide[TAKE(&wides)] = u;
                continue;
            }
            for (; k < stop; k++) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth + 1, hub_above, &sums)) queue[hi + TAKE(&desk.held)] = v;
            }
        }
        TOGETHER;
        for (int w = 0; w < wides; w++) {
            int u = wide[w];
            for (OFFSET k = ptr[u] + me, stop = ptr[u + 1]; k < stop; k += GROUP) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth + 1, hub_above, &sums)) queue[hi + TAKE(&desk.held)] = v;
            }
        }
#if GROUP == 1
        desk.hubs = sums.hubs;
        ulong next = sums.arcs;
#else
        atomic_add(&desk.hubs, sums.hubs);
        uint low = (uint)sums.arcs, old = atomic_add(&desk.arcs[0], low);
        atomic_add(&desk.arcs[1], (uint)(sums.arcs >> 32) + (old + low < old));
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        ulong next = (ulong)desk.arcs[1] << 32 | desk.arcs[0];
#endif
        if (me == 0) {
            __global int *row = state + LOG + LOG_COLUMNS * (logged % LOG_ROWS);
            row[0] = 0;
            row[1] = hi - lo;
            row[2] = hubs;
            row[3] = (int)(uint)arcs;
            row[4] = (int)(arcs >> 32);
            row[5] = lo;
            over = desk.held == 0 || depth + 1 == state[CUTOFF] || (target >= 0 && tree[target] >= 0);
        }
        logged++;
        depth++;
        hubs = desk.hubs;
        arcs = next;
        lo = hi;
        hi += desk.held;
        TOGETHER;
    }
    if (me > 0) return;
    state[LOGGED] = logged;
    state[DEPTH] = depth;
    state[LO] = lo;
    state[HI] = state[TAIL] = hi;
    state[VERTICES] = hi - lo;
    state[HUBS] = hubs;
    state[ARCS] = (int)(uint)arcs;
    state[ARCS_HIGH] = (int)(arcs >> 32);
    state[OVER] = over;
}

/* Set the bits of the frontier in the queue; the bitmap is empty before. */
__kernel void to_bitmap(__global const int *queue, __global const int *state, __global uint *front)
{
    for (long i = state[LO] + (long)get_global_id(0); i < state[HI]; i += get_global_size(0))
        atomic_or(&front[queue[i] >> 5], 1u << (queue[i] & 31));
}

/* Put the vertices of a bitmap into the queue, where the level before has left room. */
__kernel void to_queue(__global const uint *front, __global int *queue, __global int *state)
{
    __local Desk desk;
    int words = (int)(((long)state[ALL] + 31) / 32);
    clear_desk(&desk);
    for (int b = ME; (long)b * ROWS < words; b += GROUPS) {
        for (long w = (long)b * ROWS + get_local_id(0); w < min((b + 1L) * ROWS, (long)words); w += GROUP)
            for (uint bits = front[w]; bits; bits &= bits - 1)
                keep(&desk, (int)(w * 32 + 31 - clz(bits & -bits)), queue, &state[TAIL]);
        flush(&desk, queue, &state[TAIL]);
    }
}

/* Make a task of each piece of every wide row, for all pulls of a search. */
__kernel void list_wide(__global const OFFSET *ptr, __global int *state, __global int2 *wide)
{
    long v = get_global_id(0);
    if (v < state[ALL] && ptr[v + 1] - ptr[v] >= WIDE_FROM)
        cut_row((int)v, ptr[v + 1] - ptr[v], wide, &state[WIDE_TASKS]);
}

/* One slice for each word of 32 vertices: those that nobody has reached look for a parent in the bitmap
 * `front`, and make the word of `after`. `ptr` and `indices` are the rows of the transpose. */
__kernel void pull(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                   __global const uint *front, __global uint *after, __global int *state, int piece,
                   int pieces)
{
    __local Desk desk;
    __local uint words[SLICES];
    if (IS_OVER(state)) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
    __global int *parent = tree + n;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(((long)n + 31) / 32, SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        uint word = (uint)b * SLICES + slice; /* with long, Intel's driver finds nothing in slices of 32 */
        uint bits = 0;
        for (int j = lane; j < 32; j += LANES) {
            uint v = word * 32 + j; /* at most 2^31 + 32 * SLICES */
            int mark = 0, u = -1;
            if (v < (uint)n) mark = parent[v];
            if (mark < 0) {
                OFFSET k = ptr[v], stop = ptr[v + 1];
                if (stop - k >= WIDE_FROM) stop = k;
                for (; k < stop && u < 0; k++) {
                    int candidate = indices[k];
                    if (front[candidate >> 5] >> (candidate & 31) & 1) u = candidate;
                }
            }
            if (u >= 0) {
                parent[v] = u;
                tree[v] = depth;
                bits |= 1u << j;
                sums.found++;
                sums.hubs += -mark - 1 > hub_above;
                sums.arcs += -mark - 1;
            }
        }
#if LANES == 1
        if (word * 32 < (uint)n) after[word] = bits;
#else
        if (lane == 0) words[slice] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (bits) atomic_or(&words[slice], bits);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0 && word * 32 < (uint)n) after[word] = words[slice];
#endif
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* After `pull`: one slice for each task of a wide row. */
__kernel void pull_wide(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                        __global const uint *front, __global uint *after, __global const int2 *wide,
                        __global int *state, int piece, int pieces)
{
    __local Desk desk;
    if (IS_OVER(state)) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
    volatile __global int *parent = tree + n;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(state[WIDE_TASKS], SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        if (b * SLICES + slice >= state[WIDE_TASKS]) continue;
        int2 task = wide[b * SLICES + slice];
        int v = task.x;
        OFFSET from = ptr[v] + (OFFSET)task.y * CHUNK, stop = min(ptr[v + 1], from + CHUNK);
        for (OFFSET k = from + lane; k < stop && parent[v] < 0; k += LANES) {
            int u = indices[k];
            if ((front[u >> 5] >> (u & 31) & 1) && claim(tree, n, v, u, depth, hub_above, &sums))
                atomic_or(&after[v >> 5], 1u << (v & 31));
        }
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* Make queue[from..to) unvisited again. */
__kernel void take_back(__global const OFFSET *ptr, __global int *tree, __global const int *queue,
                        __global const int *state, int from, int to)
{
    for (long i = from + (long)get_global_id(0); i < to; i += get_global_size(0)) {
        int v = queue[i];
        tree[v] = -1;
        tree[state[ALL] + v] = -(int)min((long)(ptr[v + 1] - ptr[v]), (long)0x7ffffffe) - 1;
    }
}

/* Go back to the level of row `logged` of the log, whose frontier is queue[LO..HI) again. */
__kernel void restore(__global int *state, int logged, int depth)
{
    if (get_global_id(0) > 0) return;
    __global const int *row = state + LOG + LOG_COLUMNS * (logged % LOG_ROWS);
    state[LOGGED] = logged;
    state[DEPTH] = depth;
    state[VERTICES] = row[1];
    state[HUBS] = row[2];
    state[ARCS] = row[3];
    state[ARCS_HIGH] = row[4];
    state[LO] = row[5];
    state[HI] = state[TAIL] = row[5] + row[1];
    for (int i = 0; i < 4; i++) state[FOUND + i] = 0;
    state[TASKS] = state[OVER] = 0;
}

/* Vertices that nobody has reached have no parent. */
__kernel void complete(__global int *tree, long n)
{
    long v = get_global_id(0);
    if (v < n && tree[n + v] < 0) tree[n + v] = -1;
}
