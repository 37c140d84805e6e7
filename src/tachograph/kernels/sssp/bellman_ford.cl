/* Shortest paths by relaxing the arcs out of a frontier, twin of relaxation.py. blocks.cl says how work is
 * shared; the rows are those of the frontier.
 *
 * The frontier ("near") and the vertices that have to wait ("far") are the halves of two queues that take
 * turns: SIDE and FAR_SIDE say which half is read. A distance of LIMIT or more waits; when nobody is near,
 * `split` raises LIMIT and takes from the far ones those that are now near. With the largest LIMIT nobody ever
 * waits: that is Bellman-Ford, whose rounds approximations count.
 *
 * `stamp` has the last round in which a vertex was put near, so that it is there once: n slots are enough for
 * each half. `waiting` is 1 for vertices in the far queue. A vertex whose distance fell below LIMIT while it
 * waited was put near then, and is dropped.
 *
 * DISTANCE is int where atomics of 64 bits are missing or not needed: TOO_FAR tells that it does not suffice.
 * REAL_WEIGHTS are doubles of at least 0, and so are distances. They are kept as longs with the same bits, whose
 * order is the same, so that there is an atomic minimum.
 * Numbers of approximations are those of problem.py.
 */
#include "blocks.cl"

#if REAL_WEIGHTS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WEIGHT double
#define PLUS(distance, weight) as_long(as_double(distance) + (weight))
#else
#define WEIGHT int
#define PLUS(distance, weight) ((distance) + (weight))
#endif
#if WIDE_DISTANCES
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define DISTANCE long
#define UNREACHED (REAL_WEIGHTS ? 0x7ff0000000000000L /* infinite */ : 0x4000000000000000L)
#define LOWER(place, value) atom_min(place, value)
#define READ(place) atom_add(place, 0L)
#else
#define DISTANCE int
#define UNREACHED 0x7fffffff
#define LOWER(place, value) atomic_min(place, value)
#define READ(place) (*(place))
#endif

enum { /* places in `state`; the first four are sums of a round: put near, reached first, arcs */
    FOUND, REACHED, SCANNED, SCANNED_HIGH, NEXT, FAR_NEXT, TASKS, COUNT, FAR_COUNT, SIDE, FAR_SIDE, TURN,
    SPLITS, OVER, LOGGED, TOO_FAR, ALL, MOST_TURNS, LEAST_DEGREE, MOST_DEGREE, KEEP, KEEP_ALL, SEED,
    ATOMIC, LOG = 32
};
enum { LIMIT, OLD_LIMIT, NEAREST, DELTA, CEILING }; /* places in `bounds` */
#define LOG_COLUMNS 4
#define LOG_ROWS 512

/* What kernels work on. */
typedef struct {
    volatile __global DISTANCE *distance;
    volatile __global int *stamp, *waiting;
    __global int *near_queue, *far_queue;
    volatile __global DISTANCE *bounds;
    volatile __global int *state;
} Search;

#define SEARCH \
    Search s = {distance, stamps, stamps + state[ALL], queues, queues + 2 * (size_t)state[ALL], bounds, state}

/* No vertex is reached. */
__kernel void begin_distances(__global DISTANCE *distance, __global int *stamps, int n)
{
    EACH(v, n) {
        distance[v] = UNREACHED;
        stamps[v] = stamps[n + v] = 0;
    }
}

/* The sources are near, in the half that the first round reads. */
__kernel void enter_sources(__global const int *sources, int count, __global DISTANCE *distance,
                            __global int *queues)
{
    EACH(i, count) {
        queues[i] = sources[i];
        distance[sources[i]] = 0;
    }
}

/* Whether the arcs of a vertex are not to be relaxed in this round. */
int is_left_out(int vertex, long degree, int turn, volatile __global const int *state)
{
    if (turn == 1) return 0; /* sources */
    if (degree < state[LEAST_DEGREE] || degree > state[MOST_DEGREE]) return 1;
    if (state[KEEP_ALL]) return 0;
    ulong mixed = (ulong)vertex + (ulong)turn * 0x9E3779B97F4A7C15UL;
    mixed ^= (ulong)(uint)state[SEED] * 0xD1342543DE82EF95UL;
    mixed ^= mixed >> 30;
    mixed *= 0xBF58476D1CE4E5B9UL;
    mixed ^= mixed >> 27;
    mixed *= 0x94D049BB133111EBUL;
    return (uint)(mixed >> 32) >= (uint)state[KEEP];
}

/* What a work-item sums, and what it reads once. */
typedef struct {
    uint found, reached;
    ulong arcs;
    DISTANCE limit, ceiling, nearest;
    int turn, atomic_, too_far;
} Round;

