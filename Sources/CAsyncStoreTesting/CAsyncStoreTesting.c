#include "CAsyncStoreTesting.h"

#include <stdlib.h>

// The hooks are variables that the concurrency runtime exports for the purpose, and asks before each enqueue. They are the
// whole process's, so each of these functions first looks whether its thread drives a simulation, and otherwise does
// what would have been done without it.

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*EnqueueGlobal)(void *job);
typedef SWIFT void (*EnqueueGlobalHook)(void *job, EnqueueGlobal original);
typedef SWIFT AsyncStoreTestingExecutor (*GetMainExecutor)(void);
typedef SWIFT AsyncStoreTestingExecutor (*GetMainExecutorHook)(GetMainExecutor original);

extern EnqueueGlobalHook swift_task_enqueueGlobal_hook;
extern GetMainExecutorHook swift_task_getMainExecutor_hook;
extern SWIFT uint64_t swift_task_getJobTaskId(void *job);
extern size_t swift_retainCount(void *object);

static _Thread_local void *driver;
/// Set while a hook that was there before is called: one that calls back gets the runtime's own function.
static _Thread_local bool isChaining;

static AsyncStoreTestingCallbacks callbacks;
static EnqueueGlobalHook previousEnqueueGlobal;
static GetMainExecutorHook previousGetMainExecutor;

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define STORE(variable, value) __atomic_store_n(&(variable), (value), __ATOMIC_RELEASE)

static SWIFT void enqueueGlobal(void *job, EnqueueGlobal original) {
  if (driver) return callbacks.enqueue(driver, job);
  EnqueueGlobalHook previous = LOAD(previousEnqueueGlobal);
  if (!previous || isChaining) return original(job);
  isChaining = true;
  previous(job, original);
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

void asyncStoreTesting_installHooks(const AsyncStoreTestingCallbacks *newCallbacks) {
  // They are the same each time; once a hook is in place they may be read by any thread.
  if (!callbacks.enqueue) callbacks = *newCallbacks;
  INSTALL(swift_task_enqueueGlobal_hook, previousEnqueueGlobal, enqueueGlobal);
  INSTALL(swift_task_getMainExecutor_hook, previousGetMainExecutor, getMainExecutor);
}

void *asyncStoreTesting_driver(void) { return driver; }
void asyncStoreTesting_setDriver(void *newDriver) { driver = newDriver; }

uint64_t asyncStoreTesting_taskOfJob(const void *job) { return swift_task_getJobTaskId((void *)job); }

const char *asyncStoreTesting_environmentVariable(const char *name) { return getenv(name); }

size_t asyncStoreTesting_referenceCount(void *object) { return swift_retainCount(object); }
