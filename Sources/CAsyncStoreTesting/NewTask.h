#ifndef NEW_TASK_H
#define NEW_TASK_H

#include <stdbool.h>

/// Notes whether this thread is making a task, which may be enqueued before it is made. Returns what was noted before.
bool asyncStoreTesting_noteMaking(bool isMaking);

/// Tells the simulation that this thread drives, if it does, of a task that was made, and of its name, unless null.
void asyncStoreTesting_noteNewTask(const void *task, const char *name);

#endif
