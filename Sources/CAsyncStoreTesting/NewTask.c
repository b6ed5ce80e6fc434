#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "NewTask.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// The runtime does not tell which thread has made a task, and tells a task's name to that task only. So both are noted
// when the task is made: the functions that make one are compiled into the program and call `swift_task_create`, which
// on Linux is the program's if the program has it. Only the task of an `async let` is made by the runtime itself.
// Weak: where the runtime is linked statically its own function stays, and nothing is noted.

#define SWIFT __attribute__((swiftcall))

/// An option of a new task, and the next one; what follows is the kind's own.
typedef struct Option {
  size_t flags;
  const struct Option *next;
  /// Only in an option of the kind that has it; it belongs to the caller.
  const char *name;
} Option;

typedef struct {
  void *task;
  void *context;
} TaskAndContext;

typedef SWIFT TaskAndContext (*Create)(
    size_t flags, const Option *options, const void *resultType, void *entry, void *context);

enum { kindMask = 0xff, nameKind = 7 };

static const char *nameIn(const Option *option) {
  while (option && (option->flags & kindMask) != nameKind) option = option->next;
  return option ? option->name : NULL;
}

__attribute__((weak)) SWIFT TaskAndContext swift_task_create(
    size_t flags, const Option *options, const void *resultType, void *entry, void *context) {
  static Create original;
  Create create = __atomic_load_n(&original, __ATOMIC_ACQUIRE);
  if (!create) {
    create = (Create)dlsym(RTLD_NEXT, "swift_task_create");
    __atomic_store_n(&original, create, __ATOMIC_RELEASE);
  }
  AsyncStoreTestingMaking outer = asyncStoreTesting_beginMaking();
  TaskAndContext result = create(flags, options, resultType, entry, context);
  asyncStoreTesting_endMaking(outer, result.task, nameIn(options));
  return result;
}
#endif
