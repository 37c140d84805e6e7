/* Breadth-first search, twin of search.py and steps.py. blocks.cl says how work is shared: rows of a push are
 * those of the frontier, rows of a pull those of all unvisited vertices, 32 of which make a word of a bitmap
 * and belong to one slice.
 *
 * `tree` has the level of each vertex, then its parent. As on the host the parent is, while a vertex is
 * unvisited, -(out-degree + 1), so that arcs out of the next frontier are summed while it is made. The
 * frontier is queue[LO..HI) (FORM is PUSH), or a bitmap (PULL): half FLIP of `bitmaps`, whose other half a pull
 * fills. `state` is all that the search knows about itself. The host enqueues the kernels of both
 * directions for several levels and reads it once; those that are not needed, and levels after the end, do
 * nothing. With DECIDES, the device asks the policy itself, by `choose`, which the host has written (in_c.py):
 * `policy` has the state that it sees, and its parameters. Otherwise DIRECTION is what the host says.
 *
 * A bounded pull that looks at more arcs than `limit_of` allows is given up: the rest of the level is pushed.
 *
 * Every vertex enters the queue at most once: n slots are enough.
 */
#include "blocks.cl"

enum { /* places in `state`; the first four are sums of the vertices that a level finds */
    FOUND, FOUND_HUBS, FOUND_ARCS, FOUND_ARCS_HIGH, TASKS, TAIL, LO, HI, VERTICES, HUBS, ARCS, ARCS_HIGH,
    DEPTH, OVER, LOGGED, ALL, CUTOFF, TARGET, HUB_ABOVE, WIDE_TASKS, DIRECTION, FORM, FLIP, BOUNDED, GIVEN_UP,
    LOOKED, LOOKED_HIGH, LISTED, LEFT, LOG = 32
};
enum { PUSH, PULL };
#define LOG_COLUMNS 6
#define LOG_ROWS 512

#define IS_OVER(state) ((state)[OVER] != 0)
/* Whether the frontier is pushed: by decision, or because its pull was given up. */
#define PUSHES(state) (!IS_OVER(state) && ((state)[DIRECTION] == PUSH || (state)[GIVEN_UP]))
#define PULLS(state) (!IS_OVER(state) && (state)[DIRECTION] == PULL)
#define WORDS(state) (((size_t)(state)[ALL] + 31) / 32)
#define FRONT(bitmaps, state) ((bitmaps) + (state)[FLIP] * WORDS(state))
#define NEXT(bitmaps, state) ((bitmaps) + (1 - (state)[FLIP]) * WORDS(state))

#define UNVISITED(v) (-(int)min((long)(ptr[(v) + 1] - ptr[v]), (long)0x7ffffffe) - 1)

/* Mark all vertices as unvisited. */
__kernel void make_unvisited(__global const OFFSET *ptr, int n, __global int *tree)
{
    EACH(v, n) {
        tree[v] = -1;
        tree[n + v] = UNVISITED(v);
    }
}

/* Put the sources into the queue. */
__kernel void enter(__global const int *sources, int count, __global int *tree, __global int *queue,
                    __global int *state)
{
    __local Desk desk;
    uint found = 0, hubs = 0;
    ulong arcs = 0;
    __global int *parent = tree + state[ALL];
    clear_desk(&desk);
    EACH(i, count) {
        int v = sources[i], mark = parent[v];
        queue[i] = v;
        tree[v] = 0;
        parent[v] = v;
        found++;
        hubs += -mark - 1 > state[HUB_ABOVE];
        arcs += -mark - 1;
    }
    add_sums(&desk, found, hubs, arcs, (volatile __global uint *)state);
}

