/* The order of vertices, twin of greedy.py, which explains it. ID is the type of vertices. */
#define OUT 0
#define IN 1
#define CLASSES 31

inline ulong draw(ulong key, ulong counter)
{
    ulong x = key + (counter + 1UL) * 0x9E3779B97F4A7C15UL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
    return x ^ (x >> 31);
}

inline uchar level_of(ulong key, ID vertex, long degree)
{
    int rest = (int)min(degree + 1, 1L << (CLASSES / 2 + 1)); /* larger degrees are in the last class */
    int halvings = max((as_int((float)rest) >> 23) - 128, 0); /* until 2 or 3 are left, or 1 */
    int steps = min(2 * halvings + (rest >> halvings) - 1, CLASSES - 1);
    return (uchar)(2 + 8 * (CLASSES - 1 - steps) + (int)(draw(key, (ulong)vertex) >> 61));
}
