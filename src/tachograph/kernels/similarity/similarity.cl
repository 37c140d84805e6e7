/* Similarity of the ends of edges, twin of edges.py, which explains owners, slots and the order. Rows of
 * owners come from one part of the graph, rows of their neighbours from another (or the same): row v of a
 * part is INDICES[PTR[v - FIRST] - BEGIN ...].
 * ID is the type of vertices, BASE that of `base`.
 */
typedef ID id;
typedef BASE place;

typedef struct {
    __global const OFFSET *ptr;
    __global const id *indices; /* from place `begin` of all arcs on */
    long first, begin; /* its first row, and arc */
} rows;

static long row_begin(rows part, long v) { return part.ptr[v - part.first]; }
static long row_end(rows part, long v) { return part.ptr[v - part.first + 1]; }

/* the first place in lo..hi whose entry is not below x */
static long search(__global const id *indices, long lo, long hi, id x)
{
    while (lo < hi) {
        long middle = (lo + hi) >> 1;
        if (indices[middle] < x) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* the number of the edge between owner u, whose arc to v is at place k, and v, in the rows of all vertices */
static long slot_of(rows all, __global const place *base, long u, long v, long k)
{
    if (u < v) return base[u] + k;
    return base[v] + search(all.indices, row_begin(all, v), row_end(all, v), (id)u);
}

/* whether u owns its edge to v */
static bool owns(long degree_u, long u, long degree_v, long v)
{
    return degree_v < degree_u || (degree_v == degree_u && v < u);
}

#define PARTS \
    __global const OFFSET *ptr_a, __global const id *indices_a, long first_a, long begin_a, \
    __global const OFFSET *ptr_b, __global const id *indices_b, long first_b, long begin_b
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
__kernel void by_marks(__global const OFFSET *ptr, __global const id *indices, long n, int ordered,
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

#ifdef LANES /* and ROWS, the arcs of a group, and STAGED, those of an owner that local memory keeps */
/* the first place in lo..hi of a staged row whose entry is not below x */
static int search_staged(__local const id *row, int lo, int hi, id x)
{
    while (lo < hi) {
        int middle = (lo + hi) >> 1;
        if (row[middle] < x) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

#define SECTOR (LANES < 8 ? 1 : 8) /* neighbours read whole sectors of 32 bytes: places that they begin at */

/* For processors with many threads. The work is the arcs of the owners at places lo..hi of `owners`: those from
 * `starts` of each on, as many as `upto` grows by. A group has two dimensions. In the first, LANES work-items,
 * which are neighbours and read neighbours, look for the neighbours of an arc's end in the owner's row; the
 * second has ROWS arcs. Groups follow each other in the first dimension: CUDA has at most 65,535 in the others.
 * Most arcs of a group have the owner of its first one, whose row it reads together, once.
 * `counts` gets what both ends have in common, or -1 if the edge is not the owner's. The host makes similarities
 * of it, so that they are doubles on every device. */
__kernel void by_search(PARTS, __global const id *owners, __global const long *starts,
                        __global const long *upto, long lo, long hi, __global int *counts)
{
    rows own = OWN, theirs = THEIRS;
    __local int found[ROWS]; /* of each arc: what is common; its owner; both rows, from their part's first arc */
    __local id owner[ROWS], staged[STAGED];
    __local uchar counted[ROWS];
    __local long first[ROWS], last[ROWS], begin[ROWS], end[ROWS];
    int lane = get_local_id(0), mine = get_local_id(1), item = mine * LANES + lane;
    long before = (long)get_group_id(0) * ROWS; /* arcs of other groups */
    if (item < ROWS) { /* one work-item learns about an arc */
        long arc = upto[lo] + before + item, u = 0, v = 0;
        bool valid = arc < upto[hi] && get_group_id(1) == 0;
        first[item] = last[item] = begin[item] = end[item] = 0;
        if (valid) {
            long a = lo, b = hi; /* the last place whose arcs begin at or before this one */
            while (b - a > 1) {
                long middle = (a + b) >> 1;
                if (upto[middle] <= arc) a = middle;
                else b = middle;
            }
            u = owners[a];
            v = own.indices[starts[a] + arc - upto[a] - own.begin];
            first[item] = row_begin(own, u) - own.begin;
            last[item] = row_end(own, u) - own.begin;
            begin[item] = row_begin(theirs, v) - theirs.begin;
            end[item] = row_end(theirs, v) - theirs.begin;
        }
        bool owned = valid && owns(last[item] - first[item], u, end[item] - begin[item], v);
        owner[item] = (id)u;
        found[item] = 0;
        if (!owned) begin[item] = end[item] = 0; /* nothing to look for */
        if (valid && !owned) counts[before + item] = -1;
        counted[item] = owned;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    long from = first[0], size = last[0] - from <= STAGED ? last[0] - from : 0;
    for (long k = from / SECTOR * SECTOR + item; k < from + size; k += LANES * ROWS)
        if (k >= from) staged[k - from] = own.indices[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    bool here = size && owner[mine] == owner[0];
    int common = 0;
    long at = here ? 0 : first[mine];
    for (long j = begin[mine] / SECTOR * SECTOR + lane; j < end[mine]; j += LANES) {
        if (j < begin[mine]) continue;
        id w = theirs.indices[j];
        if (here) {
            at = search_staged(staged, (int)at, (int)size, w);
            common += at < size && staged[at] == w;
        } else {
            at = search(own.indices, at, last[mine], w);
            common += at < last[mine] && own.indices[at] == w;
        }
    }
    if (common) atomic_add(&found[mine], common);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < ROWS && counted[item]) counts[before + item] = found[item];
}

/* The edges of a list, whole graph, twin of listed.py: ROWS of them make a group, and LANES work-items look for
 * the entries of the shorter row in the longer one. With a mask, those that are marked are the host's: -1. */
__kernel void by_list(__global const OFFSET *ptr, __global const id *indices, __global const id *source,
                      __global const id *target, int masked, __global const uchar *mask, long count,
                      __global int *counts)
{
    __local int found[ROWS];
    int lane = get_local_id(0), mine = get_local_id(1);
    long e = (long)get_group_id(0) * ROWS + mine;
    bool valid = e < count && get_group_id(1) == 0;
    bool own = valid && !(masked && mask[e]);
    int common = 0;
    if (own) {
        long u = source[e], v = target[e];
        long begin = ptr[u], end = ptr[u + 1], at = ptr[v], last = ptr[v + 1];
        if (end - begin > last - at) {
            long first = begin, past = end;
            begin = at, end = last, at = first, last = past;
        }
        for (long j = begin + lane; j < end; j += LANES) {
            id w = indices[j];
            at = search(indices, at, last, w);
            common += at < last && indices[at] == w;
        }
    }
    if (lane == 0) found[mine] = own ? 0 : -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (common) atomic_add(&found[mine], common);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && valid) counts[e] = found[mine];
}
#endif
