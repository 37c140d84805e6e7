/* Twins of rounds.py; encodings and order are explained there and in greedy.py. Counters are
   int, whatever type ids have: the host launches kernels only for graphs that they can count. GROUP is the
   size of a work-group. BY_ARCS: a group shares the arcs of its rows; without, a work-item has a row. */
#include "by_arcs.cl"

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

#define ACTIVE 2
#define UNKNOWN 2
#define POLLS 0
#define LEFT 1
#define KEPT 2
#define KEPT_ARCS 3
#define QUIT 4
#define FRONT 16
#define REAR 32
#define VERTICES_PER_TAKE 512

#include "order.cl"

/* OVERLAP: the host reads and writes words and counters while kernels run, which needs atomics of a scope
   that has the host in it, and that needs OpenCL C 2. HOST_CORES: all memory of the device is the host's, as
   are its cores, so that no scope is wider than the device's. Without OVERLAP, kernels run one after the
   other, and plain loads and stores are enough. */
#ifdef OVERLAP
#if __OPENCL_C_VERSION__ < 300 || defined(__opencl_c_atomic_scope_all_devices)
#define SCOPE memory_scope_all_svm_devices
#elif defined(HOST_CORES)
#define SCOPE memory_scope_device
#endif
typedef volatile __global atomic_int *shared_int;
static inline int acquire(volatile __global int *place)
{
    return atomic_load_explicit((shared_int)place, memory_order_acquire, SCOPE);
}
static inline void release(volatile __global int *place, int value)
{
    atomic_store_explicit((shared_int)place, value, memory_order_release, SCOPE);
}
static inline int add(volatile __global int *place, int value)
{
    return atomic_fetch_add_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
static inline void lower(volatile __global int *place, int value)
{
    atomic_fetch_min_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
static inline void raise(volatile __global int *place, int value)
{
    atomic_fetch_max_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
#endif

__kernel void randomize(long lo, long hi, __global const ID *work, ulong key,
                        __global const long *degree, int turn, volatile __global int *word)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
    ID v = work[i];
    int made = turn << 8 | (int)level_of(key, v, degree[v]);
#ifdef OVERLAP
    release(&word[v], made);
#else
    word[v] = made;
#endif
}

/* Whether u, whose word is `theirs`, comes before v. A vertex that was decided has the word of an earlier
   turn, which is lower than all of this one, and none comes before itself. */
static inline bool beats(ulong key, int theirs, ID u, int own, ID v)
{
    return theirs > own || (theirs == own && draw(key, (ulong)u) > draw(key, (ulong)v));
}

/* chosen: 1 for those that come before all undecided neighbours, else 0; all words are there. One that
   `settles` deactivates as well: rows of the chosen are still in the cache. */
__kernel void select_(long lo, long hi, __global const ID *work, ulong key,
                      __global const OFFSET *indptr, __global const ID *indices, __global const int *word,
                      __global uchar *chosen, int settles, __global uchar *state, __global int *tally)
{
    long i = lo + (long)get_global_id(0);
    bool valid = i < hi;
    ID v = valid ? work[i] : 0;
    int own = word[v];
    OFFSET begin = indptr[v], end = indptr[v + 1];
    if (settles && get_global_id(0) == 0) tally[KEPT] = tally[KEPT_ARCS] = 0;
#ifdef BY_ARCS
    __local OFFSET box[4 * GROUP];
    __local ID vertex[GROUP];
    __local int words[GROUP], beaten[GROUP];
    int me = get_local_id(0);
    vertex[me] = v;
    words[me] = own;
    beaten[me] = 0;
    rows_of_group rows = note_rows(begin, valid ? end : begin, box);
    int row = 0;
    for (OFFSET k = me; k < rows.total; k += GROUP) {
        row = row_with(rows, row, k);
        ID u = indices[arc_at(rows, row, k)];
        if (!beaten[row]) { /* if that is seen late, it is only written again */
            if (!beats(key, word[u], u, words[row], vertex[row])) continue;
            beaten[row] = 1;
        }
        k = last_before(rows.upto[row], k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (valid) chosen[v] = !beaten[me];
    if (!settles) return;
    if (valid && !beaten[me]) state[v] = IN;
    row = 0;
    for (OFFSET k = me; k < rows.total; k += GROUP) {
        row = row_with(rows, row, k);
        ID u = indices[arc_at(rows, row, k)];
        if (beaten[row]) k = last_before(rows.upto[row], k);
        else if (u != vertex[row]) state[u] = 0;
    }
#else
    if (!valid) return;
    OFFSET k = begin;
    while (k < end && !beats(key, word[indices[k]], indices[k], own, v)) k++;
    chosen[v] = k == end;
    if (!settles || k < end) return;
    state[v] = IN;
    for (k = begin; k < end; k++)
        if (indices[k] != v) state[indices[k]] = 0;
#endif
}

#ifdef OVERLAP
/* the word of v; an empty one is waited for as long as nobody has lost patience */
static inline int full(volatile __global int *word, ID v, int turn, int patience, int *polls,
                volatile __global int *tally)
{
    int found = acquire(&word[v]);
    for (int rest = 16; found >> 8 != turn && patience; rest = min(2 * rest, 1024)) {
        *polls += 1;
        if (acquire(&tally[QUIT])) break;
        if (*polls > patience) { release(&tally[QUIT], 1); break; }
        for (volatile int k = 0; k < rest; k++) {} /* leave the cache line to its writer */
        found = acquire(&word[v]);
    }
    return found;
}

/* 1 if v comes before all undecided neighbours, else 0; UNKNOWN if a word was not there in time */
static inline uchar choice(ID v, ulong key, __global const OFFSET *indptr, __global const ID *indices,
                    __global const uchar *state, int turn, volatile __global int *word,
                    int patience, int *polls, volatile __global int *tally)
{
    int own = full(word, v, turn, patience, polls, tally);
    if (own >> 8 != turn) return UNKNOWN;
    for (OFFSET k = indptr[v]; k < indptr[v + 1]; k++) {
        ID u = indices[k];
        if (u == v || state[u] != ACTIVE) continue;
        int theirs = full(word, u, turn, patience, polls, tally);
        if (theirs >> 8 != turn) return UNKNOWN;
        if (beats(key, theirs, u, own, v)) return 0;
    }
    return 1;
}

__kernel void select_shared(long count, int helps, int patience, __global const ID *work, ulong key,
                            __global const OFFSET *indptr, __global const ID *indices,
                            __global const uchar *state, int turn, volatile __global int *word,
                            __global uchar *chosen, __global ID *left, volatile __global int *tally)
{
    long i = (long)get_global_id(0);
    if (i >= count) return;
    if (helps) {
        i = count - 1 - i;
        if (i < acquire(&tally[FRONT])) return; /* the host has it */
        if ((i + 1) % VERTICES_PER_TAKE == 0) lower(&tally[REAR], (int)(i + 1 - VERTICES_PER_TAKE));
    } else {
        if (i >= acquire(&tally[REAR])) return;
        if (i % VERTICES_PER_TAKE == 0) raise(&tally[FRONT], (int)min(i + VERTICES_PER_TAKE, count));
    }
    ID v = work[i];
    int polls = 0;
    uchar found = choice(v, key, indptr, indices, state, turn, word, patience, &polls, tally);
    chosen[v] = found;
    if (polls) add(&tally[POLLS], polls);
    if (found == UNKNOWN) left[add(&tally[LEFT], 1)] = v;
}
#endif

/* Hot vertices, those of the highest degrees, by an approximate sort: by the number of bits of a degree.
   First, how many vertices have each number of bits. */
#define DEGREE_BITS 64
static inline int bits_of(long degree) { return 64 - (int)clz(degree); }

__kernel void count_bits(long count, __global const long *degree, volatile __global int *classes)
{
    __local int mine[DEGREE_BITS];
    for (int k = get_local_id(0); k < DEGREE_BITS; k += get_local_size(0)) mine[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long v = get_global_id(0); v < count; v += get_global_size(0))
        atomic_inc(&mine[bits_of(degree[v])]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < DEGREE_BITS; k += get_local_size(0))
        if (mine[k]) atomic_add(&classes[k], mine[k]);
}

/* Then take them: all of more than `bound` bits, of which there are `above`, and as many of `bound` bits as
   there is room for behind them. `classes` has two counters behind its classes; a group adds to each once for
   all its work-items. */
__kernel void take_hot(long count, __global const long *degree, int bound, int above, int room,
                       volatile __global int *classes, __global ID *hot)
{
    __local int taken[2], place[2];
    int me = get_local_id(0);
    for (long first = (long)get_group_id(0) * get_local_size(0); first < count; first += get_global_size(0)) {
        long v = first + me;
        int bits = v < count ? bits_of(degree[v]) : -1, which = bits == bound, at = room;
        if (me == 0) taken[0] = taken[1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (bits >= bound) at = atomic_inc(&taken[which]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me == 0) {
            place[0] = atomic_add(&classes[DEGREE_BITS], taken[0]);
            place[1] = above + atomic_add(&classes[DEGREE_BITS + 1], taken[1]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (bits >= bound && place[which] + at < room) hot[place[which] + at] = (ID)v;
    }
}

/* the chosen are in the set, their neighbours are not; what compact counts begins at 0 */
__kernel void deactivate(long lo, long hi, __global const ID *work, __global const OFFSET *indptr,
                         __global const ID *indices, __global const uchar *chosen,
                         __global uchar *state, __global int *tally)
{
    long i = lo + (long)get_global_id(0);
    if (get_global_id(0) == 0) tally[KEPT] = tally[KEPT_ARCS] = 0;
#ifdef BY_ARCS
    __local OFFSET box[4 * GROUP];
    __local ID vertex[GROUP];
    int me = get_local_id(0);
    ID v = i < hi ? work[i] : 0;
    bool mine = i < hi && chosen[v] == 1;
    if (mine) state[v] = IN;
    vertex[me] = v;
    rows_of_group rows = note_rows(mine ? indptr[v] : 0, mine ? indptr[v + 1] : 0, box);
    int row = 0;
    for (OFFSET k = me; k < rows.total; k += GROUP) {
        row = row_with(rows, row, k);
        ID u = indices[arc_at(rows, row, k)];
        if (u != vertex[row]) state[u] = 0;
    }
#else
    if (i >= hi) return;
    ID v = work[i];
    if (chosen[v] != 1) return;
    state[v] = IN;
    for (OFFSET k = indptr[v]; k < indptr[v + 1]; k++) {
        ID u = indices[k];
        if (u != v) state[u] = 0;
    }
#endif
}

/* The undecided vertices of work[:count] to kept; tally counts them and their arcs. A work-item has TAKES
   entries. By arcs, a group keeps its own in their order: they are packed in local memory, and written
   together. */
__kernel void compact(long count, __global const ID *work, __global const uchar *state,
                      __global const long *degree, __global ID *kept, volatile __global int *tally)
{
    int mine = 0, arcs = 0;
#ifdef BY_ARCS
    __local ID taken[GROUP * TAKES], packed[GROUP * TAKES];
    __local uchar stays[GROUP * TAKES];
    __local int sums[2 * GROUP], first, total;
    int me = get_local_id(0);
    long begin = (long)get_group_id(0) * GROUP * TAKES;
    for (int t = me; t < GROUP * TAKES; t += GROUP) {
        taken[t] = begin + t < count ? work[begin + t] : 0;
        stays[t] = begin + t < count && state[taken[t]] == ACTIVE;
        if (stays[t]) arcs += (int)degree[taken[t]];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = me * TAKES; t < (me + 1) * TAKES; t++) mine += stays[t];
    int at = int_sums(mine, sums)[me] - mine;
    for (int t = me * TAKES; t < (me + 1) * TAKES; t++)
        if (stays[t]) packed[at++] = taken[t];
    if (me == GROUP - 1) total = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    int all = int_sums(arcs, sums)[me];
    if (me == GROUP - 1 && total) {
        first = atomic_add(&tally[KEPT], total);
        atomic_add(&tally[KEPT_ARCS], all);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = me; t < total; t += GROUP) kept[first + t] = packed[t];
#else
    long begin = (long)get_global_id(0) * TAKES, end = min(begin + TAKES, count);
    for (long i = begin; i < end; i++)
        if (state[work[i]] == ACTIVE) {
            mine++;
            arcs += (int)degree[work[i]];
        }
    if (!mine) return;
    int at = atomic_add(&tally[KEPT], mine);
    atomic_add(&tally[KEPT_ARCS], arcs);
    for (long i = begin; i < end; i++)
        if (state[work[i]] == ACTIVE) kept[at++] = work[i];
#endif
}
