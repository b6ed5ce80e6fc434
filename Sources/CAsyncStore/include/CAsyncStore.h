#ifndef CASYNCSTORE_H
#define CASYNCSTORE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// The data that the stores of a process keep for each thread.
///
/// In C, because Swift has no thread-local variables, and a commit reads it: by the functions of POSIX this would take
/// more instructions than the lock.
struct ThreadRecord {
  /// The number of stores that the thread has locked.
  uintptr_t lockCount;
  /// The work that comes when it has none of them locked any more, if there is any.
  void *_Nullable deferredWork;
  /// The loop of deliveries that runs on the thread, if one does.
  void *_Nullable deliveryLoop;
  /// True while the thread frees the closure of an effect, so that it keeps back the others that are freed with it.
  bool isReleasing;
  /// The last closure that was kept back.
  void *_Nullable lastKept;
  /// The number of answers to the machine that the thread reports inside of each other.
  uintptr_t answerDepth;
  /// True while callers who wait for an operation may not start it on the thread themselves, but have to make a task
  /// for it: inside of another operation that has been started so, and where a schedule is explored.
  bool startsNoOperation;
  /// The actor that the thread is known to be on, if any, and the task that is there; 0 outside of tasks.
  void *_Nullable actor;
  uintptr_t actorTask;
  /// The number of stores whose turns on their actor the thread is in the middle of.
  uintptr_t turnCount;
  /// The calls that wait for the one that the thread makes, if they may not be made inside of each other.
  void *_Nullable calls;
};

// As close as a static variable by glibc, also in a library that is loaded later; elsewhere as the platform has it.
#if defined(__GLIBC__)
extern _Thread_local struct ThreadRecord asyncStoreThreadRecord __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local struct ThreadRecord asyncStoreThreadRecord;
#endif

/// The address of this thread's record, which no other living thread has.
static inline struct ThreadRecord *currentThreadRecord(void) { return &asyncStoreThreadRecord; }

/// The object of the Swift task that runs on this thread; null if none does.
///
/// It is part of the runtime's binary interface. `withUnsafeCurrentTask` makes it known too, and takes 300 instructions
/// more, because the layout of its argument is looked up when the program runs.
void *_Nullable swift_task_getCurrent(void);

/// The priority that a task was made with, which the tasks that it makes inherit; its current one may be higher.
///
/// As ``swift_task_getCurrent``, and for the same reason.
uint8_t swift_task_basePriority(void *task);

/// Returns 1 if this thread is on a serial executor, 0 if it is not, and -1 where that can't be known without a check
/// that may end the program.
///
/// Swift's own check ends the program without its caller's message, and off the main actor of Linux without any. The
/// executor is given as the two words of an `UnownedSerialExecutor`. On the main queue, code may be on the main actor
/// without one of its jobs (`MainActor.assumeIsolated` in a block), which only the check that ends the program knows.
int asyncStoreIsOnExecutor(const void *identity, uintptr_t implementation, bool isMain);

/// Waits for some tenths of a microsecond in a loop that waits for another thread.
///
/// In C, because Swift makes the processor's instruction for it known to its own library only.
static inline void pauseThread(void) {
  for (int count = 0; count < 8; count++) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // `yield` does nothing on most of these processors.
    __asm__ volatile("isb" ::: "memory");
#endif
  }
}

/// Does nothing, which Swift's optimizer can't know: to it the object escapes here, and so has to be on the heap.
static inline void keepOnHeap(const void *object) { (void)object; }

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
