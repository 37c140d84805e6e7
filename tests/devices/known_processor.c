/* To be preloaded where PoCL 3.0 says "unknown target CPU 'generic'". Its LLVM calls a processor that is younger than
 * itself "generic", and then does not know that name (https://github.com/pocl/pocl/issues/1049). PoCL copies the
 * name once, by strncpy; this one hands out the name of an older processor of the same kind. */
#include <stddef.h>
#include <string.h>

char *strncpy(char *to, const char *from, size_t size)
{
    const char *name = size == 7 && memcmp(from, "generic", 7) == 0 ? "znver3" : from;
    size_t i = 0;
    for (; i < size && name[i]; i++) to[i] = name[i];
    for (; i < size; i++) to[i] = 0;
    return to;
}
