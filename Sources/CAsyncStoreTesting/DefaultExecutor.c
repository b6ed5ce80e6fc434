#include "DefaultExecutor.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// From Swift 6.2 on `Task.yield()` in a task without a preference hands its job to the default executor itself, and no
// hook is asked. So the default executor is given back to the runtime with another witness table: a copy of its own, in
// which the functions that enqueue ask first whether the job is a simulation's. The object stays the same, so that a
// thread that reads the two while they are replaced has a pair that fits, whichever table it finds.
//
// Nothing is replaced where the runtime has no such function, because an older one asks the hook, nor where pointers
// are signed.

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define WEAK __attribute__((weak))
#define STRING(text) #text
#define EXPANDED_STRING(text) STRING(text)
/// A symbol of the concurrency runtime whose name C can't write.
#define SYMBOL(name) __asm__(EXPANDED_STRING(__USER_LABEL_PREFIX__) name)

typedef const void *Witness;
typedef struct {
  const void *object;
  const Witness *table;
} Existential;

typedef SWIFT void (*Enqueue)(const void *job, const void *type, const Witness *table, CONTEXT const void *executor);

extern WEAK SWIFT void swift_createExecutors(const void *factory, const void *factoryType, const Witness *table);
extern WEAK SWIFT Existential mainExecutorGetter(void) SYMBOL("$sScM8executors12MainExecutor_pvgZ");
extern void *swift_retain(void *object);

// A requirement's place in a witness table is its descriptor's distance from the protocol's base descriptor.
typedef uint64_t Requirement;
extern WEAK const Requirement taskExecutorBase SYMBOL("$sSchTL");
extern WEAK const Requirement taskExecutorInherited SYMBOL("$sSchScFTb");
extern WEAK const Requirement taskExecutorEnqueueUnowned SYMBOL("$sSch7enqueueyyScJFTq");
extern WEAK const Requirement taskExecutorEnqueueOld SYMBOL("$sSch7enqueueyys3JobVnFTq");
extern WEAK const Requirement taskExecutorEnqueue SYMBOL("$sSch7enqueueyys11ExecutorJobVnFTq");
extern WEAK const Requirement executorBase SYMBOL("$sScFTL");
extern WEAK const Requirement executorEnqueueUnowned SYMBOL("$sScF7enqueueyyScJFTq");
extern WEAK const Requirement executorEnqueueOld SYMBOL("$sScF7enqueueyys3JobVnFTq");
extern WEAK const Requirement executorEnqueue SYMBOL("$sScF7enqueueyys11ExecutorJobVnFTq");
extern WEAK const uint32_t taskExecutorProtocol[] SYMBOL("$sSchMp");
extern WEAK const uint32_t executorProtocol[] SYMBOL("$sScFMp");

enum { capacity = 32 };

static size_t place(const Requirement *requirement, const Requirement *base) {
  return ((uintptr_t)requirement - (uintptr_t)base) / sizeof(Requirement);
}

static Existential original;
static Witness taskExecutorTable[capacity];
static Witness executorTable[capacity];
static bool (*takes)(const void *job);

static SWIFT void enqueue(const void *job, const void *type, const Witness *table, CONTEXT const void *executor) {
  (void)table;
  if (takes(job)) return;
  Enqueue function = (Enqueue)original.table[place(&taskExecutorEnqueueUnowned, &taskExecutorBase)];
  function(job, type, original.table, executor);
}

static SWIFT Existential newDefaultExecutor(void) {
  swift_retain((void *)original.object);
  return (Existential){original.object, taskExecutorTable};
}

/// The number of entries of a protocol's witness tables, the conformance's descriptor included.
static size_t length(const uint32_t *protocol) { return protocol[4] + 1; }

void asyncStoreTesting_interceptDefaultExecutor(
    const void *object, const void *table, bool (*isTaken)(const void *job)) {
#if __has_feature(ptrauth_calls)
  return;
#endif
  if (!swift_createExecutors || !mainExecutorGetter || !taskExecutorProtocol || !executorProtocol) return;
  if (length(taskExecutorProtocol) > capacity || length(executorProtocol) > capacity) return;
  original = (Existential){object, table};
  takes = isTaken;

  const Witness *inherited = original.table[place(&taskExecutorInherited, &taskExecutorBase)];
  memcpy(executorTable, inherited, length(executorProtocol) * sizeof(Witness));
  executorTable[place(&executorEnqueueUnowned, &executorBase)] = (Witness)enqueue;
  executorTable[place(&executorEnqueueOld, &executorBase)] = (Witness)enqueue;
  executorTable[place(&executorEnqueue, &executorBase)] = (Witness)enqueue;

  memcpy(taskExecutorTable, original.table, length(taskExecutorProtocol) * sizeof(Witness));
  taskExecutorTable[place(&taskExecutorInherited, &taskExecutorBase)] = executorTable;
  taskExecutorTable[place(&taskExecutorEnqueueUnowned, &taskExecutorBase)] = (Witness)enqueue;
  taskExecutorTable[place(&taskExecutorEnqueueOld, &taskExecutorBase)] = (Witness)enqueue;
  taskExecutorTable[place(&taskExecutorEnqueue, &taskExecutorBase)] = (Witness)enqueue;

  // An executor factory: its conformance, the main executor, the default executor.
  static Witness factory[3];
  factory[1] = (Witness)mainExecutorGetter;
  factory[2] = (Witness)newDefaultExecutor;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  swift_createExecutors(NULL, NULL, factory);
}
