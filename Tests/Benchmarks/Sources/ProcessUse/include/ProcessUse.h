#ifndef PROCESS_USE_H
#define PROCESS_USE_H

#include <stddef.h>
#include <stdint.h>

/// The bytes in use from the allocator, in all of its arenas and mapped directly. Swift has no view of malloc.h.
size_t process_allocated_bytes(void);

/// The user and system time of all threads, in microseconds.
int64_t process_cpu_microseconds(void);

#endif
