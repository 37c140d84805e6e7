/* Twins of rounds.py; encodings and order are explained there and in greedy.py. Counters are
   int, whatever type ids have: the host launches kernels only for graphs that they can count. */

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

#define IN 1
#define ACTIVE 2
#define UNKNOWN 2
#define CLASSES 31
#define POLLS 0
#define LEFT 1
#define KEPT 2
#define KEPT_ARCS 3
#define QUIT 4
#define FRONT 16
#define REAR 32
#define VERTICES_PER_TAKE 512

inline ulong draw(ulong key, ulong counter)
{
    ulong x = key + (counter + 1UL) * 0x9E3779B97F4A7C15UL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
    return x ^ (x >> 31);
}

inline uchar level_of(ulong key, ID vertex, long degree)
{
    long rest = degree + 1, doublings = 0;
    while (rest > 3) { rest >>= 1; doublings += 2; }
    long steps = min(doublings + rest - 1, (long)(CLASSES - 1));
    return (uchar)(2 + 8 * (CLASSES - 1 - steps) + (long)(draw(key, (ulong)vertex) >> 61));
}

inline bool before(ulong key, int level, ID vertex, int other_level, ID other)
{
    if (level != other_level) return level > other_level;
    return draw(key, (ulong)vertex) > draw(key, (ulong)other);
}

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
inline int acquire(volatile __global int *place)
{
    return atomic_load_explicit((shared_int)place, memory_order_acquire, SCOPE);
}
inline void release(volatile __global int *place, int value)
{
    atomic_store_explicit((shared_int)place, value, memory_order_release, SCOPE);
}
inline int add(volatile __global int *place, int value)
{
    return atomic_fetch_add_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
inline void lower(volatile __global int *place, int value)
{
    atomic_fetch_min_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
inline void raise(volatile __global int *place, int value)
{
    atomic_fetch_max_explicit((shared_int)place, value, memory_order_relaxed, SCOPE);
}
#else
inline int acquire(volatile __global int *place) { return *place; }
inline void release(volatile __global int *place, int value) { *place = value; }
#endif

__kernel void randomize(long lo, long hi, __global const ID *work, ulong key,
                        __global const long *degree, int turn, volatile __global int *word)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
    ID v = work[i];
    release(&word[v], turn << 8 | (int)level_of(key, v, degree[v]));
}

/* the word of v; an empty one is waited for as long as nobody has lost patience */
inline int full(volatile __global int *word, ID v, int turn, int patience, int *polls,
                volatile __global int *tally)
{
    int found = acquire(&word[v]);
#ifdef OVERLAP
    for (int rest = 16; found >> 8 != turn && patience; rest = min(2 * rest, 1024)) {
        *polls += 1;
        if (acquire(&tally[QUIT])) break;
        if (*polls > patience) { release(&tally[QUIT], 1); break; }
        for (volatile int k = 0; k < rest; k++) {} /* leave the cache line to its writer */
        found = acquire(&word[v]);
    }
#endif
    return found;
}

/* 1 if v comes before all undecided neighbours, else 0; UNKNOWN if a word was not there in time */
inline uchar choice(ID v, ulong key, __global const long *indptr, __global const ID *indices,
                    __global const uchar *state, int turn, volatile __global int *word,
                    int patience, int *polls, volatile __global int *tally)
{
    int own = full(word, v, turn, patience, polls, tally);
    if (own >> 8 != turn) return UNKNOWN;
    for (long k = indptr[v]; k < indptr[v + 1]; k++) {
        ID u = indices[k];
        if (u == v || state[u] != ACTIVE) continue;
        int theirs = full(word, u, turn, patience, polls, tally);
        if (theirs >> 8 != turn) return UNKNOWN;
        if (before(key, theirs, u, own, v)) return 0;
    }
    return 1;
}

__kernel void select_(long lo, long hi, __global const ID *work, ulong key,
                      __global const long *indptr, __global const ID *indices,
                      __global const uchar *state, int turn, volatile __global int *word,
                      __global uchar *chosen)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
    ID v = work[i];
    int polls = 0;
    chosen[v] = choice(v, key, indptr, indices, state, turn, word, 0, &polls, word);
}

#ifdef OVERLAP
__kernel void select_shared(long count, int helps, int patience, __global const ID *work, ulong key,
                            __global const long *indptr, __global const ID *indices,
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

__kernel void deactivate(long lo, long hi, __global const ID *work, __global const long *indptr,
                         __global const ID *indices, __global const uchar *chosen,
                         __global uchar *state)
{
    long i = lo + (long)get_global_id(0);
    if (i >= hi) return;
    ID v = work[i];
    if (chosen[v] != 1) return;
    state[v] = IN;
    for (long k = indptr[v]; k < indptr[v + 1]; k++) {
        ID u = indices[k];
        if (u != v) state[u] = 0;
    }
}

/* the undecided vertices of work[:count], in any order, to kept; tally counts them and arcs */
__kernel void compact(long count, __global const ID *work, __global const uchar *state,
                      __global const long *degree, __global ID *kept,
                      volatile __global int *tally, __local int *box)
{
    long i = (long)get_global_id(0);
    if (get_local_id(0) == 0) { box[0] = 0; box[2] = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool stays = i < count && state[work[i]] == ACTIVE;
    int at = stays ? atomic_inc(&box[0]) : 0;
    if (stays) atomic_add(&box[2], (int)degree[work[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        box[1] = atomic_add(&tally[KEPT], box[0]);
        atomic_add(&tally[KEPT_ARCS], box[2]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stays) kept[box[1] + at] = work[i];
}
