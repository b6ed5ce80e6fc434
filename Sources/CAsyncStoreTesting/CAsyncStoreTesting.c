#include "CAsyncStoreTesting.h"

#include "DefaultExecutor.h"
#include "NewTask.h"
#include "SystemSleep.h"
#include "TaskSwitch.h"

#include <stdlib.h>

// The hooks are variables that the concurrency runtime exports for the purpose, and asks before each enqueue. They are
// the whole process's, so each of these functions first looks whether its thread drives a simulation, and otherwise
// does what would have been done without it.

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*EnqueueGlobal)(void *job);
typedef SWIFT void (*EnqueueGlobalHook)(void *job, EnqueueGlobal original);
typedef SWIFT void (*EnqueueWithDelay)(unsigned long long delay, void *job);
typedef SWIFT void (*EnqueueWithDelayHook)(unsigned long long delay, void *job, EnqueueWithDelay original);
typedef SWIFT void (*EnqueueWithDeadline)(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job);
typedef SWIFT void (*EnqueueWithDeadlineHook)(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job, EnqueueWithDeadline original);
typedef SWIFT AsyncStoreTestingExecutor (*GetMainExecutor)(void);
typedef SWIFT AsyncStoreTestingExecutor (*GetMainExecutorHook)(GetMainExecutor original);

extern EnqueueGlobalHook swift_task_enqueueGlobal_hook;
extern EnqueueWithDelayHook swift_task_enqueueGlobalWithDelay_hook;
extern EnqueueWithDeadlineHook swift_task_enqueueGlobalWithDeadline_hook;
extern GetMainExecutorHook swift_task_getMainExecutor_hook;
extern SWIFT uint64_t swift_task_getJobTaskId(const void *job);
extern SWIFT size_t swift_task_getJobFlags(const void *job);
extern SWIFT const void *swift_task_getCurrent(void);
extern const size_t _swift_concurrency_debug_asyncTaskSize;
extern size_t swift_retainCount(void *object);
extern SWIFT void swift_task_cancel(void *task);

static _Thread_local void *driver;
static _Thread_local size_t switchesLeft = SIZE_MAX;
/// Set while this thread makes a task, with the task that makes it, if one does.
static _Thread_local AsyncStoreTestingMaking making;
/// The number of threads that drive a simulation.
static size_t driverCount;
/// Set while a hook that was there before is called: one that calls back gets the runtime's own function.
static _Thread_local bool isChaining;

static AsyncStoreTestingCallbacks callbacks;
static EnqueueGlobalHook previousEnqueueGlobal;
static EnqueueWithDelayHook previousEnqueueWithDelay;
static EnqueueWithDeadlineHook previousEnqueueWithDeadline;
static GetMainExecutorHook previousGetMainExecutor;

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define STORE(variable, value) __atomic_store_n(&(variable), (value), __ATOMIC_RELEASE)

/// Takes a job that would go to the global executor, if it belongs to a simulation.
static bool takes(const void *job) {
  if (driver) return callbacks.enqueue(driver, job);
  return __atomic_load_n(&driverCount, __ATOMIC_RELAXED) > 0 && callbacks.reclaim(job);
}

static SWIFT void enqueueGlobal(void *job, EnqueueGlobal original) {
  if (takes(job)) return;
  EnqueueGlobalHook previous = LOAD(previousEnqueueGlobal);
  if (!previous || isChaining) return original(job);
  isChaining = true;
  previous(job, original);
  isChaining = false;
}

void asyncStoreTesting_noteSystemSleep(void) {
  if (driver) callbacks.sleep(driver);
}

AsyncStoreTestingMaking asyncStoreTesting_beginMaking(void) {
  AsyncStoreTestingMaking outer = making;
  making = (AsyncStoreTestingMaking){true, driver ? swift_task_getCurrent() : NULL};
  return outer;
}

void asyncStoreTesting_endMaking(AsyncStoreTestingMaking outer, const void *task, const char *name) {
  making = outer;
  if (driver) callbacks.make(driver, task, name);
}

bool asyncStoreTesting_switchExecutor(AsyncStoreTestingExecutor *executor) {
  if (driver) *executor = callbacks.switchExecutor(driver);
  return driver;
}

bool asyncStoreTesting_givesWay(void) {
  if (switchesLeft > 0) {
    switchesLeft -= switchesLeft < SIZE_MAX;
    return false;
  }
  callbacks.exhaust(driver);
  return true;
}

size_t asyncStoreTesting_switchesLeft(void) { return switchesLeft; }

void asyncStoreTesting_setSwitchesLeft(size_t count) { switchesLeft = count; }

static SWIFT void enqueueWithDelay(unsigned long long delay, void *job, EnqueueWithDelay original) {
  asyncStoreTesting_noteSystemSleep();
  EnqueueWithDelayHook previous = LOAD(previousEnqueueWithDelay);
  if (!previous || isChaining) return original(delay, job);
  isChaining = true;
  previous(delay, job, original);
  isChaining = false;
}

static SWIFT void enqueueWithDeadline(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job, EnqueueWithDeadline original) {
  asyncStoreTesting_noteSystemSleep();
  EnqueueWithDeadlineHook previous = LOAD(previousEnqueueWithDeadline);
  if (!previous || isChaining) {
    return original(seconds, nanoseconds, toleranceSeconds, toleranceNanoseconds, clock, job);
  }
  isChaining = true;
  previous(seconds, nanoseconds, toleranceSeconds, toleranceNanoseconds, clock, job, original);
  isChaining = false;
}

