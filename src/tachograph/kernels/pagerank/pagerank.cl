/* PageRank by the power method, beside pull.py. blocks.cl says how work is shared; the rows are those of the
 * transpose. REAL is double, or float where a device has no double. Sums are made in an order that does not
 * depend on the device: rows and pieces of wide rows one arc after the other, blocks of BLOCK vertices by one
 * group each, and then the blocks. */
#include "blocks.cl"

#if WITH_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define SUM(total) REAL total = 0
#define ADD(total, value) total += (value)
#else
#define REAL float
#define SUM(total) REAL total = 0, total##_rest = 0
#define ADD(total, value) { /* with the part that rounding takes away (Kahan) */ \
        REAL y_ = (value) - total##_rest, t_ = total + y_; \
        total##_rest = (t_ - total) - y_; \
        total = t_; \
    }
#endif
#if WEIGHTED
#define SHARE(k) (share[indices[k]] * weights[k])
#else
#define SHARE(k) share[indices[k]]
#endif

enum { TASKS, OVER, DONE, LIMIT_ }; /* places in `state` */
enum { JUMPED, DAMPING, TOLERANCE, CHANGES }; /* places in `numbers`; changes of all iterations follow */

/* First scores are the jumps; `inverse` is 1 / the weight of the arcs out of a vertex, 0 if it has none. */
__kernel void first_scores(__global const REAL *jump, int spots, __global const REAL *inverse, long n,
                           __global REAL *scores, __global REAL *share)
{
    long v = get_global_id(0);
    if (v >= n) return;
    scores[v] = jump[v * spots];
    share[v] = scores[v] * inverse[v];
}

/* Make the tasks of wide rows, once; `place` says where those of a row begin. */
__kernel void list_tasks(__global const OFFSET *ptr, long n, __global int2 *tasks, __global int *place,
                         __global int *state)
{
    long v = get_global_id(0);
    if (v >= n || ptr[v + 1] - ptr[v] < WIDE_FROM) return;
    int pieces = (int)((ptr[v + 1] - ptr[v] + CHUNK - 1) / CHUNK), at = atomic_add(&state[TASKS], pieces);
    for (int i = 0; i < pieces; i++) tasks[at + i] = (int2)((int)v, i);
    place[v] = at;
}

/* One work-item for each piece of a wide row: so sums are the same whatever the number of lanes. */
__kernel void sum_pieces(__global const OFFSET *ptr, __global const int *indices,
                         __global const REAL *weights, __global const REAL *share,
                         __global const int2 *tasks, __global const int *state, __global REAL *sums)
{
    if (state[OVER]) return;
    for (int i = get_global_id(0); i < state[TASKS]; i += (int)get_global_size(0)) {
        OFFSET k = ptr[tasks[i].x] + (OFFSET)tasks[i].y * CHUNK, stop = min(ptr[tasks[i].x + 1], k + CHUNK);
        SUM(total);
        for (; k < stop; k++) ADD(total, SHARE(k));
        sums[i] = total;
    }
}

/* New scores. A group takes BLOCK vertices at a time: change, what dangles, and sum of the block. */
__kernel void settle(__global const OFFSET *ptr, __global const int *indices, __global const REAL *weights,
                     __global const REAL *jump, int spots, __global const REAL *inverse, int n,
                     __global const int *place, __global const REAL *pieces_, __global const REAL *share,
                     __global REAL *scores, __global REAL *fresh, __global const REAL *numbers,
                     __global const int *state, __global REAL *blocks)
{
    __local REAL parts[3 * BLOCK];
    if (state[OVER]) return;
    REAL damping = numbers[DAMPING], jumped = numbers[JUMPED];
    int count = (n + BLOCK - 1) / BLOCK, me = get_local_id(0);
    for (int b = ME; b < count; b += GROUPS) {
        for (int i = me; i < BLOCK; i += GROUP) {
            int v = b * BLOCK + i;
            REAL change = 0, lost = 0, now = 0;
            if (v < n) {
                OFFSET k = ptr[v], stop = ptr[v + 1];
                SUM(total);
                if (stop - k < WIDE_FROM) {
                    for (; k < stop; k++) ADD(total, SHARE(k));
                } else
                    for (int piece = 0; piece < (int)((stop - k + CHUNK - 1) / CHUNK); piece++)
                        ADD(total, pieces_[place[v] + piece]);
                now = damping * total + jumped * jump[(long)v * spots];
                change = fabs(now - scores[v]);
                lost = inverse[v] == 0 ? now : 0;
                scores[v] = now;
                fresh[v] = now * inverse[v];
            }
            parts[i] = change;
            parts[BLOCK + i] = lost;
            parts[2 * BLOCK + i] = now;
        }
        TOGETHER;
        if (me < 3) {
            SUM(total);
            for (int i = 0; i < BLOCK; i++) ADD(total, parts[me * BLOCK + i]);
            blocks[3 * (long)b + me] = total;
        }
#if GROUP < 3
        for (int which = GROUP; which < 3; which++)
            if (me == 0) {
                SUM(total);
                for (int i = 0; i < BLOCK; i++) ADD(total, parts[which * BLOCK + i]);
                blocks[3 * (long)b + which] = total;
            }
#endif
        TOGETHER;
    }
}

/* Add the blocks, and decide what readers jump with next, or that this was the last iteration. */
__kernel void end_iteration(__global const REAL *blocks, int count, __global REAL *numbers,
                            __global int *state)
{
    if (get_global_id(0) > 0 || state[OVER]) return;
    SUM(change);
    SUM(lost);
    SUM(mass);
    for (int b = 0; b < count; b++) {
        ADD(change, blocks[3 * (long)b]);
        ADD(lost, blocks[3 * (long)b + 1]);
        ADD(mass, blocks[3 * (long)b + 2]);
    }
    numbers[CHANGES + state[DONE]++] = change;
    numbers[JUMPED] = numbers[DAMPING] * lost + (1 - numbers[DAMPING]) * mass;
    state[OVER] = change < numbers[TOLERANCE] || state[DONE] == state[LIMIT_];
}
