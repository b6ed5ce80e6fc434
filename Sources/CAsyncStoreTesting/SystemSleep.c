#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "SystemSleep.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// From Swift 6.2 on a task that sleeps hands its alarm to the default executor, and no hook is asked. The executor
// hands it to this function of libdispatch's, which on Linux is the program's if the program has one. Weak: where
// libdispatch is linked statically its own function stays.

typedef void (*After)(uint64_t when, void *queue, void *context, void (*work)(void *context));

__attribute__((weak)) void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *context)) {
  asyncStoreTesting_noteSystemSleep();
  static After original;
  After function = __atomic_load_n(&original, __ATOMIC_ACQUIRE);
  if (!function) {
    function = (After)dlsym(RTLD_NEXT, "dispatch_after_f");
    __atomic_store_n(&original, function, __ATOMIC_RELEASE);
  }
  function(when, queue, context, work);
}
#endif
