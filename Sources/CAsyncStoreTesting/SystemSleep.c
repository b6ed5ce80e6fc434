#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "SystemSleep.h"

void asyncStoreTesting_linkSystemSleep(void) {}

#if defined(__linux__)
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// From Swift 6.2 on a task that sleeps hands its alarm to the default executor, and no hook is asked. The executor
// hands it to one of these functions of libdispatch's, which on Linux are the program's if the program has them: the
// second one for a sleep with a tolerance. Weak: where libdispatch is linked statically its own functions stay.
//
// The thread sanitizer replaces them too, by weak functions; there these are strong, and go on to the sanitizer's.

typedef void (*Work)(void *context);
typedef void (*After)(uint64_t when, void *queue, void *context, Work work);
typedef void (*SetEventHandler)(void *source, Work work);

#if __has_feature(thread_sanitizer)
#define REPLACEMENT
#define ORIGINAL(name) "__interceptor_" name
#define SCOPE RTLD_DEFAULT
#else
#define REPLACEMENT __attribute__((weak))
#define ORIGINAL(name) name
#define SCOPE RTLD_NEXT
#endif

/// The function that would have been called, which is looked up once.
static void *original(const char *name, void **cache) {
  void *function = __atomic_load_n(cache, __ATOMIC_ACQUIRE);
  if (!function) {
    function = dlsym(SCOPE, name);
    __atomic_store_n(cache, function, __ATOMIC_RELEASE);
  }
  return function;
}

REPLACEMENT void dispatch_after_f(uint64_t when, void *queue, void *context, Work work) {
  static void *function;
  asyncStoreTesting_noteSystemSleep();
  ((After)original(ORIGINAL("dispatch_after_f"), &function))(when, queue, context, work);
}

REPLACEMENT void dispatch_source_set_event_handler_f(void *source, Work work) {
  static void *function;
  asyncStoreTesting_noteSystemSleep();
  ((SetEventHandler)original(ORIGINAL("dispatch_source_set_event_handler_f"), &function))(source, work);
}
#endif