#if DECIDES
#define POLICY , __global double *policy
#define GIVE_POLICY , policy
enum { /* places in `policy`: the state that a policy sees, what else is needed for it, its parameters */
    P_N, P_ARCS, N_F, M_F, N_U, M_U, S_F, C_F, BEFORE, M_BEFORE, PREVIOUS, PULLED, P_DEPTH, HUBS_F, P_HUBS, P_H,
    THREADS, DIRECTED, ALONE, NEAR_HUBS, SEEN_BY_POLICY, GROWTH = SEEN_BY_POLICY, CERTAIN, PARAMETERS
};

/* Tell the policy of the level that begins, and ask it. */
void decide(volatile __global int *state, __global double *policy, int first, int direction)
{
    double seen[SEEN_BY_POLICY];
    double found = (double)(uint)state[VERTICES];
    double arcs = (double)(uint)state[ARCS] + 4294967296.0 * (double)(uint)state[ARCS_HIGH];
    if (!first) {
        policy[GROWTH] = policy[N_F] - policy[BEFORE];
        policy[BEFORE] = policy[N_F];
        policy[M_BEFORE] = policy[M_F];
        policy[PREVIOUS] = direction;
        policy[PULLED] += state[DIRECTION] == PULL;
        policy[P_DEPTH] += 1;
        if (state[GIVEN_UP]) policy[CERTAIN] = max(policy[CERTAIN], RETRY_FACTOR * policy[M_F]);
    }
    policy[N_F] = found;
    policy[M_F] = arcs;
    policy[N_U] -= found;
    policy[M_U] -= arcs;
    policy[S_F] = found - policy[BEFORE];
    policy[C_F] = found - policy[BEFORE] - policy[GROWTH];
    policy[HUBS_F] = (double)(uint)state[HUBS];
    state[DIRECTION] = PUSH;
    if (arcs <= policy[CERTAIN] || state[OVER]) return;
    for (int i = 0; i < SEEN_BY_POLICY; i++) seen[i] = policy[i];
    state[DIRECTION] = choose(seen, policy + PARAMETERS);
}
#else
#define POLICY
#define GIVE_POLICY
#endif

/* One work-item ends a level: it notes it, and makes what it found the next one. */
void end_of_level(volatile __global int *state, __global const int *tree, int first POLICY)
{
    int found = state[FOUND], direction = state[GIVEN_UP] ? PUSH : state[DIRECTION];
    if (!first) {
        volatile __global int *row = state + LOG + LOG_COLUMNS * (state[LOGGED]++ % LOG_ROWS);
        row[0] = direction;
        row[1] = state[VERTICES];
        row[2] = state[HUBS];
        row[3] = state[ARCS];
        row[4] = state[ARCS_HIGH];
        row[5] = state[LO];
        state[DEPTH]++;
        state[FORM] = direction;
        if (direction == PULL) state[FLIP] = 1 - state[FLIP];
        if (state[DIRECTION] == PULL) state[LISTED] = 1;
    }
    state[LO] = direction == PULL && !first ? state[TAIL] : state[TAIL] - found; /* a pull leaves room in the queue */
    state[HI] = state[LO] + found;
    for (int i = 0; i < 4; i++) {
        state[VERTICES + i] = state[FOUND + i];
        state[FOUND + i] = 0;
    }
    state[LEFT] -= found;
    state[OVER] = found == 0 || state[DEPTH] == state[CUTOFF]
                  || (state[TARGET] >= 0 && tree[state[TARGET]] >= 0);
#if DECIDES
    decide(state, policy, first, direction);
#endif
    state[TASKS] = state[GIVEN_UP] = state[LOOKED] = state[LOOKED_HIGH] = 0;
}

/* End a level; `first` is that of the sources. */
__kernel void end_level(__global int *state, __global const int *tree, int first POLICY)
{
    if (get_global_id(0) == 0 && !IS_OVER(state)) end_of_level(state, tree, first GIVE_POLICY);
}

