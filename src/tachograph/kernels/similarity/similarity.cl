/* Similarity of the ends of edges, twin of edges.py, which explains owners, slots and the order. Rows of
 * owners come from one part of the graph, rows of their neighbours from another (or the same): row v of a
 * part is INDICES[PTR[v - FIRST] - BEGIN ...].
 * ID is the type of vertices, BASE that of `base`.
 */
typedef ID id;
typedef BASE place;

typedef struct {
    __global const long *ptr;
    __global const id *indices; /* from place `begin` of all arcs on */
    long first, begin; /* its first row, and arc */
} rows;

static long row_begin(rows part, long v) { return part.ptr[v - part.first]; }
static long row_end(rows part, long v) { return part.ptr[v - part.first + 1]; }

/* the first place in lo..hi whose entry is not below x */
static long search(rows part, long lo, long hi, long x)
{
    while (lo < hi) {
        long middle = (lo + hi) >> 1;
        if (part.indices[middle - part.begin] < x) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* the number of the edge between owner u, whose arc to v is at place k, and v, whose row is in `theirs` */
static long slot_of(rows theirs, __global const place *base, long u, long v, long k)
{
    if (u < v) return base[u] + k;
    return base[v] + search(theirs, row_begin(theirs, v), row_end(theirs, v), u);
}

/* whether u owns its edge to v */
static bool owns(long degree_u, long u, long degree_v, long v)
{
    return degree_v < degree_u || (degree_v == degree_u && v < u);
}

#define PARTS \
    __global const long *ptr_a, __global const id *indices_a, long first_a, long begin_a, \
    __global const long *ptr_b, __global const id *indices_b, long first_b, long begin_b
#define OWN { ptr_a, indices_a, first_a, begin_a }
#define THEIRS { ptr_b, indices_b, first_b, begin_b }

#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
static double similarity_of(int kind, long common, long a, long b)
{
    if (common <= 0) return 0;
    if (kind == 0) return (double)common / (double)(a + b - common);
    if (kind == 1) return (double)common / (double)min(a, b);
    if (kind == 2) return 2.0 * (double)common / (double)(a + b);
    return (double)common / sqrt((double)a * (double)b);
}

/* For processors with large caches, the whole graph, in place: each of `workers` work-items has marks of
 * its own, n bytes that are all 0 before and after; it takes every W-th of the owners at places lo..hi of
 * `order` (the vertices themselves if not `ordered`). */
__kernel void by_marks(__global const long *ptr, __global const id *indices, long n, int ordered,
                       __global const id *order, long lo, long hi, __global const place *base, int kind,
                       long workers, __global uchar *marks, __global id *source, __global id *target,
                       __global double *values)
{
    long me = get_global_id(0);
    if (me >= workers) return;
    rows all = { ptr, indices, 0, 0 };
    __global uchar *mark = marks + me * n;
    for (long i = lo + me; i < hi; i += workers) {
        long u = ordered ? order[i] : i;
        long first = ptr[u], last = ptr[u + 1], degree = last - first;
        for (long k = first; k < last; k++) mark[indices[k]] = 1;
        for (long k = first; k < last; k++) {
            long v = indices[k];
            if (u < v) {
                source[base[u] + k] = u;
                target[base[u] + k] = v;
            }
            long begin = ptr[v], end = ptr[v + 1];
            if (!owns(degree, u, end - begin, v)) continue;
            long common = 0;
            for (long j = begin; j < end; j++) common += mark[indices[j]];
            values[slot_of(all, base, u, v, k)] = similarity_of(kind, common, degree, end - begin);
        }
        for (long k = first; k < last; k++) mark[indices[k]] = 0;
    }
}
#endif

#ifdef LANES
/* For processors with many threads, in two dimensions. One is the arcs of the owners at places lo..hi of
 * `owners`: those from `starts` of each on, as many as `upto` grows by. In the other, LANES work-items, which
 * are neighbours and read neighbours, look for the neighbours of the arc's end in the owner's row; ROWS arcs
 * make a group. `counts` gets what both ends have in common, or -1 if the edge is not the owner's. The host
 * makes similarities of it, so that they are doubles on every device. */
__kernel void by_search(PARTS, __global const id *owners, __global const long *starts,
                        __global const long *upto, long lo, long hi, __global int *counts)
{
    rows own = OWN, theirs = THEIRS;
    __local int found[ROWS];
    long arc = upto[lo] + get_global_id(1);
    int lane = get_local_id(0), mine = get_local_id(1);
    long u = 0, v = 0, begin = 0, end = 0, first = 0, last = 0;
    bool valid = arc < upto[hi] && get_global_id(0) < LANES;
    if (valid) {
        long a = lo, b = hi; /* the last place whose arcs begin at or before this one */
        while (b - a > 1) {
            long middle = (a + b) >> 1;
            if (upto[middle] <= arc) a = middle;
            else b = middle;
        }
        u = owners[a];
        first = row_begin(own, u);
        last = row_end(own, u);
        v = own.indices[starts[a] + arc - upto[a] - own.begin];
        begin = row_begin(theirs, v);
        end = row_end(theirs, v);
    }
    bool owned = valid && owns(last - first, u, end - begin, v);
    int common = 0;
    if (owned)
        for (long j = begin + lane, at = first; j < end; j += LANES) {
            long w = theirs.indices[j - theirs.begin];
            at = search(own, at, last, w);
            common += at < last && own.indices[at - own.begin] == w;
        }
    if (lane == 0) found[mine] = owned ? 0 : -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (common) atomic_add(&found[mine], common);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && valid) counts[get_global_id(1)] = found[mine];
}
#endif
