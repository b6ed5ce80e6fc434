// A program that links this runs its tasks on one thread in virtual time, so that what it executes repeats. Only the
// system's queue of jobs is replaced; tasks, stores and hand-written code are as in any other program.

#define _GNU_SOURCE
#include "SingleThread.h"

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SWIFT __attribute__((swiftcall))

/// The begin of a job: an object's header, and two words for whoever keeps it.
typedef struct Job {
  const void *header[2];
  struct Job *next;
} Job;

typedef SWIFT void (*EnqueueGlobal)(Job *job);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, EnqueueGlobal);
extern SWIFT void swift_job_run(Job *job, const void *executor, uintptr_t implementation);

typedef struct Sleep {
  struct Sleep *next;
  int64_t deadline;
  void (*function)(void *context);
  void *context;
} Sleep;

static const int64_t second = 1000000000;
static bool isStarted;
/// The time of all clocks, in nanoseconds.
static int64_t now = 1000 * second;
static Job *first;
static Job **end = &first;
/// In the order of the deadlines.
static Sleep *sleeps;
static Sleep *latest;

static SWIFT void enqueue(Job *job, EnqueueGlobal original) {
  (void)original;
  job->next = NULL;
  *end = job;
  end = &job->next;
}

/// The program's own, which the runtime's libraries call instead of the system's.
int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!isStarted) return (int)syscall(SYS_clock_gettime, clock, time);
  *time = (struct timespec){now / second, now % second};
  return 0;
}

/// The same for a sleep without a tolerance. A time of the dispatch library has its clock in the two highest bits.
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*function)(void *)) {
  (void)queue;
  if (!isStarted) abort();
int64_t deadline = (int64_t)(when & ~(UINT64_C(3) << 62));
  Sleep **place = latest && latest->deadline <= deadline ? &latest->next : &sleeps;
  while (*place && (*place)->deadline <= deadline) place = &(*place)->next;
  Sleep *sleep = malloc(sizeof *sleep);
  if (!sleep) abort();
  *sleep = (Sleep){*place, deadline, function, context};
  *place = sleep;
  if (!sleep->next) latest = sleep;
}

void single_thread_start(void) {
  swift_task_enqueueGlobal_hook = enqueue;
  isStarted = true;
}

void single_thread_run(void) {
  while (first || sleeps) {
    if (first) {
      Job *job = first;
      first = job->next;
      if (!first) end = &first;
      swift_job_run(job, NULL, 0);
    } else {
      Sleep sleep = *sleeps;
      free(sleeps);
      sleeps = sleep.next;
      if (!sleeps) latest = NULL;
      if (sleep.deadline > now) now = sleep.deadline;
      sleep.function(sleep.context);
    }
  }
}
#else
void single_thread_start(void) {}
void single_thread_run(void) {}
#endif