/* Go on in the direction that the host says. */
__kernel void turn_to(__global int *state, int direction)
{
    if (get_global_id(0) == 0) state[DIRECTION] = direction;
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

/* The targets of the frontier are claimed; wide rows are cut into tasks. */
__kernel void push(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                   __global int *queue, __global int *tasks, __global int *state, int piece, int pieces)
{
    __local Desk desk;
#if GROUP > 1
    __local OFFSET box[4 * GROUP];
    __local int vertex[GROUP];
#endif
    if (!PUSHES(state)) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE], me = get_local_id(0);
    int lo = state[LO], count = state[HI] - lo;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(count, ROWS, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        long end = min((b + 1L) * ROWS, (long)count);
        for (long i = (long)b * ROWS; i < end; i += GROUP) {
            int u = i + me < end ? queue[lo + i + me] : 0;
            OFFSET k = ptr[u], stop = i + me < end ? ptr[u + 1] : k;
            if (stop - k >= WIDE_FROM) {
                cut_row(u, ARCS_TO_CUT(k, stop), tasks, &state[TASKS]);
                stop = k;
            }
#if GROUP == 1
            for (; k < stop; k++) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth, hub_above, &sums)) keep(&desk, v, queue, &state[TAIL]);
            }
#else
            vertex[me] = u;
            rows_of_group rows = note_rows(k, stop, box);
            int row = 0;
            for (OFFSET some = 0; some < rows.total; some += ROOM) { /* those that can wait here */
                for (OFFSET j = some + me; j < min((OFFSET)(some + ROOM), rows.total); j += GROUP) {
                    row = row_with(rows, row, j);
                    int v = indices[arc_at(rows, row, j)];
                    if (claim(tree, n, v, vertex[row], depth, hub_above, &sums))
                        keep(&desk, v, queue, &state[TAIL]);
                }
                flush(&desk, queue, &state[TAIL]);
            }
            TOGETHER;
#endif
        }
        flush(&desk, queue, &state[TAIL]);
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* One slice for each task that `push` has made. */
__kernel void push_wide(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                        __global int *queue, __global const int *tasks, __global int *state, int piece,
                        int pieces)
{
    __local Desk desk;
    if (!PUSHES(state) || state[TASKS] == 0) return;
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    int count = state[TASKS];
    BLOCKS_OF(count, SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        int mine = b * SLICES + slice;
        int2 task = vload2(min(mine, count - 1), tasks);
        for (int part = 0; part < CHUNK; part += PART_ARCS) {
            if (mine < count)
                EACH_ARC(k, task, lane, part) {
                    int v = indices[k];
                    if (claim(tree, n, v, task.x, depth, hub_above, &sums))
                        keep(&desk, v, queue, &state[TAIL]);
                }
            flush(&desk, queue, &state[TAIL]);
        }
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* One group pushes up to `levels` levels by itself, as long as they have at most `most` arcs. */
__kernel void alone(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                    __global int *queue, volatile __global int *state, int levels, int most POLICY)
{
    __local Desk desk;
    __local int wide[ALONE_ARCS / WIDE_FROM + 1], wides;
#if GROUP > 1
    __local OFFSET box[4 * GROUP];
    __local int vertex[GROUP];
#endif
    int me = get_local_id(0), n = state[ALL], hub_above = state[HUB_ABOVE];
    if (get_group_id(0) > 0) return;
    for (int turn = 0; turn < levels; turn++) {
        int lo = state[LO], hi = state[HI], depth = state[DEPTH] + 1;
        int goes_on = PUSHES(state) && state[FORM] == PUSH && state[ARCS_HIGH] == 0
                      && (uint)state[ARCS] <= (uint)most;
        Sums sums = {0, 0, 0};
        if (me == 0) wides = 0;
        clear_desk(&desk); /* all have read the state */
        if (!goes_on) break;
        for (int i = lo; i < hi; i += GROUP) {
            int u = i + me < hi ? queue[i + me] : 0;
            OFFSET k = ptr[u], stop = i + me < hi ? ptr[u + 1] : k;
            if (stop - k >= WIDE_FROM) {
                wide[TAKE(&wides)] = u;
                stop = k;
            }
#if GROUP == 1
            for (; k < stop; k++) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth, hub_above, &sums)) queue[hi + TAKE(&desk.held)] = v;
            }
#else
            vertex[me] = u;
            rows_of_group rows = note_rows(k, stop, box);
            int row = 0;
            for (OFFSET j = me; j < rows.total; j += GROUP) {
                row = row_with(rows, row, j);
                int v = indices[arc_at(rows, row, j)];
                if (claim(tree, n, v, vertex[row], depth, hub_above, &sums))
                    queue[hi + TAKE(&desk.held)] = v;
            }
            TOGETHER;
#endif
        }
        TOGETHER;
        for (int w = 0; w < wides; w++) {
            int u = wide[w];
            for (OFFSET k = ptr[u] + me, stop = ptr[u + 1]; k < stop; k += GROUP) {
                int v = indices[k];
                if (claim(tree, n, v, u, depth, hub_above, &sums)) queue[hi + TAKE(&desk.held)] = v;
            }
        }
        add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
        EVERYWHERE;
        if (me == 0) {
            state[TAIL] = hi + desk.held;
            end_of_level(state, tree, 0 GIVE_POLICY);
        }
        EVERYWHERE;
    }
}

