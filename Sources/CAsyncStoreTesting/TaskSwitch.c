#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "TaskSwitch.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// A task that leaves an actor goes on at once, on the same thread, where the actor that it goes to is free, or where it
// goes to no actor and has no preference for an executor. The runtime enqueues nothing then, and a simulation would
// never run anything else in between. So such a task first goes to an executor of the simulation's, and from there to
// where it was about to go.
//
// A task that calls a function of the actor that it is on, or of none where it is on none, goes on at once as well.
// That is right: nothing else could run in between on any system. But a loop of such calls never ends its job, so a job
// may go on only so often.
//
// `swift_task_switch` is the program's on Linux if the program has it. Weak: where the runtime is linked statically its
// own function stays. A call of such a function at the end of another one is always a jump.

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))

typedef ASYNC void (*Resume)(CONTEXT void *context);
typedef ASYNC void (*Switch)(CONTEXT void *context, Resume resume, const void *identity, uintptr_t implementation);

extern SWIFT AsyncStoreTestingExecutor swift_task_getCurrentExecutor(void);
extern SWIFT const void *swift_task_getCurrent(void);
extern SWIFT size_t swift_task_getJobFlags(const void *job);
extern SWIFT void *swift_task_alloc(size_t size);
extern SWIFT void swift_task_dealloc(void *memory);

enum { preferenceFlag = 1 << 29 };

/// The place that a task is on its way to.
typedef struct {
  void *context;
  Resume resume;
  AsyncStoreTestingExecutor executor;
} Goal;

static Switch original(void) {
  static Switch found;
  Switch function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  if (!function) {
    function = (Switch)dlsym(RTLD_NEXT, "swift_task_switch");
    __atomic_store_n(&found, function, __ATOMIC_RELEASE);
  }
  return function;
}

/// Default actors have no way of their own to be called.
static bool isDefaultActor(AsyncStoreTestingExecutor executor) {
  return executor.identity && !executor.implementation;
}

/// Returns whether the runtime may have the current task go on at once on another executor.
static bool isUnseen(AsyncStoreTestingExecutor next) {
  AsyncStoreTestingExecutor current = swift_task_getCurrentExecutor();
  if (!isDefaultActor(current) || next.identity == current.identity) return false;
  if (next.identity) return isDefaultActor(next);
  const void *task = swift_task_getCurrent();
  return task && !(swift_task_getJobFlags(task) & preferenceFlag);
}

static ASYNC void goOn(CONTEXT void *memory) {
  Goal goal = *(Goal *)memory;
  swift_task_dealloc(memory);
  Switch function = original();
  return function(goal.context, goal.resume, goal.executor.identity, goal.executor.implementation);
}

__attribute__((weak)) ASYNC void swift_task_switch(
    CONTEXT void *context, Resume resume, const void *identity, uintptr_t implementation) {
  Switch function = original();
  AsyncStoreTestingExecutor next = {identity, implementation};
  AsyncStoreTestingExecutor between;
  if (!asyncStoreTesting_switchExecutor(&between) || (!isUnseen(next) && !asyncStoreTesting_givesWay())) {
    return function(context, resume, identity, implementation);
  }
  // The task's own memory: nothing else of the task runs before it is given back.
  Goal *goal = swift_task_alloc(sizeof *goal);
  *goal = (Goal){context, resume, next};
  return function(goal, goOn, between.identity, between.implementation);
}
#endif
