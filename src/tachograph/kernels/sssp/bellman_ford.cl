/* Relaxing arcs, twin of relaxation.py: distances are whole numbers of 64 bits. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* One work-item for each vertex of the frontier; those whose distance shrinks are put into `after`, once
 * in each round: `stamp` has the last one in which a vertex was put there. */
__kernel void relax(__global const long *ptr, __global const int *indices, __global const int *weights,
                    __global const int *front, int size, int round, __global long *distance,
                    __global int *stamp, __global int *after, __global int *count)
{
    long i = get_global_id(0);
    if (i >= size) return;
    int u = front[i];
    long here = atom_add(&distance[u], 0L);
    for (long k = ptr[u]; k < ptr[u + 1]; k++) {
        int v = indices[k];
        long found = here + weights[k];
        if (found < distance[v] && found < atom_min(&distance[v], found))
            if (atomic_xchg(&stamp[v], round) != round) after[atomic_inc(count)] = v;
    }
}
