// Tells the thread sanitizer of Synchronization.Mutex on Linux.
//
// A contended mutex is handed over by the kernel, from within a library that is not instrumented. The sanitizer does
// not see it and reports a race wherever two threads have really waited for each other. Preloaded, this wraps the slow
// paths, the only ones that are not inlined into instrumented code.
//
// `.ci/sanitize-threads` builds it and runs the tests with it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *self);
typedef SWIFT bool (*TryLock)(SELF void *self);
typedef SWIFT void (*Unlock)(SELF void *self);

static Lock originalLock;
static TryLock originalTryLock;
static Unlock originalUnlock;

SWIFT void lockSlow(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *self) {
  if (!originalLock) originalLock = (Lock)dlsym(RTLD_NEXT, LOCK);
  originalLock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool tryLockSlow(SELF void *self) __asm__(TRY_LOCK);
SWIFT bool tryLockSlow(SELF void *self) {
  if (!originalTryLock) originalTryLock = (TryLock)dlsym(RTLD_NEXT, TRY_LOCK);
  bool isLocked = originalTryLock(self);
  if (isLocked && __tsan_acquire) __tsan_acquire(self);
  return isLocked;
}

SWIFT void unlockSlow(SELF void *self) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *self) {
  if (!originalUnlock) originalUnlock = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  originalUnlock(self);
}
