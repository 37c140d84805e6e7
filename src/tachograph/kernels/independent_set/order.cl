/* The order of vertices, twin of greedy.py, which explains it. */
#define OUT 0
#define IN 1
#define CLASSES 31

/* For one vertex, ORDER(), or for four at a time, ORDER(4). Degrees that are larger than the last class are in
   it; `rest` is halved until 2 or 3 are left, or 1. */
#define ORDER(N) \
    static inline ulong##N draw##N(ulong key, ulong##N counter) \
    { \
        ulong##N x = key + (counter + 1UL) * 0x9E3779B97F4A7C15UL; \
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL; \
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL; \
        return x ^ (x >> 31); \
    } \
    static inline uchar##N level_of##N(ulong key, ulong##N vertex, long##N degree) \
    { \
        int##N rest = convert_int##N(min(degree + 1L, (long##N)(1L << (CLASSES / 2 + 1)))); \
        int##N halvings = max((as_int##N(convert_float##N(rest)) >> 23) - 128, (int##N)(0)); \
        int##N steps = min(2 * halvings + (rest >> halvings) - 1, (int##N)(CLASSES - 1)); \
        return convert_uchar##N(2 + 8 * (CLASSES - 1 - steps) + convert_int##N(draw##N(key, vertex) >> 61)); \
    }
ORDER()
