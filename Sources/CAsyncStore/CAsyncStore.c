#include "CAsyncStore.h"

_Thread_local struct ThreadRecord asyncStoreThreadRecord;

#if defined(__linux__)
// Weak: the runtime of Swift 6.1 has no such function.
__attribute__((weak, swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uint64_t flags);

int asyncStoreIsOnExecutor(const void *identity, uintptr_t implementation) {
  if (!swift_task_isCurrentExecutorWithFlags) return -1;
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
#else
int asyncStoreIsOnExecutor(const void *identity, uintptr_t implementation) { return -1; }
#endif
