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

/// Does nothing, which Swift's optimizer can't know: to it the object escapes here, and so has to be on the heap.
static inline void keepOnHeap(const void *object) { (void)object; }

/// The number of bytes that are left of this thread's stack; very many where nobody knows.
///
/// In C, because a thread is asked for its stack once, and Swift has no variable to keep the answer in.
uintptr_t asyncStore_remainingStack(void);

/// Gives a file the access list of another one, or none if that one has none.
///
/// In C, because Swift's modules for Linux don't have these system calls.
///
/// - Parameters:
///   - model: the path of the other file.
///   - file: the descriptor of the file, whose owner this process is.
/// - Returns: the length of a list that the bits of the permissions don't tell all of; 0 if there is none; -1 if the
///   file's list may be another one.
long asyncStore_copyAccessList(const char *model, int file);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
