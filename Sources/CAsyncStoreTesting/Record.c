#include "CAsyncStoreTesting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The record is text in a file that is mapped into memory: the exploration's name, the test's filter, and the schedule,
// each on a line of its own. It is empty between two schedules. Only the thread that drives the simulation writes it.

enum { capacity = 1 << 20, pathCapacity = 512 };

static char path[pathCapacity];
static char *text;
static char *end;
static bool isFirstChoice;
static const void *volatile owner;
static pthread_t ownerThread;

static const char prefix[] = "asyncstore-";
static const char suffix[] = ".schedule";

static const char *folder(void) {
  const char *name = getenv("TMPDIR");
  return name && *name ? name : "/tmp";
}

static void append(const char *string) {
  size_t length = strlen(string);
  if (end + length + 1 > text + capacity) return;
  memcpy(end, string, length + 1);
  end += length;
}

static void appendNumber(uint64_t number) {
  char digits[24];
  char *first = digits + sizeof digits - 1;
  *first = 0;
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  append(first);
}

// MARK: What a process has left

static void put(const char *string) { (void)!write(STDERR_FILENO, string, strlen(string)); }

/// Prints a part of a text in single quotes, as a shell reads it.
static void putQuoted(const char *string) {
  for (const char *quote; (quote = strchr(string, '\'')); string = quote + 1) {
    (void)!write(STDERR_FILENO, string, (size_t)(quote - string));
    put("'\\''");
  }
  put(string);
}

/// Prints how a record is replayed. Calls nothing that a signal's handler must not call.
static void tell(const char *introduction, char *record) {
  char *filter = strchr(record, '\n');
  if (!filter) return;
  *filter++ = 0;
  char *words = strchr(filter, '\n');
  if (!words) return;
  *words++ = 0;
  put(introduction);
  put("\nReplay it: ASYNCSTORE_SCHEDULE='");
  put(words);
  put("@");
  putQuoted(record);
  put("' swift test --filter ");
  put(filter);
  put("\n");
  filter[-1] = '\n';
  words[-1] = '\n';
}

static void tellLeft(const char *name) {
  long process = strtol(name + sizeof prefix - 1, NULL, 10);
  if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH) return;
  char leftPath[pathCapacity];
  if (snprintf(leftPath, sizeof leftPath, "%s/%s", folder(), name) >= pathCapacity) return;
  char *record = asyncStoreTesting_read(leftPath, NULL);
  unlink(leftPath);
  if (!record) return;
  if (*record) tell("AsyncStoreTesting: an earlier process ended in the middle of a schedule.", record);
  free(record);
}

static void tellAllLeft(void) {
  DIR *directory = opendir(folder());
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    const char *name = entry->d_name;
    if (!strncmp(name, prefix, sizeof prefix - 1) && strstr(name, suffix)) tellLeft(name);
  }
  closedir(directory);
}

// MARK: Signals

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { signalCount = sizeof signals / sizeof *signals };
static struct sigaction previous[signalCount];

static void handle(int number) {
  if (owner && pthread_equal(ownerThread, pthread_self())) {
    owner = NULL;
    tell("\nAsyncStoreTesting: the process has stopped under a schedule.", text);
    put("It is also in ");
    put(path);
    put("\n");
  }
  for (int index = 0; index < signalCount; index++) {
    if (signals[index] == number) sigaction(number, &previous[index], NULL);
  }
  // A fault comes again by itself, for the instruction is tried again.
  if (number == SIGABRT) raise(number);
}

static void installHandlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  for (int index = 0; index < signalCount; index++) sigaction(signals[index], &action, &previous[index]);
}

// MARK: Recording

static void removeFile(void) { unlink(path); }

void asyncStoreTesting_startRecording(void) {
  tellAllLeft();
  if (snprintf(path, sizeof path, "%s/%s%ld%s", folder(), prefix, (long)getpid(), suffix) >= pathCapacity) return;
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, capacity) == 0) {
    void *memory = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) text = memory;
  }
  close(file);
  atexit(removeFile);
  if (text) installHandlers();
}

void asyncStoreTesting_beginRecord(uint64_t seed, const char *name, const char *filter) {
  if (!text || owner) return;
  end = text;
  append(name);
  append("\n");
  append(filter);
  append("\n");
  appendNumber(seed);
  append(":");
  isFirstChoice = true;
  ownerThread = pthread_self();
  owner = asyncStoreTesting_driver();
}

void asyncStoreTesting_record(char kind, uint32_t index, uint32_t count) {
  if (!owner || owner != asyncStoreTesting_driver()) return;
  if (!isFirstChoice) append("-");
  isFirstChoice = false;
  if (kind) append((const char[]){kind, 0});
  appendNumber(index);
  append("/");
  appendNumber(count);
}

void asyncStoreTesting_endRecord(void) {
  if (!owner || owner != asyncStoreTesting_driver()) return;
  owner = NULL;
  *text = 0;
}

// MARK: Files

char *asyncStoreTesting_read(const char *filePath, size_t *size) {
  int file = open(filePath, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  char *content = fstat(file, &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;
  size_t length = 0;
  while (content && length < (size_t)status.st_size) {
    ssize_t count = read(file, content + length, (size_t)status.st_size - length);
    if (count <= 0) break;
    length += (size_t)count;
  }
  close(file);
  if (size) *size = length;
  return content;
}

static bool writeText(const char *content, const char *filePath, int flags) {
  int file = open(filePath, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (file < 0) return false;
  size_t left = strlen(content);
  while (left > 0) {
    ssize_t count = write(file, content, left);
    if (count <= 0) break;
    content += count;
    left -= (size_t)count;
  }
  return close(file) == 0 && left == 0;
}

bool asyncStoreTesting_append(const char *line, const char *filePath) { return writeText(line, filePath, O_APPEND); }

bool asyncStoreTesting_write(const char *content, const char *filePath) { return writeText(content, filePath, O_TRUNC); }

void asyncStoreTesting_free(char *content) { free(content); }
