#ifndef C_ASYNC_STORE_TESTING_H
#define C_ASYNC_STORE_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A reference to a serial executor, as the concurrency runtime passes it: the object and how to call it.
typedef struct {
  const void *_Nonnull identity;
  uintptr_t implementation;
} AsyncStoreTestingExecutor;

/// What the simulation that a thread drives answers to the concurrency runtime.
typedef struct {
  /// A job would go to the global executor.
  void (*_Nonnull enqueue)(void *_Nonnull driver, const void *_Nonnull job);
  /// A job would go to the global executor, on a thread that drives nothing. Takes it if it is a simulation's, or
  /// returns false.
  bool (*_Nonnull reclaim)(const void *_Nonnull job);
  /// Who is the main actor's executor.
  AsyncStoreTestingExecutor (*_Nonnull mainExecutor)(void *_Nonnull driver);
} AsyncStoreTestingCallbacks;

/// Puts the hooks in their places, in front of those that others have put there.
///
/// May be called any number of times, by one thread at a time; what is in place already is left alone.
///
/// - Parameters:
///   - defaultExecutor, taskExecutorTable: the default executor, and its conformance to `TaskExecutor`.
void asyncStoreTesting_installHooks(
    const AsyncStoreTestingCallbacks *_Nonnull callbacks, const void *_Nonnull defaultExecutor,
    const void *_Nonnull taskExecutorTable);

/// What this thread drives; null: nothing, and the hooks do nothing.
void *_Nullable asyncStoreTesting_driver(void);
void asyncStoreTesting_setDriver(void *_Nullable driver);

/// What a job is.
typedef struct {
  /// The number of its task, which never comes again in a process; zero: it belongs to none.
  uint64_t task;
  /// Whether its task has just yielded.
  bool isYield;
  /// Whether it is a task, and no child of another one.
  bool isUnstructured;
  /// Whether its task was made with a preference for an executor.
  bool hasPreference;
} AsyncStoreTestingJob;

/// Says what a job is, when it is enqueued.
AsyncStoreTestingJob asyncStoreTesting_describe(const void *_Nonnull job);

/// Whether a task that is no child has returned.
bool asyncStoreTesting_hasEnded(const void *_Nonnull task);

/// An environment variable of the process; null: it is not set.
const char *_Nullable asyncStoreTesting_environmentVariable(const char *_Nonnull name);

/// How many owned references there are to an object of Swift's.
size_t asyncStoreTesting_referenceCount(void *_Nonnull object);

#endif