#define ROUND \
    Round r = {0, 0, 0, bounds[LIMIT], bounds[CEILING], UNREACHED, state[TURN], state[ATOMIC], 0}

/* Lower the distance of `v`, if `length` is less: 1 if it is to be put near, 2 if far. */
int lowered(Search s, int v, DISTANCE length, Round *r)
{
    DISTANCE old = s.distance[v];
    if (length >= old) return 0;
    if (r->atomic_) {
        old = LOWER(&s.distance[v], length);
        if (length >= old) return 0;
    } else s.distance[v] = length;
    r->reached += old == UNREACHED;
    if (length > r->ceiling || length < -r->ceiling) r->too_far = 1;
    if (length < r->limit) {
        int first = atomic_xchg(&s.stamp[v], r->turn) != r->turn;
        r->found += first;
        return first;
    }
    r->nearest = min(r->nearest, length);
    return atomic_xchg(&s.waiting[v], 1) == 0 ? 2 : 0;
}

#define AFTER(s) ((s).near_queue + (size_t)(1 - (s).state[SIDE]) * (s).state[ALL])
#define FAR(s) ((s).far_queue + (size_t)(s).state[FAR_SIDE] * (s).state[ALL])

/* Relax an arc; keep its end for one of the queues. */
#define RELAX(k) { \
        int v = indices[k], where = lowered(s, v, PLUS(here, weights[k]), &r); \
        if (where == 1) keep(&desk, v, after, &state[NEXT]); \
        if (where == 2) keep(&far_desk, v, far, &state[FAR_COUNT]); \
    }

void end_relaxing(Search s, __local Desk *desk, Round r)
{
    if (r.nearest < READ(&s.bounds[NEAREST])) LOWER(&s.bounds[NEAREST], r.nearest);
    if (r.too_far) s.state[TOO_FAR] = 1;
    add_sums(desk, r.found, r.reached, r.arcs, (volatile __global uint *)s.state);
}

/* The arcs of the frontier are relaxed; wide rows are cut into tasks. */
__kernel void relax(__global const OFFSET *ptr, __global const int *indices, __global const WEIGHT *weights,
                    __global DISTANCE *distance, __global int *stamps, __global int *queues,
                    __global int *tasks, __global DISTANCE *bounds, __global int *state, int piece,
                    int pieces)
{
    __local Desk desk, far_desk;
#if GROUP > 1
    __local OFFSET box[4 * GROUP];
    __local DISTANCE lengths[GROUP];
#endif
    if (state[OVER] || state[COUNT] == 0) return;
    int me = get_local_id(0);
    SEARCH;
    ROUND;
    __global const int *front = s.near_queue + (size_t)state[SIDE] * state[ALL];
    __global int *after = AFTER(s), *far = FAR(s);
    int count = state[COUNT];
    clear_desk(&desk);
    clear_desk(&far_desk);
    BLOCKS_OF(count, ROWS, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        long end = min((b + 1L) * ROWS, (long)count);
        for (long i = (long)b * ROWS; i < end; i += GROUP) {
            int u = i + me < end ? front[i + me] : 0;
            OFFSET k = ptr[u], stop = i + me < end ? ptr[u + 1] : k;
            if (stop > k && is_left_out(u, stop - k, r.turn, state)) stop = k;
            r.arcs += stop - k;
            if (stop - k >= WIDE_FROM) {
                cut_row(u, ARCS_TO_CUT(k, stop), tasks, &state[TASKS]);
                stop = k;
            }
#if GROUP == 1
            DISTANCE here = READ(&s.distance[u]);
            for (; k < stop; k++) RELAX(k)
#else
            lengths[me] = k < stop ? READ(&s.distance[u]) : 0;
            rows_of_group rows = note_rows(k, stop, box);
            int row = 0;
            for (OFFSET some = 0; some < rows.total; some += ROOM) { /* those that can wait here */
                for (OFFSET j = some + me; j < min((OFFSET)(some + ROOM), rows.total); j += GROUP) {
                    row = row_with(rows, row, j);
                    DISTANCE here = lengths[row];
                    OFFSET at = arc_at(rows, row, j);
                    RELAX(at)
                }
                flush(&desk, after, &state[NEXT]);
                flush(&far_desk, far, &state[FAR_COUNT]);
            }
            TOGETHER;
#endif
        }
        flush(&desk, after, &state[NEXT]);
        flush(&far_desk, far, &state[FAR_COUNT]);
    }
    end_relaxing(s, &desk, r);
}

