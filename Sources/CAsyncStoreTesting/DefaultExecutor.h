#ifndef C_ASYNC_STORE_TESTING_DEFAULT_EXECUTOR_H
#define C_ASYNC_STORE_TESTING_DEFAULT_EXECUTOR_H

#include <stdbool.h>

/// Has the default executor ask before it enqueues a job; to be called once.
///
/// - Parameters:
///   - object, table: the default executor, and its conformance to `TaskExecutor`.
///   - isTaken: takes a job for a simulation, or returns false.
void asyncStoreTesting_interceptDefaultExecutor(
    const void *object, const void *table, bool (*isTaken)(const void *job));

#endif
