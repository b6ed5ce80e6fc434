#include "ProcessUse.h"

#include <sys/resource.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

size_t process_allocated_bytes(void) {
#ifdef __APPLE__
  return mstats().bytes_used;
#else
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

int64_t process_cpu_microseconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec
    + usage.ru_stime.tv_usec;
}