/* One slice for each task that `relax` has made. */
__kernel void relax_wide(__global const OFFSET *ptr, __global const int *indices,
                         __global const WEIGHT *weights, __global DISTANCE *distance, __global int *stamps,
                         __global int *queues, __global const int *tasks, __global DISTANCE *bounds,
                         __global int *state, int piece, int pieces)
{
    __local Desk desk, far_desk;
    if (state[OVER] || state[TASKS] == 0) return;
    SEARCH;
    ROUND;
    __global int *after = AFTER(s), *far = FAR(s);
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES, count = state[TASKS];
    clear_desk(&desk);
    clear_desk(&far_desk);
    BLOCKS_OF(count, SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        int mine = b * SLICES + slice;
        int2 task = vload2(min(mine, count - 1), tasks);
        DISTANCE here = READ(&s.distance[task.x]);
        for (int part = 0; part < CHUNK; part += PART_ARCS) {
            if (mine < count)
                EACH_ARC(k, task, lane, part) RELAX(k)
            flush(&desk, after, &state[NEXT]);
            flush(&far_desk, far, &state[FAR_COUNT]);
        }
    }
    end_relaxing(s, &desk, r);
}

/* Note a round of `count` vertices, and make what it put near the next frontier. */
void end_of_round(__global int *state, __global DISTANCE *bounds, int count)
{
    __global int *row = state + LOG + LOG_COLUMNS * (state[LOGGED]++ % LOG_ROWS);
    row[0] = count;
    row[1] = state[REACHED];
    row[2] = state[SCANNED];
    row[3] = state[SCANNED_HIGH];
    state[COUNT] = state[NEXT];
    state[SIDE] = 1 - state[SIDE];
    state[TURN]++;
    for (int i = 0; i < 4; i++) state[i] = 0;
    state[NEXT] = state[TASKS] = 0;
    if (state[TURN] > state[MOST_TURNS] || state[TOO_FAR]) state[OVER] = 1;
}

/* If nobody is near, raise the limit for `split`, or end. */
void look_further(__global int *state, __global DISTANCE *bounds)
{
    if (state[COUNT] || state[OVER] || state[SPLITS]) return;
    if (state[FAR_COUNT] == 0) {
        state[OVER] = 1;
        return;
    }
    state[SPLITS] = 1;
    bounds[OLD_LIMIT] = bounds[LIMIT];
    DISTANCE from = max(bounds[LIMIT], bounds[NEAREST]);
#if REAL_WEIGHTS
    bounds[LIMIT] = max(PLUS(from, as_double(bounds[DELTA])), from + 1); /* at least the next number */
#else
    bounds[LIMIT] = from > bounds[CEILING] - bounds[DELTA] ? UNREACHED : from + bounds[DELTA];
#endif
    bounds[NEAREST] = UNREACHED;
}

/* End a round, if there was one. */
__kernel void end_round(__global int *state, __global DISTANCE *bounds)
{
    if (get_global_id(0) > 0 || state[OVER]) return;
    if (state[COUNT]) end_of_round(state, bounds, state[COUNT]);
    look_further(state, bounds);
}

/* One work-item for each vertex that waits. */
void split_blocks(Search s, __local Desk *desk, __local Desk *far_desk, int first, int step)
{
    __global const int *far = FAR(s);
    __global int *front = s.near_queue + (size_t)s.state[SIDE] * s.state[ALL];
    __global int *later = s.far_queue + (size_t)(1 - s.state[FAR_SIDE]) * s.state[ALL];
    DISTANCE limit = s.bounds[LIMIT], old_limit = s.bounds[OLD_LIMIT], nearest = UNREACHED;
    int count = s.state[FAR_COUNT];
    clear_desk(desk);
    clear_desk(far_desk);
    for (int b = first; (long)b * ROWS < count; b += step) {
        int end = (int)min((b + 1L) * ROWS, (long)count);
        for (long i = (long)b * ROWS + get_local_id(0); i < end; i += GROUP) {
            int v = far[i];
            DISTANCE length = s.distance[v];
            if (length >= limit) {
                nearest = min(nearest, length);
                keep(far_desk, v, later, &s.state[FAR_NEXT]);
                continue;
            }
            s.waiting[v] = 0;
            if (length >= old_limit) keep(desk, v, front, &s.state[NEXT]);
        }
        flush(desk, front, &s.state[NEXT]);
        flush(far_desk, later, &s.state[FAR_NEXT]);
    }
    if (nearest < READ(&s.bounds[NEAREST])) LOWER(&s.bounds[NEAREST], nearest);
}

__kernel void split(__global DISTANCE *distance, __global int *stamps, __global int *queues,
                    __global DISTANCE *bounds, __global int *state)
{
    __local Desk desk, far_desk;
    if (state[OVER] || !state[SPLITS]) return;
    SEARCH;
    split_blocks(s, &desk, &far_desk, ME, GROUPS);
}

void end_of_split(__global int *state)
{
    state[COUNT] = state[NEXT];
    state[FAR_COUNT] = state[FAR_NEXT];
    state[FAR_SIDE] = 1 - state[FAR_SIDE];
    state[NEXT] = state[FAR_NEXT] = state[SPLITS] = 0;
    state[OVER] = state[COUNT] == 0 && state[FAR_COUNT] == 0;
}

