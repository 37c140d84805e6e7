/* Micro-benchmarks, twins of host.py: each has one cost that dominates. */

__kernel void nothing(__global int *out) { if (get_global_id(0) == 0) out[0] = 1; }

/* bandwidth: two arrays read, one written; every work-item takes consecutive elements */
__kernel void stream(__global const float *a, __global const float *b, __global float *out, long n)
{
    long i = get_global_id(0);
    if (i < n) out[i] = a[i] + 0.5f * b[i];
}

/* latency hidden by independence: a sum over random places */
__kernel void gather(__global const int *where, __global const int *values, __global int *out, long n)
{
    long i = get_global_id(0);
    if (i < n) out[i] = values[where[i]];
}

/* atomic additions at random places */
__kernel void count(__global const int *where, __global int *counts, long n)
{
    long i = get_global_id(0);
    if (i < n) atomic_inc(&counts[where[i]]);
}

/* one chain of dependent integer operations for each work-item */
__kernel void scalar(__global int *out, int steps, long n)
{
    long i = get_global_id(0);
    if (i >= n) return;
    uint x = (uint)i + 1u;
    for (int k = 0; k < steps; k++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
    out[i] = (int)x;
}

/* multiply-adds that a vector unit can take several of */
__kernel void vector(__global float *out, int steps, long n)
{
    long i = get_global_id(0);
    if (i >= n) return;
    float8 x = (float8)(0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f) + (float)i;
    float8 y = x + 0.5f;
    for (int k = 0; k < steps; k++) { x = x * 0.999f + 0.25f; y = y * 0.998f + 0.5f; }
    float8 z = x + y;
    out[i] = z.s0 + z.s1 + z.s2 + z.s3 + z.s4 + z.s5 + z.s6 + z.s7;
}