/* Empty the bitmap that `to_bitmap` fills. */
__kernel void clear_bitmap(__global const int *state, __global uint *bitmaps)
{
    if (!PULLS(state) || state[FORM] == PULL) return;
    __global uint *front = FRONT(bitmaps, state);
    EACH(w, WORDS(state)) front[w] = 0;
}

/* Set the bits of the frontier in the queue, if it is to be pulled. */
__kernel void to_bitmap(__global const int *queue, __global const int *state, __global uint *bitmaps)
{
    if (!PULLS(state) || state[FORM] == PULL) return;
    __global uint *front = FRONT(bitmaps, state);
    int lo = state[LO];
    EACH(i, state[HI] - lo) atomic_or(&front[queue[lo + i] >> 5], 1u << (queue[lo + i] & 31));
}

enum { PULLED_FRONTIER, FOUND_BEFORE, ALWAYS_FRONT, ALWAYS_NEXT };

/* Put the vertices of a bitmap into the queue, where the level before has left room: the frontier if it is to
 * be pushed, or what a pull has found that was given up; the host may ask for either. */
__kernel void to_queue(__global const uint *bitmaps, __global int *queue, __global int *state, int which)
{
    __local Desk desk;
#if GROUP > 1
    __local int sums[2 * GROUP];
#endif
    if (which == PULLED_FRONTIER && (!PUSHES(state) || state[FORM] == PUSH)) return;
    if (which == FOUND_BEFORE && (IS_OVER(state) || !state[GIVEN_UP])) return;
    __global const uint *from = which % 2 ? NEXT(bitmaps, state) : FRONT(bitmaps, state);
    int words = (int)WORDS(state);
    clear_desk(&desk);
    for (int b = ME; (long)b * ROWS < words; b += GROUPS) {
        long end = min((b + 1L) * ROWS, (long)words);
        for (long first = (long)b * ROWS; first < end; first += GROUP) {
            long w = first + get_local_id(0);
            uint bits = w < end ? from[w] : 0;
#if GROUP == 1
            for (; bits; bits &= bits - 1)
                keep(&desk, (int)(w * 32 + 31 - clz(bits & -bits)), queue, &state[TAIL]);
#else
            int mine = popcount(bits), upto = int_sums(mine, sums)[get_local_id(0)];
            if (get_local_id(0) == GROUP - 1) desk.place = atomic_add(&state[TAIL], upto);
            TOGETHER;
            for (int at = desk.place + upto - mine; bits; bits &= bits - 1)
                queue[at++] = (int)(w * 32 + 31 - clz(bits & -bits));
            TOGETHER;
#endif
        }
        flush(&desk, queue, &state[TAIL]);
    }
}

