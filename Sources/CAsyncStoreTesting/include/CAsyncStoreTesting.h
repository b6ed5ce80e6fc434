#ifndef C_ASYNC_STORE_TESTING_H
#define C_ASYNC_STORE_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A reference to a serial executor, as the concurrency runtime passes it: the object and how to call it.
typedef struct {
  const void *_Nonnull identity;
  uintptr_t implementation;
} AsyncStoreTestingExecutor;

/// A simulation's answers to the concurrency runtime, on the thread that drives it.
typedef struct {
  /// A job would go to the global executor. Takes it if it is a simulation's, or returns false.
  bool (*_Nonnull enqueue)(void *_Nonnull driver, const void *_Nonnull job);
  /// A job would go to the global executor, on a thread that drives nothing. Takes it if it is a simulation's, or
  /// returns false.
  bool (*_Nonnull reclaim)(const void *_Nonnull job);
  /// A task goes to sleep on the system's clock.
  void (*_Nonnull sleep)(void *_Nonnull driver);
  /// A task has been made, on Linux; it may already have been enqueued. The name is the caller's; null: it has none.
  void (*_Nonnull make)(void *_Nonnull driver, const void *_Nonnull task, const char *_Nullable name);
  /// The main actor's executor.
  AsyncStoreTestingExecutor (*_Nonnull mainExecutor)(void *_Nonnull driver);
  /// The executor by which a task goes from actor to actor, where the runtime would not enqueue it.
  AsyncStoreTestingExecutor (*_Nonnull switchExecutor)(void *_Nonnull driver);
  /// A job has gone on as often as it may, and gives way.
  void (*_Nonnull exhaust)(void *_Nonnull driver);
} AsyncStoreTestingCallbacks;

/// Puts the hooks in their places, in front of those that others have put there.
///
/// May be called any number of times, by one thread at a time; what is in place already is left alone.
///
/// - Parameters:
///   - defaultExecutor, taskExecutorTable: the default executor, and its conformance to `TaskExecutor`.
void asyncStoreTesting_installHooks(
    const AsyncStoreTestingCallbacks *_Nonnull callbacks, const void *_Nonnull defaultExecutor,
    const void *_Nonnull taskExecutorTable);

/// The scheduler that this thread drives; null: none, and the hooks do nothing.
void *_Nullable asyncStoreTesting_driver(void);
void asyncStoreTesting_setDriver(void *_Nullable driver);

/// The number of times that this thread's job may still go on at an `await`, before it gives way; counted on Linux.
///
/// `SIZE_MAX` where no job runs.
size_t asyncStoreTesting_switchesLeft(void);
void asyncStoreTesting_setSwitchesLeft(size_t count);

/// A job's task, and what kind of job it is.
typedef struct {
  /// The number of its task, which never comes again in a process; zero: it belongs to none.
  uint64_t task;
  /// True if it is a task that this thread is making, on Linux.
  bool isNew;
  /// True if its task has just yielded.
  bool isYield;
  /// True if it is an actor's turn, in which the actor runs whichever tasks wait for it.
  bool isActor;
  /// True if it is a task, and not a child of another one.
  bool isUnstructured;
  /// True if its task was made with a preference for an executor.
  bool hasPreference;
} AsyncStoreTestingJob;

/// Says what a job is, when it is enqueued.
AsyncStoreTestingJob asyncStoreTesting_describe(const void *_Nonnull job);

/// The task that a job belongs to, as it is when it is enqueued; null: none.
const void *_Nullable asyncStoreTesting_task(const void *_Nonnull job);
/// The parent of a task that has not returned; null: it is no child.
const void *_Nullable asyncStoreTesting_parent(const void *_Nonnull task);

/// Returns whether a task that is not a child has returned.
bool asyncStoreTesting_hasEnded(const void *_Nonnull task);

/// The number of a task, which never comes again in a process.
uint64_t asyncStoreTesting_number(const void *_Nonnull task);
/// The number of the task that runs on this thread; zero: none does.
uint64_t asyncStoreTesting_currentTask(void);
/// The numbers of the tasks that wait for one that is no child and has not returned; returns how many.
///
/// No other thread may run any of them meanwhile.
size_t asyncStoreTesting_waiters(const void *_Nonnull task, uint64_t *_Nonnull numbers, size_t capacity);
/// Cancels a task.
void asyncStoreTesting_cancel(void *_Nonnull task);

/// An environment variable of the process; null: it is not set.
const char *_Nullable asyncStoreTesting_environmentVariable(const char *_Nonnull name);

/// The number of owned references to an object of Swift's.
size_t asyncStoreTesting_referenceCount(void *_Nonnull object);

// MARK: The schedule that is being tried, kept where the end of the process does not reach it

/// The limits of a schedule as a word: the choices in a row that a part of the word stands for, and all choices.
enum { asyncStoreTesting_longestRun = 1000000, asyncStoreTesting_mostChoices = 20000000 };

/// Opens the process's file, and prints what processes have left that ended in the middle of a schedule. Call it once.
///
/// Without a file the record is in memory, and a line on the standard error stream says why.
void asyncStoreTesting_startRecording(void);

/// Begins a schedule of the simulation that this thread drives, unless one is being recorded. The filter finds its
/// test, and is quoted for a shell already.
void asyncStoreTesting_beginRecord(uint64_t seed, const char *_Nonnull name, const char *_Nonnull filter);
/// Adds a choice, if it is the recorded simulation that this thread drives. Its kind is a letter, or 0 for a job.
void asyncStoreTesting_record(char kind, uint64_t index, uint64_t count);
/// Writes a word into a new file, for one that is too long for a command line. Returns the file's path, to be freed;
/// null: it can't be written.
char *_Nullable asyncStoreTesting_keepWord(const char *_Nonnull word);
/// Forgets the schedule, if it is the recorded simulation that this thread drives.
void asyncStoreTesting_endRecord(void);

// MARK: The end of the process

/// Runs a check when the process exits; if it returns false, the process fails. Call it once.
void asyncStoreTesting_checkAtEnd(bool (*_Nonnull check)(void));

// MARK: Where code was called from, on Linux

/// The return addresses of the functions that have called this one; returns how many.
size_t asyncStoreTesting_callers(void *_Nullable *_Nonnull addresses, size_t capacity);
/// Has the program's symbols ready. Call it once.
void asyncStoreTesting_readSymbols(void);
/// The name of the program's function that an address is in, as the linker has it; null: there is none.
///
/// Linear in the program's symbols.
const char *_Nullable asyncStoreTesting_symbol(const void *_Nonnull address);
/// A function's name for people, to be freed.
char *_Nullable asyncStoreTesting_demangle(const char *_Nonnull name);

// MARK: Files

/// The content of a file, to be freed, with a zero behind it; null: it can't be read, or is no ordinary file.
///
/// `size`, unless it is null, gets the content's size in bytes.
char *_Nullable asyncStoreTesting_read(const char *_Nonnull path, size_t *_Nullable size);
/// Adds a line to a file, and makes it if there is none. Returns whether all of it was written.
bool asyncStoreTesting_append(const char *_Nonnull line, const char *_Nonnull path);
/// Writes a file, in place of one that is there. Returns whether all of it was written.
bool asyncStoreTesting_write(const char *_Nonnull content, const char *_Nonnull path);
void asyncStoreTesting_free(char *_Nonnull content);

#endif
