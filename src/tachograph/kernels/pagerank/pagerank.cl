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
__kernel void first_scores(__global const REAL *jump, int spots, __global const REAL *inverse, int n,
                           __global REAL *scores, __global REAL *share)
{
    EACH(v, n) {
        scores[v] = jump[v * spots];
        share[v] = scores[v] * inverse[v];
    }
}

/* Make the tasks of wide rows, once; `place` says where those of a row begin. */
__kernel void list_tasks(__global const OFFSET *ptr, int n, __global int *tasks, __global int *place,
                         __global int *state)
{
    EACH(v, n)
        if (ptr[v + 1] - ptr[v] >= WIDE_FROM)
            place[v] = cut_row((int)v, ptr[v + 1] - ptr[v], tasks, &state[TASKS]);
}

#if GROUP > 1
#define TILE (4 * GROUP) /* shares of arcs that a group reads together, before they are added one by one */
#endif

/* The sum of each piece of a wide row. A group reads its arcs, and one work-item adds them, so that sums are
 * the same whatever the size of a group. */
__kernel void sum_pieces(__global const OFFSET *ptr, __global const int *indices,
                         __global const REAL *weights, __global const REAL *share,
                         __global const int *tasks, __global const int *state, __global REAL *sums)
{
#if GROUP > 1
    __local REAL staged[TILE];
#endif
    if (state[OVER]) return;
    int me = get_local_id(0);
    for (int i = ME; i < state[TASKS]; i += GROUPS) {
        int2 task = vload2(i, tasks);
        OFFSET k = ptr[task.x] + (OFFSET)task.y * CHUNK, stop = min(ptr[task.x + 1], k + CHUNK);
        SUM(total);
#if GROUP == 1
        for (; k < stop; k++) ADD(total, SHARE(k));
#else
        for (; k < stop; k += TILE) {
            int count = (int)min((OFFSET)TILE, stop - k);
            for (int j = me; j < count; j += GROUP) staged[j] = SHARE(k + j);
            TOGETHER;
            if (me > 0) count = 0;
            for (int j = 0; j < count; j++) ADD(total, staged[j]);
            TOGETHER;
        }
#endif
        if (me == 0) sums[i] = total;
    }
}

/* New scores. A group takes BLOCK vertices at a time: change, what dangles, and sum of the block. It reads the
 * arcs of narrow rows together, and each work-item adds those of its own row. */
__kernel void settle(__global const OFFSET *ptr, __global const int *indices, __global const REAL *weights,
                     __global const REAL *jump, int spots, __global const REAL *inverse, int n,
                     __global const int *place, __global const REAL *pieces_, __global const REAL *share,
                     __global REAL *scores, __global REAL *fresh, __global const REAL *numbers,
                     __global const int *state, __global REAL *blocks)
{
    __local REAL parts[3 * BLOCK];
#if GROUP > 1
    __local REAL staged[TILE];
    __local OFFSET box[4 * GROUP];
#endif
    if (state[OVER]) return;
    REAL damping = numbers[DAMPING], jumped = numbers[JUMPED];
    int count = (n + BLOCK - 1) / BLOCK, me = get_local_id(0);
    for (int b = ME; b < count; b += GROUPS) {
        for (int first = 0; first < BLOCK; first += GROUP) {
            int i = first + me, v = b * BLOCK + i;
            bool valid = i < BLOCK && v < n;
            REAL change = 0, lost = 0, now = 0;
            OFFSET k = valid ? ptr[v] : 0, stop = valid ? ptr[v + 1] : 0;
            SUM(total);
            if (stop - k >= WIDE_FROM) {
                for (int piece = 0; piece < (int)((stop - k + CHUNK - 1) / CHUNK); piece++)
                    ADD(total, pieces_[place[v] + piece]);
                stop = k;
            }
#if GROUP == 1
            for (; k < stop; k++) ADD(total, SHARE(k));
#else
            rows_of_group rows = note_rows(k, stop, box);
            OFFSET end = rows.upto[me], begin = end - (stop - k);
            for (OFFSET tile = 0; tile < rows.total; tile += TILE) {
                OFFSET past = min((OFFSET)(tile + TILE), rows.total);
                int row = 0;
                for (OFFSET j = tile + me; j < past; j += GROUP) {
                    row = row_with(rows, row, j);
                    staged[j - tile] = SHARE(arc_at(rows, row, j));
                }
                TOGETHER;
                for (OFFSET j = max(begin, tile); j < min(end, past); j++) ADD(total, staged[j - tile]);
                TOGETHER;
            }
#endif
            if (valid) {
                now = damping * total + jumped * jump[(long)v * spots];
                change = fabs(now - scores[v]);
                lost = inverse[v] == 0 ? now : 0;
                scores[v] = now;
                fresh[v] = now * inverse[v];
            }
            if (i < BLOCK) {
                parts[i] = change;
                parts[BLOCK + i] = lost;
                parts[2 * BLOCK + i] = now;
            }
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
#if GROUP > 2 /* all read, and three add */
    __local REAL staged[3 * GROUP], sums[3];
    int me = get_local_id(0);
    if (get_group_id(0) > 0 || state[OVER]) return;
    SUM(total);
    for (long first = 0; first < 3 * (long)count; first += 3 * GROUP) {
        int here = (int)min(3L * GROUP, 3 * (long)count - first);
        for (int i = me; i < here; i += GROUP) staged[i] = blocks[first + i];
        TOGETHER;
        for (int i = me < 3 ? me : here; i < here; i += 3) ADD(total, staged[i]);
        TOGETHER;
    }
    if (me < 3) sums[me] = total;
    EVERYWHERE; /* all have read the state */
    REAL change = sums[0], lost = sums[1], mass = sums[2];
    if (me > 0) return;
#else
    if (get_global_id(0) > 0 || state[OVER]) return;
    SUM(change);
    SUM(lost);
    SUM(mass);
    for (int b = 0; b < count; b++) {
        ADD(change, blocks[3 * (long)b]);
        ADD(lost, blocks[3 * (long)b + 1]);
        ADD(mass, blocks[3 * (long)b + 2]);
    }
#endif
    numbers[CHANGES + state[DONE]++] = change;
    numbers[JUMPED] = numbers[DAMPING] * lost + (1 - numbers[DAMPING]) * mass;
    state[OVER] = change < numbers[TOLERANCE] || state[DONE] == state[LIMIT_];
}
