/* Greedy maximal independent sets, twin of greedy.py, which explains the order and the bytes in `level`:
 * OUT, IN, or the level of an undecided vertex. blocks.cl says how work is shared.
 *
 * A vertex joins when all neighbours that come before it are OUT, and is OUT when one has joined. Work-items
 * see each other's decisions in the same launch, or later: a byte that is seen late only lets a vertex wait.
 * A neighbour that comes later can only join when the vertex itself is OUT. So what a vertex has passed in its
 * row it need not look at again: `at` says where it waits.
 *
 * Round `turn` takes the vertices that waited after round `turn` - 1 (in round 0 all), and puts those that
 * wait on into the other half of `queues`. `log` has COLUMNS numbers for each of the last LOG_ROWS rounds:
 * how many wait after it, 0, and the arcs of their rows, in 64 bits: who joins goes through its row again.
 */
#include "blocks.cl"
#include "order.cl"
#if GROUP == 1
ORDER(4)
#endif

#define COLUMNS 4
#define LOG_ROWS 512
#define ROW_OF(turn) (log + COLUMNS * ((turn) % LOG_ROWS))
#define DONE (COLUMNS * LOG_ROWS) /* place in `log`: the rounds that `decide_alone` leaves behind it */

/* What kernels work on. */
typedef struct {
    __global const OFFSET *ptr;
    __global const int *indices;
    volatile __global uchar *level;
    __global OFFSET *at;
    __global int *queues;
    volatile __global int *log;
    ulong key;
    int n;
} Set;

#define SET Set s = {ptr, indices, level, at, queues, log, key, n}

/* Every vertex gets its level. `degrees` are those of both directions, if `given`. */
__kernel void levels(__global const OFFSET *ptr, __global const long *degrees, int given, ulong key, int n,
                     __global uchar *level)
{
    long done = 0;
#if GROUP == 1 /* a processor, which has no lanes but vectors; each group takes a run of fours */
    long fours = n / 4;
    for (long i = fours * ME / GROUPS, end = fours * (ME + 1) / GROUPS; i < end; i++) {
        long4 degree = given ? vload4(i, degrees) : convert_long4(vload4(0, ptr + 4 * i + 1) - vload4(i, ptr));
        vstore4(level_of4(key, (ulong)(4 * i) + (ulong4)(0, 1, 2, 3), degree), i, level);
    }
    done = 4 * fours;
#endif
    for (long v = done + (long)get_global_id(0); v < n; v += get_global_size(0))
        level[v] = level_of(key, v, given ? degrees[v] : (long)(ptr[v + 1] - ptr[v]));
}

/* What a neighbour at level `theirs` means for one at level `own`. */
enum { NOTHING, WAITS, RULED_OUT };
static inline int meaning(Set s, uchar theirs, int u, uchar own, int v)
{
    if (theirs > own || (theirs == own && draw(s.key, (ulong)u) > draw(s.key, (ulong)v))) return WAITS;
    return theirs == IN ? RULED_OUT : NOTHING;
}

#if GROUP > 1
/* Rows of a group: whose they are, its level; where it waits, from the beginning of what is looked at. */
typedef struct {
    OFFSET box[4 * GROUP];
    int vertex[GROUP], waits[GROUP];
    uchar own[GROUP], ruled_out[GROUP];
} Table;
#else
typedef int Table;
#endif

