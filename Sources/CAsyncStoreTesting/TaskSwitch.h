#ifndef TASK_SWITCH_H
#define TASK_SWITCH_H

#include "CAsyncStoreTesting.h"

/// Returns whether this thread drives a simulation, and then the executor by which tasks go from actor to actor.
bool asyncStoreTesting_switchExecutor(AsyncStoreTestingExecutor *executor);

/// Notes that the job of the simulation that this thread drives goes on; returns whether it gives way instead.
bool asyncStoreTesting_givesWay(void);

#endif
