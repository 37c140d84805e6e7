/* Building blocks of kernels that walk along rows, to be included.
 *
 * How work is shared. A work-group has GROUP work-items, which make SLICES slices of LANES lanes: a warp of
 * a graphics processor, one work-item of a processor. A group takes ROWS rows (or vertices) at a time, and
 * comes back for the block that is as many blocks further as there are groups, so that any number of groups
 * does all the work. A row of WIDE_FROM arcs or more is cut into pieces of CHUNK arcs, each a task of one
 * slice, whose lanes read neighbouring arcs. The arcs of all other rows of a block are shared by its group,
 * neighbours by neighbours (by_arcs.cl). So no work-item looks at more than about CHUNK / LANES arcs in a row,
 * whatever the degrees.
 *
 * Vertices that a group finds wait in its local memory; one atomic addition takes room for all of them in
 * the queue. Sums are kept by work-items, then by groups, and added to global memory once for each group.
 *
 * OFFSET is the type of offsets: int where arcs are fewer than about 2^31, else long.
 */
#define ID int
#include "by_arcs.cl"

#define SLICES (GROUP / LANES)
/* Which group this is, of how many. As int: with size_t in loops, some results on Intel's
 * processor driver were wrong; why is not known. */
#define ME ((int)get_group_id(0))
#define GROUPS ((int)get_num_groups(0))
#define ROOM (GROUP == 1 ? 1024 : 4 * GROUP) /* vertices that wait in local memory */

/* Blocks of `size` that `count` things make, and which of them a launch takes that is one of `pieces`. */
#define BLOCKS_OF(count, size, piece, pieces, first, last) \
    long blocks_ = ((long)(count) + (size) - 1) / (size); \
    int first = (int)(blocks_ * (piece) / (pieces)), last = (int)(blocks_ * ((piece) + 1) / (pieces))

/* For each v below n: a group takes ROWS of them at a time. */
#define EACH(v, n) \
    for (int b_ = ME; (long)b_ * ROWS < (long)(n); b_ += GROUPS) \
        for (long v = (long)b_ * ROWS + get_local_id(0), end_ = min((b_ + 1L) * ROWS, (long)(n)); v < end_; v += GROUP)

#if GROUP == 1 /* nobody shares local memory */
#define TOGETHER
#define EVERYWHERE
#define TAKE(counter) ((*(counter))++)
#else
#define TOGETHER barrier(CLK_LOCAL_MEM_FENCE)
#define EVERYWHERE barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE) /* the group sees its stores */
#define TAKE(counter) atomic_inc(counter)
#endif

/* Local memory of a group: vertices that wait, how many, where they go; two sums, one of 64 bits. */
typedef struct {
    int held, place;
    uint found, hubs, arcs[2];
    int room[ROOM];
} Desk;

void clear_desk(__local Desk *desk)
{
    if (get_local_id(0) == 0) desk->held = desk->place = desk->found = desk->hubs = desk->arcs[0] = desk->arcs[1] = 0;
    TOGETHER;
}

/* Move what waits to the queue. The whole group calls it. */
void flush(__local Desk *desk, __global int *queue, volatile __global int *tail)
{
    int me = get_local_id(0);
    TOGETHER;
    int count = min(desk->held, ROOM);
    if (me == 0 && count) desk->place = atomic_add(tail, count);
    TOGETHER;
    for (int i = me; i < count; i += GROUP) queue[desk->place + i] = desk->room[i];
    if (me == 0) desk->held = 0;
    TOGETHER;
}

/* Keep a vertex for the queue. A group that looks at no more than ROOM arcs before it flushes has room for all;
 * a vertex that finds none goes to the queue at once. */
void keep(__local Desk *desk, int v, __global int *queue, volatile __global int *tail)
{
#if GROUP == 1
    if (desk->held == ROOM) flush(desk, queue, tail);
#endif
    int slot = TAKE(&desk->held);
    if (slot < ROOM) desk->room[slot] = v;
    else queue[atomic_inc(tail)] = v;
}

/* Add to a sum of 64 bits with atomics of 32: what overflows the low half is carried. (PoCL 3.0 crashes if
 * the second addition depends on a condition and is the last thing that a kernel does.) */
void add_to(volatile __global uint *sum, ulong value)
{
    uint low = (uint)value, old = atomic_add(&sum[0], low);
    atomic_add(&sum[1], (uint)(value >> 32) + (old + low < old));
}

/* Add what the work-items have summed to three sums: vertices, hubs among them, and arcs. */
void add_sums(__local Desk *desk, uint found, uint hubs, ulong arcs, volatile __global uint *sums)
{
#if GROUP == 1
    if (found) atomic_add(&sums[0], found);
    if (hubs) atomic_add(&sums[1], hubs);
    if (arcs) add_to(sums + 2, arcs);
#else
    uint low = (uint)arcs;
    atomic_add(&desk->found, found);
    atomic_add(&desk->hubs, hubs);
    uint old = atomic_add(&desk->arcs[0], low);
    atomic_add(&desk->arcs[1], (uint)(arcs >> 32) + (old + low < old));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_add(&sums[0], desk->found);
        atomic_add(&sums[1], desk->hubs);
        add_to(sums + 2, (ulong)desk->arcs[1] << 32 | desk->arcs[0]);
    }
#endif
}

/* Wide rows are cut where sectors of memory begin: 32 bytes, which a graphics processor reads at once, have
 * ARCS_OF_SECTOR arcs. So a slice reads no sector twice, and none belongs to two slices. */
#define ARCS_OF_SECTOR (GROUP == 1 ? 1 : 8)
#define SECTOR_BEGIN(k) ((k) & ~(OFFSET)(ARCS_OF_SECTOR - 1))
/* arcs of the row begin..end, and those before it in its first sector */
#define ARCS_TO_CUT(begin, end) ((long)((end) - SECTOR_BEGIN(begin)))

/* For each arc k of a task, piece task.y of row task.x, that belongs to the lane; only PART_ARCS of the task, from
 * arc number `part` of it on: then all slices of a group together look at ROOM arcs. */
#define PART_ARCS (ROOM / SLICES)
#define EACH_ARC(k, task, lane, part) \
    for (OFFSET begin_ = ptr[(task).x], from_ = SECTOR_BEGIN(begin_) + (OFFSET)(task).y * CHUNK, \
             stop_ = min(ptr[(task).x + 1], (OFFSET)(from_ + min((part) + PART_ARCS, CHUNK))), \
             k = from_ + (part) + (lane); \
         k < stop_; k += LANES) \
        if (k >= begin_)

/* Write the tasks of a wide row: which row, and which piece of it. Return where they begin. */
int cut_row(int row, long arcs, __global int *tasks, volatile __global int *count)
{
    int pieces = (int)((arcs + CHUNK - 1) / CHUNK), at = atomic_add(count, pieces);
    for (int i = 0; i < pieces; i++) {
        tasks[2 * (size_t)(at + i)] = row;
        tasks[2 * (size_t)(at + i) + 1] = i;
    }
    return at;
}