/* Decide what can be decided of blocks first, first + step, ... before `last`, of `count` vertices. */
static inline void decide_blocks(Set s, __local Desk *desk, __local Table *table, int turn, int count, int first,
                          int last, int step)
{
    volatile __global int *log = s.log, *waiting = ROW_OF(turn);
    __global const int *front = s.queues + (size_t)(turn % 2) * s.n;
    __global int *after = s.queues + (size_t)(1 - turn % 2) * s.n;
    int me = get_local_id(0);
    ulong arcs = 0;
    clear_desk(desk);
    for (int b = first; b < last; b += step) {
        long end = min((b + 1L) * ROWS, (long)count);
        for (long i = (long)b * ROWS; i < end; i += GROUP) {
            bool valid = i + me < end;
            int v = !valid ? 0 : turn ? front[i + me] : (int)(i + me);
            uchar own = s.level[v];
            bool open = valid && own > IN;
            OFFSET k = 0, stop = 0;
            if (open) {
                k = turn ? s.at[v] : s.ptr[v];
                stop = s.ptr[v + 1];
            }
#if GROUP == 1
            if (!open) continue;
            int means = NOTHING;
            for (; k < stop; k++) {
                int u = s.indices[k];
                means = meaning(s, s.level[u], u, own, v);
                if (means != NOTHING) break;
            }
            if (means == NOTHING) {
                s.level[v] = IN;
                for (k = s.ptr[v]; k < stop; k++)
                    if (s.indices[k] != v) s.level[s.indices[k]] = OUT;
            } else if (means == RULED_OUT) s.level[v] = OUT;
            else {
                s.at[v] = k;
                arcs += stop - s.ptr[v];
                keep(desk, v, after, waiting);
            }
#else
            table->vertex[me] = v;
            table->own[me] = own;
            table->waits[me] = 0x7fffffff;
            table->ruled_out[me] = 0;
            rows_of_group rows = note_rows(k, stop, table->box);
            int row = 0;
            for (OFFSET j = me; j < rows.total; j += GROUP) {
                row = row_with(rows, row, j);
                int passed = (int)(j - (row ? rows.upto[row - 1] : 0));
                if (table->ruled_out[row] || table->waits[row] < passed) { /* seen late, it is only found again */
                    j = last_before(rows.upto[row], j);
                    continue;
                }
                int u = s.indices[rows.begin[row] + passed];
                int means = meaning(s, s.level[u], u, table->own[row], table->vertex[row]);
                if (means == RULED_OUT) table->ruled_out[row] = 1;
                if (means == WAITS) atomic_min(&table->waits[row], passed);
            }
            TOGETHER;
            bool out = table->ruled_out[me], waits = open && !out && table->waits[me] != 0x7fffffff;
            bool joins = open && !out && !waits;
            if (open && !waits) s.level[v] = out ? OUT : IN;
            if (waits) {
                s.at[v] = k + table->waits[me];
                arcs += stop - s.ptr[v];
                keep(desk, v, after, waiting);
            }
            rows = note_rows(joins ? s.ptr[v] : 0, joins ? stop : 0, table->box);
            row = 0;
            for (OFFSET j = me; j < rows.total; j += GROUP) {
                row = row_with(rows, row, j);
                int u = s.indices[arc_at(rows, row, j)];
                if (u != table->vertex[row]) s.level[u] = OUT;
            }
            TOGETHER;
#endif
        }
        flush(desk, after, waiting);
    }
    add_sums(desk, 0, 0, arcs, (volatile __global uint *)waiting);
}

/* Make the row of a round zero; the host does so for the first. */
static inline void clear_row(volatile __global int *log, int turn)
{
    for (int i = 0; i < COLUMNS; i++) ROW_OF(turn)[i] = 0;
}

/* How many vertices a round has to look at. */
static inline int count_of(volatile __global int *log, int turn, int n)
{
    return turn ? ROW_OF(turn - 1)[0] : n;
}

#define ARGUMENTS \
    __global const OFFSET *ptr, __global const int *indices, __global uchar *level, __global OFFSET *at, \
    __global int *queues, __global int *log, ulong key, int n, int turn

/* A round. */
__kernel void decide(ARGUMENTS, int piece, int pieces)
{
    __local Desk desk;
    __local Table table;
    SET;
    int count = count_of(log, turn, n);
    if (piece == 0 && get_global_id(0) == 0) clear_row(log, turn + 1);
    BLOCKS_OF(count, ROWS, piece, pieces, first, last);
    decide_blocks(s, &desk, &table, turn, count, first + ME, last, GROUPS);
}

/* How many vertices a round, not the first, has to look at; 0 if they, or their arcs, are too many for one group. */
static inline int small_count(volatile __global int *log, int turn, int most, int most_arcs)
{
    volatile __global uint *last = (volatile __global uint *)ROW_OF(turn - 1);
    return last[0] <= (uint)most && last[2] <= (uint)most_arcs && last[3] == 0 ? (int)last[0] : 0;
}

/* One group does up to `turns` rounds that are small by itself. */
__kernel void decide_alone(ARGUMENTS, int turns, int most, int most_arcs)
{
    __local Desk desk;
    __local Table table;
    if (get_group_id(0) > 0) return;
    SET;
    int me = get_local_id(0), end = turn + turns, count = small_count(log, turn, most, most_arcs);
    while (turn < end && count > 0) {
        if (me == 0) clear_row(log, turn + 1);
        decide_blocks(s, &desk, &table, turn, count, 0, (count + ROWS - 1) / ROWS, 1);
        EVERYWHERE;
        turn++;
        count = small_count(log, turn, most, most_arcs);
        EVERYWHERE;
    }
    if (me == 0) log[DONE] = turn;
}
