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
  /// Who is the main actor's executor.
  AsyncStoreTestingExecutor (*_Nonnull mainExecutor)(void *_Nonnull driver);
} AsyncStoreTestingCallbacks;

/// Puts the hooks in their places, in front of those that others have put there.
///
/// May be called any number of times, by one thread at a time; what is in place already is left alone.
void asyncStoreTesting_installHooks(const AsyncStoreTestingCallbacks *_Nonnull callbacks);

/// What this thread drives; null: nothing, and the hooks do nothing.
void *_Nullable asyncStoreTesting_driver(void);
void asyncStoreTesting_setDriver(void *_Nullable driver);

/// The number of the task that a job belongs to; it never comes again in a process.
uint64_t asyncStoreTesting_taskOfJob(const void *_Nonnull job);

/// An environment variable of the process; null: it is not set.
const char *_Nullable asyncStoreTesting_environmentVariable(const char *_Nonnull name);

/// How many owned references there are to an object of Swift's.
size_t asyncStoreTesting_referenceCount(void *_Nonnull object);

#endif