__kernel void end_split(__global int *state)
{
    if (get_global_id(0) == 0 && !state[OVER] && state[SPLITS]) end_of_split(state);
}

/* The same for one group, which needs no room: nobody else adds to the queue. */
#define RELAX_HERE(k) { \
        int v = indices[k], where = lowered(s, v, PLUS(here, weights[k]), &r); \
        if (where == 1) after[TAKE(&desk.held)] = v; \
        if (where == 2) keep(&far_desk, v, far, &state[FAR_COUNT]); \
    }

/* One group does up to `turns` rounds of at most `most` vertices and ALONE_ARCS arcs by itself. */
__kernel void relax_alone(__global const OFFSET *ptr, __global const int *indices,
                          __global const WEIGHT *weights, __global DISTANCE *distance, __global int *stamps,
                          __global int *queues, __global DISTANCE *bounds, __global int *state, int turns,
                          int most)
{
    __local Desk desk, far_desk;
    __local int wide[ALONE_ARCS / WIDE_FROM + 1], wides, count, side, turn, splits;
    __local uint arcs;
#if GROUP > 1
    __local OFFSET box[4 * GROUP];
    __local DISTANCE lengths[GROUP];
#endif
    if (get_group_id(0) > 0 || state[OVER]) return;
    SEARCH;
    int me = get_local_id(0), n = state[ALL];
    if (me == 0) {
        splits = 0;
        count = state[COUNT];
        side = state[SIDE];
        turn = state[TURN];
    }
    clear_desk(&far_desk);
    for (int i = 0; i < turns; i++) {
        if (splits) {
            split_blocks(s, &desk, &far_desk, 0, 1);
            EVERYWHERE;
            if (me == 0) {
                end_of_split(state);
                count = state[COUNT];
                splits = 0;
            }
            EVERYWHERE;
        }
        __global int *far = FAR(s);
        int now = count, goes_on = now > 0 && now <= most && turn <= state[MOST_TURNS];
        __global const int *front = s.near_queue + (size_t)side * n;
        __global int *after = s.near_queue + (size_t)(1 - side) * n;
        ROUND;
        r.turn = turn;
        if (me == 0) arcs = wides = 0;
        clear_desk(&desk);
        if (goes_on)
            for (int j = me; j < now; j += GROUP) {
                OFFSET degree = ptr[front[j] + 1] - ptr[front[j]];
                if (is_left_out(front[j], degree, turn, state)) continue;
                r.arcs += degree;
                atomic_add(&arcs, (uint)min((long)degree, (long)ALONE_ARCS + 1)); /* no overflow */
            }
        TOGETHER;
        if (!goes_on || arcs > ALONE_ARCS) break;
        for (int first = 0; first < now; first += GROUP) {
            int u = first + me < now ? front[first + me] : 0;
            OFFSET k = ptr[u], stop = first + me < now ? ptr[u + 1] : k;
            if (stop > k && is_left_out(u, stop - k, turn, state)) stop = k;
            if (stop - k >= WIDE_FROM) {
                wide[TAKE(&wides)] = u;
                stop = k;
            }
#if GROUP == 1
            DISTANCE here = READ(&s.distance[u]);
            for (; k < stop; k++) RELAX_HERE(k)
#else
            lengths[me] = k < stop ? READ(&s.distance[u]) : 0;
            rows_of_group rows = note_rows(k, stop, box);
            int row = 0;
            for (OFFSET j = me; j < rows.total; j += GROUP) {
                row = row_with(rows, row, j);
                DISTANCE here = lengths[row];
                OFFSET at = arc_at(rows, row, j);
                RELAX_HERE(at)
            }
            TOGETHER;
#endif
        }
        TOGETHER;
        for (int w = 0; w < wides; w++) {
            int u = wide[w];
            DISTANCE here = READ(&s.distance[u]);
            for (OFFSET k = ptr[u] + me, stop = ptr[u + 1]; k < stop; k += GROUP) RELAX_HERE(k)
        }
        end_relaxing(s, &desk, r);
        flush(&far_desk, far, &state[FAR_COUNT]);
        EVERYWHERE;
        if (me == 0) {
            state[NEXT] = desk.held;
            end_of_round(state, bounds, now);
            if (state[FAR_COUNT] <= ALONE_ARCS) look_further(state, bounds); /* else `end_round` does */
            count = state[OVER] ? 0 : state[COUNT];
            splits = state[SPLITS] && i + 1 < turns; /* else `split` does */
            side = state[SIDE];
            turn = state[TURN];
        }
        EVERYWHERE;
    }
}
