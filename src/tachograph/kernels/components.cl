/* Weakly connected components by Afforest, twin of components.py. blocks.cl says how work is shared.
 * `label[v]` is another vertex of v's component with an id not above v's; roots point to themselves. */
#include "blocks.cl"

/* Let every vertex point to its first neighbour, if that has a lower id, else to itself. */
__kernel void hook(__global const OFFSET *ptr, __global const int *indices, int n, __global int *label)
{
    EACH(v, n) label[v] = ptr[v] < ptr[v + 1] ? min((int)v, indices[ptr[v]]) : (int)v;
}

/* Join the components of `u` and `v`. Whoever fails to change a root sees that another has changed it. */
void join(int u, int v, volatile __global int *label)
{
    int p = label[u], q = label[v];
    while (p != q) {
        int high = max(p, q), low = min(p, q), above = label[high];
        if (above == low || (above == high && atomic_cmpxchg(&label[high], high, low) == high)) p = q = low;
        else {
            p = label[label[high]];
            if (above != high) label[high] = p;
            q = label[low];
        }
    }
}

__kernel void link_second(__global const OFFSET *ptr, __global const int *indices, int n,
                          __global int *label)
{
    EACH(v, n)
        if (ptr[v] + 1 < ptr[v + 1]) join((int)v, indices[ptr[v] + 1], label);
}

/* Let every vertex point to its root, and to what lies between on the way there, so that all who walk a long
 * chain at the same time halve it. */
__kernel void shorten(int n, volatile __global int *label)
{
    EACH(v, n) {
        int up = label[v], root = label[up];
        while (up != root) {
            label[v] = root;
            up = root;
            root = label[up];
        }
    }
}

/* The labels of vertices spread over all ids, for the host to find the most frequent. */
__kernel void sample(__global const int *label, int n, int count, __global int *labels)
{
    EACH(i, count) labels[i] = label[i * n / count];
}

/* The vertices outside the component `skip` are joined with all their neighbours; wide rows are cut into
 * tasks. */
__kernel void link_rest(__global const OFFSET *ptr, __global const int *indices, __global int *label,
                        __global int *tasks, __global int *counts, int n, int skip, int piece, int pieces)
{
#if GROUP > 1
    __local OFFSET box[4 * GROUP];
#endif
    int me = get_local_id(0);
    BLOCKS_OF(n, ROWS, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        long end = min((b + 1L) * ROWS, (long)n);
        for (long i = (long)b * ROWS; i < end; i += GROUP) {
            long v = min(i + me, end - 1);
            OFFSET k = ptr[v], stop = i + me < end && label[v] != skip ? ptr[v + 1] : k;
            if (stop - k >= WIDE_FROM) {
                cut_row((int)v, ARCS_TO_CUT(k, stop), tasks, counts);
                stop = k;
            }
#if GROUP == 1
            for (; k < stop; k++) join((int)v, indices[k], label);
#else
            rows_of_group rows = note_rows(k, stop, box);
            int row = 0;
            for (OFFSET j = me; j < rows.total; j += GROUP) {
                row = row_with(rows, row, j);
                join((int)(i + row), indices[arc_at(rows, row, j)], label);
            }
            TOGETHER;
#endif
        }
    }
}

/* One slice for each task that `link_rest` has made. */
__kernel void link_wide(__global const OFFSET *ptr, __global const int *indices, __global int *label,
                        __global const int *tasks, __global const int *counts, int piece, int pieces)
{
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES, count = counts[0];
    BLOCKS_OF(count, SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        if (b * SLICES + slice >= count) continue;
        int2 task = vload2(b * SLICES + slice, tasks);
        for (int part = 0; part < CHUNK; part += PART_ARCS)
            EACH_ARC(k, task, lane, part) join(task.x, indices[k], label);
    }
}
