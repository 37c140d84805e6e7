/* Weakly connected components by Afforest, twin of components.py. blocks.cl says how work is shared.
 * `label[v]` is another vertex of v's component with an id not above v's; roots point to themselves. */
#include "blocks.cl"

/* Let every vertex point to its first neighbour, if that has a lower id, else to itself. */
__kernel void hook(__global const OFFSET *ptr, __global const int *indices, long n, __global int *label)
{
    long v = get_global_id(0);
    if (v >= n) return;
    OFFSET k = ptr[v];
    label[v] = k < ptr[v + 1] ? min((int)v, indices[k]) : (int)v;
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

__kernel void link_second(__global const OFFSET *ptr, __global const int *indices, long n,
                          __global int *label)
{
    long v = get_global_id(0);
    if (v < n && ptr[v] + 1 < ptr[v + 1]) join((int)v, indices[ptr[v] + 1], label);
}

/* Let every vertex point to its root. */
__kernel void shorten(long n, volatile __global int *label)
{
    long v = get_global_id(0);
    if (v >= n) return;
    int up = label[v], root = label[up];
    while (up != root) {
        up = root;
        root = label[up];
    }
    label[v] = root;
}

/* The labels of vertices spread over all ids, for the host to find the most frequent. */
__kernel void sample(__global const int *label, long n, int count, __global int *labels)
{
    long i = get_global_id(0);
    if (i < count) labels[i] = label[i * n / count];
}

/* One work-item for each vertex outside the component `skip` joins it with all its neighbours; wide rows
 * are cut into tasks. */
__kernel void link_rest(__global const OFFSET *ptr, __global const int *indices, __global int *label,
                        __global int2 *tasks, __global int *counts, int n, int skip, int piece, int pieces)
{
    BLOCKS_OF(n, ROWS, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        int end = (int)min((b + 1L) * ROWS, (long)n);
        for (long v = (long)b * ROWS + get_local_id(0); v < end; v += GROUP) {
            OFFSET k = ptr[v], stop = ptr[v + 1];
            if (label[v] == skip) stop = k;
            if (stop - k >= WIDE_FROM) {
                cut_row((int)v, stop - k, tasks, counts);
                stop = k;
            }
            for (; k < stop; k++) join((int)v, indices[k], label);
        }
    }
}

/* One slice for each task that `link_rest` has made. */
__kernel void link_wide(__global const OFFSET *ptr, __global const int *indices, __global int *label,
                        __global const int2 *tasks, __global const int *counts, int piece, int pieces)
{
    int slice = get_local_id(0) / LANES, lane = get_local_id(0) % LANES, count = counts[0];
    BLOCKS_OF(count, SLICES, piece, pieces, first, last);
    for (int b = first + ME; b < last; b += GROUPS) {
        if (b * SLICES + slice >= count) continue;
        int2 task = tasks[b * SLICES + slice];
        OFFSET from = ptr[task.x] + (OFFSET)task.y * CHUNK, stop = min(ptr[task.x + 1], from + CHUNK);
        for (OFFSET k = from + lane; k < stop; k += LANES) join(task.x, indices[k], label);
    }
}
