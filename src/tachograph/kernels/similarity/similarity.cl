/* Similarity of the ends of edges, twin of edges.py, which explains owners, slots and the order. Rows of
 * owners come from one part of the graph, rows of their neighbours from another (or the same): row v of a
 * part is INDICES[PTR[v - FIRST] - BEGIN ...]. Edges whose ends lie elsewhere are left to other launches.
 * ID is the type of vertices, BASE that of `base`.
 */
typedef ID id;
typedef BASE place;

typedef struct {
    __global const long *ptr;
    __global const id *indices; /* from place `begin` of all arcs on */
    long first, last, begin;
} rows;

static long row_begin(rows part, long v) { return part.ptr[v - part.first]; }
static long row_end(rows part, long v) { return part.ptr[v - part.first + 1]; }
static bool has(rows part, long v) { return part.first <= v && v < part.last; }

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
    __global const long *ptr_a, __global const id *indices_a, long first_a, long begin_a, long last_a, \
    __global const long *ptr_b, __global const id *indices_b, long first_b, long begin_b, long last_b
#define OWN { ptr_a, indices_a, first_a, last_a, begin_a }
#define THEIRS { ptr_b, indices_b, first_b, last_b, begin_b }

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
    rows all = { ptr, indices, 0, n, 0 };
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

/* For processors with many threads, in two dimensions: one is the arcs of the owners at places lo..hi of
 * `order` (arcs of the owners before place i: upto[i]), in the other LANES work-items look for the
 * neighbours of the arc's end in the owner's row. The host makes similarities of what was counted, so
 * that they are doubles on every device. */
__kernel void by_search(PARTS, __global const id *order, long lo, long hi, __global const place *base,
                        __global const long *upto, __global int *counts)
{
    rows own = OWN, theirs = THEIRS;
    __local int found[ROWS * LANES];
    long arc = upto[lo] + get_global_id(0);
    int lane = get_local_id(1), mine = get_local_id(0) * LANES + lane;
    long u = 0, v = 0, k = 0, begin = 0, end = 0, first = 0, last = 0;
    bool valid = arc < upto[hi];
    if (valid) {
        long a = lo, b = hi; /* the last place whose arcs begin at or before this one */
        while (b - a > 1) {
            long middle = (a + b) >> 1;
            if (upto[middle] <= arc) a = middle;
            else b = middle;
        }
        u = order[a];
        valid = has(own, u);
        if (valid) {
            first = row_begin(own, u);
            last = row_end(own, u);
            k = first + arc - upto[a];
            v = own.indices[k - own.begin];
            valid = has(theirs, v);
        }
        if (valid) {
            begin = row_begin(theirs, v);
            end = row_end(theirs, v);
            valid = owns(last - first, u, end - begin, v);
        }
    }
    int common = 0;
    if (valid)
        for (long j = begin + lane; j < end; j += LANES) {
            long w = theirs.indices[j - theirs.begin];
            long at = search(own, first, last, w);
            common += at < last && own.indices[at - own.begin] == w;
        }
    found[mine] = common;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && valid) {
        for (int i = 1; i < LANES; i++) common += found[mine + i];
        counts[slot_of(theirs, base, u, v, k)] = common;
    }
}
