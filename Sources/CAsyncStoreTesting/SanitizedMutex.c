// Tells the thread sanitizer of Synchronization.Mutex on Linux; empty without the sanitizer.
//
// A contended mutex is handed over by the kernel, from within a library that is not instrumented. The sanitizer does
// not see it and reports a race wherever two threads have really waited for each other. This wraps the slow paths, the
// only ones that are not inlined into instrumented code: on Linux a program's functions come before a library's of the
// same name. Weak: where the library is linked statically its own functions stay, and so do the false reports.
#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *self);
typedef SWIFT bool (*TryLock)(SELF void *self);
typedef SWIFT void (*Unlock)(SELF void *self);

/// Returns the library's function of a name, which is looked up once.
static void *original(void **known, const char *name) {
  void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  return found;
}

__attribute__((weak)) SWIFT void lockSlow(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *self) {
  static void *known;
  ((Lock)original(&known, LOCK))(thread, self);
  __tsan_acquire(self);
}

__attribute__((weak)) SWIFT bool tryLockSlow(SELF void *self) __asm__(TRY_LOCK);
SWIFT bool tryLockSlow(SELF void *self) {
  static void *known;
  bool isLocked = ((TryLock)original(&known, TRY_LOCK))(self);
  if (isLocked) __tsan_acquire(self);
  return isLocked;
}

__attribute__((weak)) SWIFT void unlockSlow(SELF void *self) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *self) {
  static void *known;
  __tsan_release(self);
  ((Unlock)original(&known, UNLOCK))(self);
}

#endif
#endif
