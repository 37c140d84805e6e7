/* To be preloaded where PoCL 3.0 says "unknown target CPU 'generic'". Its LLVM calls a processor that is younger than
 * itself "generic", and then does not know that name (https://github.com/pocl/pocl/issues/1049). PoCL copies the
 * name once, by strncpy; this one hands out the name of an older processor, which has nothing that this one lacks. */
#include <stddef.h>
#include <string.h>

static const char *older(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
        ? "haswell" : "x86-64";
}

char *strncpy(char *to, const char *from, size_t size)
{
    const char *name = size == 7 && memcmp(from, "generic", 7) == 0 ? older() : from;
    size_t i = 0;
    for (; i < size && name[i]; i++) to[i] = name[i];
    for (; i < size; i++) to[i] = 0;
    return to;
}
