/* Breadth-first search, twin of steps.py. `parent` and `level` are -1 where nobody was. */

/* One work-item for each vertex of the frontier claims its targets; they are put into `after`. */
__kernel void push(__global const long *ptr, __global const int *indices, __global const int *front,
                   int size, int depth, __global int *parent, __global int *level, __global int *after,
                   __global int *count)
{
    long i = get_global_id(0);
    if (i >= size) return;
    int u = front[i];
    for (long k = ptr[u]; k < ptr[u + 1]; k++) {
        int v = indices[k];
        if (parent[v] < 0 && atomic_cmpxchg(&parent[v], -1, u) == -1) {
            level[v] = depth;
            after[atomic_inc(count)] = v;
        }
    }
}

/* One work-item for each vertex: where nobody was yet, look for a parent one level up. */
__kernel void pull(__global const long *ptr, __global const int *indices, int n, int depth,
                   __global int *parent, __global int *level, __global int *count)
{
    long v = get_global_id(0);
    if (v >= n || parent[v] >= 0) return;
    for (long k = ptr[v]; k < ptr[v + 1]; k++) {
        int u = indices[k];
        if (level[u] == depth - 1) {
            parent[v] = u;
            level[v] = depth;
            atomic_inc(count);
            return;
        }
    }
}
