#ifndef TASK_NAME_H
#define TASK_NAME_H

/// Tells the simulation that this thread drives, if it does, the name of a task that was made.
void asyncStoreTesting_noteTaskName(const void *task, const char *name);

#endif
