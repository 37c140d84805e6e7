/* Building blocks: prefix sums, and the places of marked elements. GROUP is the size of a work-group. */

/* Sums of the elements before each within its group of GROUP; `totals` gets the sum of every group. */
__kernel void scan(__global const int *values, long n, __global int *before, __global int *totals)
{
    __local int sums[2 * GROUP];
    int me = get_local_id(0), from = 0;
    long i = get_global_id(0);
    int mine = i < n ? values[i] : 0;
    sums[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GROUP; step *= 2) { /* two halves that take turns */
        int to = GROUP - from;
        sums[to + me] = sums[from + me] + (me >= step ? sums[from + me - step] : 0);
        from = to;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) before[i] = sums[from + me] - mine;
    if (me == GROUP - 1 && (long)get_group_id(0) * GROUP < n) totals[get_group_id(0)] = sums[from + me];
}

/* Add to the elements of every group what comes before it. */
__kernel void add(__global int *before, long n, __global const int *groups)
{
    long i = get_global_id(0);
    if (i < n) before[i] += groups[i / GROUP];
}

/* 1 for every element that equals `wanted`, else 0. */
__kernel void mark(__global const int *values, long n, int wanted, __global int *marks)
{
    long i = get_global_id(0);
    if (i < n) marks[i] = values[i] == wanted;
}

/* The places of the marks, in order: `before` has how many come before each. */
__kernel void compact(__global const int *marks, __global const int *before, long n, __global int *places)
{
    long i = get_global_id(0);
    if (i < n && marks[i]) places[before[i]] = (int)i;
}