static SWIFT AsyncStoreTestingExecutor getMainExecutor(GetMainExecutor original) {
  if (driver) return callbacks.mainExecutor(driver);
  GetMainExecutorHook previous = LOAD(previousGetMainExecutor);
  if (!previous || isChaining) return original();
  isChaining = true;
  AsyncStoreTestingExecutor executor = previous(original);
  isChaining = false;
  return executor;
}

#define INSTALL(hook, previous, own)       \
  do {                                     \
    if (LOAD(hook) != (own)) {             \
      STORE(previous, LOAD(hook));         \
      STORE(hook, own);                    \
    }                                      \
  } while (0)

void asyncStoreTesting_installHooks(
    const AsyncStoreTestingCallbacks *newCallbacks, const void *defaultExecutor, const void *taskExecutorTable) {
  // They are the same each time; once a hook is in place they may be read by any thread.
  if (!callbacks.enqueue) {
    callbacks = *newCallbacks;
    asyncStoreTesting_interceptDefaultExecutor(defaultExecutor, taskExecutorTable, takes);
  }
  asyncStoreTesting_linkSystemSleep();
  INSTALL(swift_task_enqueueGlobal_hook, previousEnqueueGlobal, enqueueGlobal);
  INSTALL(swift_task_enqueueGlobalWithDelay_hook, previousEnqueueWithDelay, enqueueWithDelay);
  INSTALL(swift_task_enqueueGlobalWithDeadline_hook, previousEnqueueWithDeadline, enqueueWithDeadline);
  INSTALL(swift_task_getMainExecutor_hook, previousGetMainExecutor, getMainExecutor);
}

void *asyncStoreTesting_driver(void) { return driver; }

void asyncStoreTesting_setDriver(void *newDriver) {
  if (!driver && newDriver) __atomic_fetch_add(&driverCount, 1, __ATOMIC_RELAXED);
  if (driver && !newDriver) __atomic_fetch_sub(&driverCount, 1, __ATOMIC_RELAXED);
  driver = newDriver;
}

// The runtime's kinds of jobs, and its flags of tasks.
enum {
  kindMask = 0xff,
  taskKind = 0,
  actorKind = 192,
  separateActorKind = 193,
  overrideActorKind = 194,
  yieldKind = 195,
  childFlags = 1 << 24 | 1 << 26,
  preferenceFlag = 1 << 29,
};

AsyncStoreTestingJob asyncStoreTesting_describe(const void *job) {
  size_t flags = swift_task_getJobFlags(job);
  AsyncStoreTestingJob description = {0};
  switch (flags & kindMask) {
  case taskKind:
    description.task = swift_task_getJobTaskId(job);
    // A new task that its executor runs at once, in the middle of its making, may resume other ones.
    description.isNew = making.isMaking && swift_task_getCurrent() == making.maker;
    description.isUnstructured = !(flags & childFlags);
    description.hasPreference = flags & preferenceFlag;
    break;
  case yieldKind:
    // The job is no task and has no number. The task that yields is the one that enqueues it.
    description.isYield = true;
    const void *current = swift_task_getCurrent();
    if (current) description.task = swift_task_getJobTaskId(current);
    break;
  case actorKind:
  case separateActorKind:
  case overrideActorKind:
    description.isActor = true;
    break;
  }
  return description;
}

const void *asyncStoreTesting_task(const void *job) {
  return (swift_task_getJobFlags(job) & kindMask) == taskKind ? job : swift_task_getCurrent();
}

const void *asyncStoreTesting_parent(const void *task) {
  if (!(swift_task_getJobFlags(task) & childFlags)) return NULL;
  // A child's parent comes behind the child in memory. It does not change, and does not return before the child has.
  return *(const void *const *)((const char *)task + _swift_concurrency_debug_asyncTaskSize);
}

bool asyncStoreTesting_hasEnded(const void *task) {
  // A task's result comes behind it in memory, and begins with a word that tells whether it is there.
  const char *result = (const char *)task + _swift_concurrency_debug_asyncTaskSize;
  return (__atomic_load_n((const uintptr_t *)result, __ATOMIC_ACQUIRE) & 3) != 0;
}

uint64_t asyncStoreTesting_number(const void *task) { return swift_task_getJobTaskId(task); }

uint64_t asyncStoreTesting_currentTask(void) {
  const void *current = swift_task_getCurrent();
  return current ? swift_task_getJobTaskId(current) : 0;
}

size_t asyncStoreTesting_waiters(const void *task, uint64_t *numbers, size_t capacity) {
  // The same word is the first task that waits for the result, and each of those knows the next one: in the first of
  // the two words that a job has for whoever keeps it, behind its object's header.
  const uintptr_t *result = (const uintptr_t *)((const char *)task + _swift_concurrency_debug_asyncTaskSize);
  const uintptr_t *waiter = (const uintptr_t *)(__atomic_load_n(result, __ATOMIC_ACQUIRE) & ~(uintptr_t)3);
  size_t count = 0;
  while (waiter && count < capacity) {
    numbers[count++] = swift_task_getJobTaskId(waiter);
    waiter = (const uintptr_t *)waiter[2];
  }
  return count;
}

void asyncStoreTesting_cancel(void *task) { swift_task_cancel(task); }

const char *asyncStoreTesting_environmentVariable(const char *name) { return getenv(name); }

size_t asyncStoreTesting_referenceCount(void *object) { return swift_retainCount(object); }
