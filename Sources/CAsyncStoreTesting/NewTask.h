#ifndef NEW_TASK_H
#define NEW_TASK_H

#include <stdbool.h>

/// Whether a thread is making a task, which may be enqueued before it is made, and the task that makes it.
typedef struct {
  bool isMaking;
  /// Null: no task makes it, or the thread drives no simulation.
  const void *maker;
} AsyncStoreTestingMaking;

/// Notes that this thread makes a task. Returns what was noted before.
AsyncStoreTestingMaking asyncStoreTesting_beginMaking(void);

/// Notes again what was noted before a task was made, and tells the simulation that this thread drives, if it does, of
/// the task, and of its name, unless null.
void asyncStoreTesting_endMaking(AsyncStoreTestingMaking outer, const void *task, const char *name);

#endif
