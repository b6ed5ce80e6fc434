#include "CAsyncStore.h"

#include <string.h>

_Thread_local struct ThreadRecord asyncStoreThreadRecord;

#if defined(__linux__)
// Weak: the runtime of Swift 6.1 has no such function.
__attribute__((weak, swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uint64_t flags);

// Weak, so that the module does not have to be linked with Dispatch.
__attribute__((weak)) const char *dispatch_queue_get_label(const void *queue);

static bool isOnMainQueue(void) {
  const char *label = dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : NULL;
  return label && strcmp(label, "com.apple.main-thread") == 0;
}

int asyncStoreIsOnExecutor(const void *identity, uintptr_t implementation, bool isMain) {
  if (!swift_task_isCurrentExecutorWithFlags) return -1;
  if (swift_task_isCurrentExecutorWithFlags(identity, implementation, 0)) return 1;
  return isMain && isOnMainQueue() ? -1 : 0;
}
#else
int asyncStoreIsOnExecutor(const void *identity, uintptr_t implementation, bool isMain) { return -1; }
#endif
