/* Rows by arcs, for devices with many threads: a group takes the rows of GROUP vertices, and its work-items
 * take all arcs of these rows in turn. So long rows keep no work-item busy alone, and work-items that are
 * neighbours read arcs that are neighbours. Programs include this file. GROUP is the size of a work-group,
 * ID the type of vertices, OFFSET that of places of arcs: int where they fit, with room for a few more. All work-items of a group call these functions together. PoCL 3.0 loses a
 * condition that stands alone between two barriers at the end of a loop: let no such thing happen.
 */

#ifndef OFFSET
#define OFFSET long
#endif

/* Sums over a group: for each work-item, that of `mine` up to and including its own. `sums` holds 2 * GROUP
 * numbers, and must not be in use. */
#define DEFINE_SUMS(name, number) \
    static inline __local number *name(number mine, __local number *sums) \
    { \
        int me = get_local_id(0), from = 0; \
        sums[me] = mine; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (int step = 1; step < GROUP; step *= 2) { /* two halves that take turns */ \
            int to = GROUP - from; \
            sums[to + me] = sums[from + me] + (me >= step ? sums[from + me - step] : 0); \
            from = to; \
            barrier(CLK_LOCAL_MEM_FENCE); \
        } \
        return sums + from; \
    }
DEFINE_SUMS(int_sums, int)
DEFINE_SUMS(long_sums, long)
DEFINE_SUMS(offset_sums, OFFSET)

/* What a group knows of its rows: where each begins, and the arcs up to its end, in all rows so far. */
typedef struct {
    __local OFFSET *begin;
    __local OFFSET *upto;
    OFFSET total;
} rows_of_group;

/* Note the row begin..end of each work-item; an empty one if it has none. `box` holds 4 * GROUP offsets. */
static inline rows_of_group note_rows(OFFSET begin, OFFSET end, __local OFFSET *box)
{
    rows_of_group rows = { box, box + GROUP, 0 };
    int me = get_local_id(0);
    OFFSET upto = offset_sums(end - begin, box + 2 * GROUP)[me];
    rows.begin[me] = begin;
    rows.upto[me] = upto;
    barrier(CLK_LOCAL_MEM_FENCE);
    rows.total = rows.upto[GROUP - 1];
    return rows;
}

/* The row that has arc number k of a group; it is `least` or a later one */
static inline int row_with(rows_of_group rows, int least, OFFSET k)
{
    int lo = least, hi = GROUP - 1;
    while (lo < hi) {
        int middle = (lo + hi) >> 1;
        if (rows.upto[middle] <= k) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* The last number below `end` that a work-item gets to from k in steps of GROUP */
static inline OFFSET last_before(OFFSET end, OFFSET k) { return k + (end - 1 - k) / GROUP * GROUP; }

/* Where arc number k of a group is among all arcs; it belongs to `row` */
static inline OFFSET arc_at(rows_of_group rows, int row, OFFSET k)
{
    return rows.begin[row] + k - (row ? rows.upto[row - 1] : 0);
}

/* Put v into a list, if it is `wanted`, with one addition to the list's counter for the whole group. `box`
 * holds 2 ints; before it is used again, all have to pass a barrier. */
static inline void append(bool wanted, ID v, __global ID *list, volatile __global int *counter, __local int *box)
{
    if (get_local_id(0) == 0) box[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = wanted ? atomic_inc(&box[0]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && box[0]) box[1] = atomic_add(counter, box[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (wanted) list[box[1] + at] = v;
}
