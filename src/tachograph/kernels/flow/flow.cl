/* Twins of rounds.py. ID: int or long, of vertices; PLACE: of arcs; NUM: long or double. */

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

inline void enter(ID v, volatile __global int *mark, __global ID *out, volatile __global int *tally)
{
    if (mark[v] == 0 && atomic_cmpxchg(&mark[v], 0, 1) == 0) out[atomic_inc(&tally[0])] = v;
}

__kernel void preflow(long lo, long hi, __global const ID *work, __global const long *begins,
                      __global const ID *target, __global NUM *room, __global const ID *height,
                      __global NUM *excess, __global NUM *sent, __global ID *next_height,
                      volatile __global int *mark, __global ID *out, volatile __global int *tally,
                      ID n)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
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
            enter(u, mark, out, tally);
        }
        if (can > 0 && h < lowest) lowest = h;
    }
    excess[v] = have;
    if (have > 0) {
        next_height[v] = lowest + 1 < n ? lowest + 1 : n;
        enter(v, mark, out, tally);
    }
    atomic_add(&tally[1], (int)(last - begins[v]));
}

__kernel void adjust(long lo, long hi, __global const ID *work, ID root, ID other,
                     __global const long *begins, __global const PLACE *back, __global NUM *room,
                     __global ID *height, __global NUM *excess, __global NUM *sent,
                     __global const ID *next_height, volatile __global int *mark,
                     __global ID *out, volatile __global int *tally, ID n)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
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
    if (have > 0 && height[v] < n && v != root && v != other) out[atomic_inc(&tally[0])] = v;
    atomic_add(&tally[1], (int)(last - begins[v]));
}

/* a search level by level: clear, then expand until the queue grows no more; tally[2] is its end */
__kernel void clear(ID root, ID n, __global ID *height, __global ID *next_height, __global ID *queue,
                    volatile __global int *tally)
{
    long v = (long)get_global_id(0);
    if (v >= n) return;
    height[v] = next_height[v] = v == root ? 0 : n;
    if (v == root) { queue[0] = root; tally[0] = 0; tally[2] = 1; }
}

__kernel void expand(long lo, long hi, ID other, __global const long *begins,
                     __global const ID *target, __global const PLACE *back,
                     __global const NUM *room, volatile __global ID *height,
                     __global const NUM *excess, __global ID *next_height, __global ID *queue,
                     volatile __global int *mark, __global ID *out, volatile __global int *tally,
                     ID n)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
    ID v = queue[i], above = height[v] + 1;
    for (long k = begins[v]; k < begins[v + 1]; k++) {
        ID u = target[k];
        if (height[u] != n || u == other || !(room[back[k]] > 0)) continue;
        if (atomic_cmpxchg(&mark[u], 0, 2) != 0) continue;
        height[u] = next_height[u] = above;
        queue[atomic_inc(&tally[2])] = u;
        if (excess[u] > 0) out[atomic_inc(&tally[0])] = u;
    }
}

/* nobody is marked between kernels */
__kernel void unmark(long count, __global const ID *queue, volatile __global int *mark)
{
    long i = (long)get_global_id(0);
    if (i < count) mark[queue[i]] = 0;
}