/* Make a task of each piece of every wide row, at the first pull of a search. */
__kernel void list_wide(__global const OFFSET *ptr, __global int *state, __global int *wide)
{
    if (!PULLS(state) || state[LISTED]) return;
    EACH(v, state[ALL])
        if (ptr[v + 1] - ptr[v] >= WIDE_FROM)
            cut_row((int)v, ARCS_TO_CUT(ptr[v], ptr[v + 1]), wide, &state[WIDE_TASKS]);
}

/* How many arcs a pull may look at: so many times those of a push, and a look at each vertex. */
long limit_of(__global const int *state)
{
    long arcs = (long)((ulong)(uint)state[ARCS_HIGH] << 32 | (uint)state[ARCS]);
    return state[BOUNDED] ? PULL_ARCS_PER_PUSH_ARC * (arcs + state[LEFT]) : LONG_MAX;
}

/* Work-items of a pull that share a word: a warp of 64 has two. */
#define WORD_LANES (LANES < 32 ? LANES : 32)
#define WORDS_OF_GROUP (GROUP / WORD_LANES)

/* One slice for each word of 32 vertices: those that nobody has reached look for a parent in the frontier,
 * and make the word of the next one. `ptr` and `indices` are the rows of the transpose. */
__kernel void pull(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                   __global uint *bitmaps, __global int *state, int piece, int pieces)
{
    __local Desk desk;
    __local uint words[WORDS_OF_GROUP];
    __local int stops;
    if (!PULLS(state)) return;
    __global const uint *front = FRONT(bitmaps, state);
    __global uint *after = NEXT(bitmaps, state);
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / WORD_LANES, lane = get_local_id(0) % WORD_LANES;
    long limit = limit_of(state);
    uint looked = 0; /* arcs that are not counted yet */
#if GROUP > 1
    OFFSET all = ptr[n];
#endif
    volatile __global uint *count = (volatile __global uint *)&state[LOOKED];
    volatile __global int *given_up = &state[GIVEN_UP];
    __global int *parent = tree + n;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(((long)n + 31) / 32, WORDS_OF_GROUP, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        uint word = (uint)b * WORDS_OF_GROUP + slice; /* with long, Intel's driver finds nothing in slices of 32 */
        uint bits = 0;
        if (get_local_id(0) == 0) stops = *given_up;
        if (lane == 0) words[slice] = 0;
        TOGETHER;
        for (int j = stops ? 32 : lane; j < 32; j += WORD_LANES) {
            uint v = word * 32 + j; /* at most 2^31 + 32 * WORDS_OF_GROUP */
            int mark = 0, u = -1;
            if (v < (uint)n) mark = parent[v];
            if (mark < 0) {
                OFFSET k = ptr[v], begin = k, stop = ptr[v + 1];
                if (stop - k >= WIDE_FROM) stop = k;
#if GROUP == 1
                for (; k < stop && u < 0; k++) {
                    int candidate = indices[k];
                    if (front[candidate >> 5] >> (candidate & 31) & 1) u = candidate;
                }
#else
                while (k < stop && u < 0) { /* a sector at a time; the last one may be cut off */
                    OFFSET from = SECTOR_BEGIN(k);
                    int some[ARCS_OF_SECTOR];
                    if (from + ARCS_OF_SECTOR <= all) vstore8(vload8(0, &indices[from]), 0, some);
                    else
                        for (int i = (int)(k - from); from + i < stop; i++) some[i] = indices[from + i];
                    for (int i = 0; i < ARCS_OF_SECTOR; i++)
                        if (from + i == k && k < stop && u < 0) {
                            if (front[some[i] >> 5] >> (some[i] & 31) & 1) u = some[i];
                            k++;
                        }
                }
#endif
                looked += (uint)(k - begin);
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
#if GROUP == 1
        if (word * 32 < (uint)n) after[word] = bits;
        if (looked >= COUNTED_FROM_ARCS) {
            add_to(count, looked);
            looked = 0;
            if ((long)((ulong)count[1] << 32 | count[0]) > limit) *given_up = 1;
        }
#else
        if (bits) atomic_or(&words[slice], bits);
        if (looked) atomic_add((volatile __local uint *)&desk.place, looked);
        looked = 0;
        TOGETHER;
        if (lane == 0 && word * 32 < (uint)n) after[word] = words[slice];
        if (get_local_id(0) == 0) {
            add_to(count, (uint)atomic_xchg((volatile __local int *)&desk.place, 0));
            if ((long)((ulong)count[1] << 32 | count[0]) > limit) *given_up = 1;
        }
        TOGETHER;
#endif
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* After `pull`: one slice for each task of a wide row. */
__kernel void pull_wide(__global const OFFSET *ptr, __global const int *indices, __global int *tree,
                        __global uint *bitmaps, __global const int *wide, __global int *state, int piece,
                        int pieces)
{
    __local Desk desk;
    if (!PULLS(state)) return; /* GIVEN_UP changes meanwhile, and work-items must not part */
    __global const uint *front = FRONT(bitmaps, state);
    __global uint *after = NEXT(bitmaps, state);
    int n = state[ALL], depth = state[DEPTH] + 1, hub_above = state[HUB_ABOVE];
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
    long limit = limit_of(state);
    volatile __global uint *count = (volatile __global uint *)&state[LOOKED];
    volatile __global int *given_up = &state[GIVEN_UP];
    volatile __global int *parent = tree + n;
    Sums sums = {0, 0, 0};
    clear_desk(&desk);
    BLOCKS_OF(state[WIDE_TASKS], SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        if (b * SLICES + slice >= state[WIDE_TASKS] || *given_up) continue;
        int2 task = vload2(b * SLICES + slice, wide);
        int v = task.x;
        uint seen = 0;
        for (int part = 0; part < CHUNK; part += PART_ARCS)
            EACH_ARC(k, task, lane, part) {
                if (parent[v] >= 0) break;
                int u = indices[k];
                if ((front[u >> 5] >> (u & 31) & 1) && claim(tree, n, v, u, depth, hub_above, &sums))
                    atomic_or(&after[v >> 5], 1u << (v & 31));
                seen += LANES;
            }
        if (lane == 0 && seen) { /* about as many for all lanes */
            add_to(count, seen);
            if ((long)((ulong)count[1] << 32 | count[0]) > limit) *given_up = 1;
        }
    }
    add_sums(&desk, sums.found, sums.hubs, sums.arcs, (volatile __global uint *)state);
}

/* Make queue[from..to) unvisited again. */
__kernel void take_back(__global const OFFSET *ptr, __global int *tree, __global const int *queue,
                        __global const int *state, int from, int to)
{
    __global int *parent = tree + state[ALL];
    EACH(i, to - from) {
        int v = queue[from + i];
        tree[v] = -1;
        parent[v] = UNVISITED(v);
    }
}

/* Go back to the level of row `logged` of the log, whose frontier is queue[LO..HI) again; `left` are not
 * reached then. */
__kernel void restore(__global int *state, int logged, int depth, int left)
{
    if (get_global_id(0) > 0) return;
    __global const int *row = state + LOG + LOG_COLUMNS * (logged % LOG_ROWS);
    state[LOGGED] = logged;
    state[DEPTH] = depth;
    state[LEFT] = left;
    state[VERTICES] = row[1];
    state[HUBS] = row[2];
    state[ARCS] = row[3];
    state[ARCS_HIGH] = row[4];
    state[LO] = row[5];
    state[HI] = state[TAIL] = row[5] + row[1];
    for (int i = 0; i < 4; i++) state[FOUND + i] = 0;
    state[TASKS] = state[OVER] = state[FORM] = 0;
}

/* Vertices that nobody has reached have no parent. */
__kernel void complete(__global int *tree, int n)
{
    EACH(v, n)
        if (tree[n + v] < 0) tree[n + v] = -1;
}
