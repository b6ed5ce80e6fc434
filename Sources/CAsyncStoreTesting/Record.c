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
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// The record is text in a file that is mapped into memory: the exploration's name, the test's filter, and the schedule,
// each on a line of its own. It is empty between two schedules. Only the thread that drives the simulation writes it.
//
// The schedule is the word that `Schedule.description` prints. If a schedule does not fit, the record ends in a whole
// choice, and in a line that says so.
//
// A write to a mapped file ends the process where the disk has no room. So room is taken before, step by step. Where
// there is none, and where there can be no file, the record is in memory: a process that traps prints it, and a process
// that is killed leaves nothing.

enum {
  capacity = 1 << 25,
  pathCapacity = 512,
  /// The longest word for a command line. Linux takes 128 KB.
  longestWord = 100000,
  /// The room on the disk that is taken at once.
  roomStep = 1 << 16,
};

typedef struct {
  char kind;
  uint64_t index;
  uint64_t count;
} Choice;

static char path[pathCapacity];
/// The file for a word that is too long for a command line.
static char wordPath[pathCapacity];
static char *text;
static char *end;
/// The file of the record, or -1 if the record is in memory.
static int recordFile = -1;
/// The number of bytes that may be written.
static size_t room;
/// The number of choices in the record.
static uint32_t choiceCount;
static const char cutMark[] = "\ncut";
static bool isCut;

/// The choices in a row that the last word stands for.
static struct {
  /// The beginning of the word, with the separator before it.
  char *start;
  Choice first;
  /// The choice before the first one; its count is 0 if there is none.
  Choice last;
  uint32_t length;
  bool isDescending;
} run;

static const void *volatile owner;
static pthread_t ownerThread;

static const char prefix[] = "asyncstore-";
static const char suffix[] = ".schedule";

static const char *folder(void) {
  const char *name = getenv("TMPDIR");
  return name && *name ? name : "/tmp";
}

/// Opens a file, and nothing else: a pipe would block, and a device may have no end.
///
/// Calls nothing that a signal's handler must not call.
static int openFile(const char *filePath, int flags, mode_t mode, struct stat *status) {
  struct stat ownStatus;
  if (!status) status = &ownStatus;
  int file = open(filePath, flags | O_CLOEXEC | O_NONBLOCK, mode);
  if (file < 0) return -1;
  if (fstat(file, status) == 0 && S_ISREG(status->st_mode)) return file;
  close(file);
  errno = EINVAL;
  return -1;
}

// MARK: Room

/// Takes the next step of room on the disk, from an offset on.
///
/// Zeros are written, for nothing else takes room on every system. A write beyond the process's limit for files would
/// end the process, so that is asked before.
static bool takeRoom(int file, size_t offset) {
  static const char zeros[roomStep];
  struct rlimit limit;
  // `RLIM_INFINITY` is the largest number.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < capacity) return false;
  for (size_t written = 0; written < roomStep;) {
    ssize_t count = pwrite(file, zeros + written, roomStep - written, (off_t)(offset + written));
    if (count <= 0) return false;
    written += (size_t)count;
  }
  return true;
}

/// Memory for a record that is in no file; null: there is none.
static char *newMemory(void) {
  void *memory = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/// Says that a record is in no file.
static void warnOfMemory(const char *reason) {
  fprintf(
      stderr,
      "AsyncStoreTesting: There is no file for the schedule of a process that is killed: %s: %s. The schedule of a "
      "process that traps is printed nevertheless.\n",
      *path ? path : folder(), reason);
}

/// Goes on in memory with a record whose file can't grow, and removes the file.
static bool moveIntoMemory(void) {
  char *memory = newMemory();
  if (!memory) return false;
  memcpy(memory, text, room);
  if (run.start) run.start = memory + (run.start - text);
  end = memory + (end - text);
  munmap(text, capacity);
  text = memory;
  room = capacity;
  unlink(path);
  close(recordFile);
  recordFile = -1;
  warnOfMemory("There is no room");
  return true;
}

/// Takes room for bytes at a place in the record, and for the mark of a cut behind them; returns whether there is any.
///
/// The whole record may be at another place after this.
static bool hasRoom(const char *place, size_t length) {
  size_t size = (size_t)(place - text) + length + sizeof cutMark;
  if (size > capacity) return false;
  while (size > room) {
    if (takeRoom(recordFile, room)) {
      room += roomStep;
    } else if (!moveIntoMemory()) {
      return false;
    }
  }
  return true;
}

/// Writes digits, and returns their end.
static char *writeNumber(char *place, uint64_t number) {
  char digits[24];
  char *first = digits + sizeof digits;
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  size_t length = (size_t)(digits + sizeof digits - first);
  memcpy(place, first, length);
  return place + length;
}

static void append(const char *string) {
  size_t length = strlen(string);
  if (!hasRoom(end, length)) return;
  memcpy(end, string, length + 1);
  end += length;
}

// MARK: Records of earlier processes

static void put(const char *string) { (void)!write(STDERR_FILENO, string, strlen(string)); }

/// Prints a part of a text in single quotes, as a shell reads it.
static void putQuoted(const char *string) {
  for (const char *quote; (quote = strchr(string, '\'')); string = quote + 1) {
    (void)!write(STDERR_FILENO, string, (size_t)(quote - string));
    put("'\\''");
  }
  put(string);
}

static bool writeAll(int file, const char *content, size_t left) {
  while (left > 0) {
    ssize_t count = write(file, content, left);
    if (count <= 0) return false;
    content += count;
    left -= (size_t)count;
  }
  return true;
}

/// Closes a file that was written, and removes it if it is not whole. Returns whether it is.
static bool finish(int file, const char *filePath, bool isWritten) {
  if (close(file) == 0 && isWritten) return true;
  unlink(filePath);
  return false;
}

/// Writes the word of a record into a file. Calls nothing that a signal's handler must not call.
static bool writeWord(const char *words, const char *name, const char *filePath) {
  int file = openFile(filePath, O_WRONLY | O_CREAT | O_TRUNC, 0600, NULL);
  if (file < 0) return false;
  bool isWritten = writeAll(file, words, strlen(words)) && writeAll(file, "@", 1) &&
                   writeAll(file, name, strlen(name)) && writeAll(file, "\n", 1);
  return finish(file, filePath, isWritten);
}

/// Prints how a record is replayed. Calls nothing that a signal's handler must not call.
///
/// A word that is too long for a command line is written into the file.
static void tell(const char *introduction, char *record, const char *wordFile) {
  char *filter = strchr(record, '\n');
  if (!filter) return;
  *filter++ = 0;
  char *words = strchr(filter, '\n');
  if (!words) return;
  *words++ = 0;
  char *mark = strchr(words, '\n');
  if (mark) *mark = 0;
  put(introduction);
  if (mark) put("\nThe schedule is longer than its record, so a replay follows it only to the end of that.");
  bool isLong = strlen(words) > longestWord;
  if (isLong && !writeWord(words, record, wordFile)) {
    put("\nIts word is too long for a command line, and this file can't be written: ");
    put(*wordFile ? wordFile : folder());
  } else {
    put("\nReplay it: ASYNCSTORE_SCHEDULE='");
    if (isLong) {
      putQuoted(wordFile);
    } else {
      put(words);
      put("@");
      putQuoted(record);
    }
    put("' swift test --filter ");
    put(filter);
  }
  put("\n");
  filter[-1] = '\n';
  words[-1] = '\n';
  if (mark) *mark = '\n';
}

static bool formatWordPath(char *result, long process) {
  return snprintf(result, pathCapacity, "%s/%sreplay-%ld%s", folder(), prefix, process, suffix) < pathCapacity;
}

static void tellLeft(const char *name) {
  long process = strtol(name + sizeof prefix - 1, NULL, 10);
  if (process <= 0) return;
  // This process has no record yet: one under its number is from a process that had the same number.
  if (process != getpid() && (kill((pid_t)process, 0) == 0 || errno != ESRCH)) return;
  char leftPath[pathCapacity];
  char leftWordPath[pathCapacity];
  // One under this process's own number keeps another number than that which this process may write itself.
  if (!formatWordPath(leftWordPath, process == getpid() ? -process : process)) return;
  if (snprintf(leftPath, sizeof leftPath, "%s/%s", folder(), name) >= pathCapacity) return;
  char *record = asyncStoreTesting_read(leftPath, NULL);
  unlink(leftPath);
  if (!record) return;
  if (*record) tell("AsyncStoreTesting: an earlier process ended in the middle of a schedule.", record, leftWordPath);
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
    // The file for a long word may be longer than the process's files may be.
    signal(SIGXFSZ, SIG_IGN);
    tell("\nAsyncStoreTesting: the process has stopped under a schedule.", text, wordPath);
    if (recordFile >= 0) {
      put("It is also in ");
      put(path);
      put("\n");
    }
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

static void removeFile(void) {
  if (recordFile >= 0) unlink(path);
}

/// Maps a new record's file; the reason is why there is none.
static bool mapFile(const char **reason) {
  *reason = "The path is too long";
  if (snprintf(path, sizeof path, "%s/%s%ld%s", folder(), prefix, (long)getpid(), suffix) >= pathCapacity) {
    *path = 0;
    return false;
  }
  int file = openFile(path, O_RDWR | O_CREAT | O_TRUNC, 0600, NULL);
  *reason = strerror(errno);
  if (file < 0) return false;
  *reason = "There is no room";
  if (takeRoom(file, 0) && ftruncate(file, capacity) == 0) {
    void *memory = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
      text = memory;
      recordFile = file;
      room = roomStep;
      atexit(removeFile);
      return true;
    }
    *reason = strerror(errno);
  }
  close(file);
  unlink(path);
  return false;
}

void asyncStoreTesting_startRecording(void) {
  tellAllLeft();
  if (!formatWordPath(wordPath, (long)getpid())) *wordPath = 0;
  const char *reason;
  if (!mapFile(&reason)) {
    warnOfMemory(reason);
    text = newMemory();
    room = capacity;
  }
  if (text) installHandlers();
}

void asyncStoreTesting_beginRecord(uint64_t seed, const char *name, const char *filter) {
  if (!text || owner) return;
  end = text;
  append(name);
  append("\n");
  append(filter);
  append("\n");
  char word[24];
  char *wordEnd = writeNumber(word, seed);
  *wordEnd++ = ':';
  *wordEnd = 0;
  append(word);
  isCut = false;
  choiceCount = 0;
  memset(&run, 0, sizeof run);
  run.start = end;
  ownerThread = pthread_self();
  owner = asyncStoreTesting_driver();
}

static bool isSame(Choice left, Choice right) {
  return left.kind == right.kind && left.index == right.index && left.count == right.count;
}

static Choice descended(Choice choice, uint32_t steps) {
  return (Choice){choice.kind, choice.index, choice.count - steps};
}

/// Writes the word of several choices in a row, and returns its end.
static char *writeRun(char *place, Choice last, Choice first, char sign, uint32_t length) {
  if (last.count) *place++ = '-';
  if (first.kind) *place++ = first.kind;
  place = writeNumber(place, first.index);
  if (!last.count || first.kind != last.kind || first.count != last.count - 1) {
    *place++ = '/';
    place = writeNumber(place, first.count);
  }
  if (length > 1) {
    *place++ = sign;
    place = writeNumber(place, length);
  }
  return place;
}

/// Writes the last word anew.
///
/// Returns false if it doesn't fit; what was there before is still there then.
static bool writeLastRun(void) {
  char word[160];
  char *wordEnd;
  if (run.isDescending && run.length == 2) {
    // Two choices are two words.
    wordEnd = writeRun(word, run.last, run.first, 0, 1);
    wordEnd = writeRun(wordEnd, run.first, descended(run.first, 1), 0, 1);
  } else {
    wordEnd = writeRun(word, run.last, run.first, run.isDescending ? '~' : '*', run.length);
  }
  size_t length = (size_t)(wordEnd - word);
  if (!hasRoom(run.start, length)) return false;
  *wordEnd = 0;
  memcpy(run.start, word, length + 1);
  end = run.start + length;
  return true;
}

/// Begins a word behind the last one.
static void beginRun(Choice last, Choice first) {
  run.start = end;
  run.last = last;
  run.first = first;
  run.length = 1;
  run.isDescending = false;
}

/// Has the last word stand for one more choice, or begins another word.
static void extendRun(Choice choice) {
  if (!run.length) return beginRun(run.last, choice);
  bool isRepeated = isSame(choice, run.first);
  bool isNext = run.first.count > run.length && isSame(choice, descended(run.first, run.length));
  bool fits = run.length == 1 ? isRepeated || isNext : run.isDescending ? isNext : isRepeated;
  if (fits && run.length < asyncStoreTesting_longestRun) {
    if (run.length++ == 1) run.isDescending = isNext;
    return;
  }
  if (run.isDescending && run.length == 2) {
    // The first of the two is a word, and the second one begins another, which may stand for this choice as well.
    Choice second = descended(run.first, 1);
    char word[160];
    char *start = run.start + (writeRun(word, run.last, run.first, 0, 1) - word);
    beginRun(run.first, second);
    run.start = start;
    return extendRun(choice);
  }
  beginRun(run.isDescending ? descended(run.first, run.length - 1) : run.first, choice);
}

void asyncStoreTesting_record(char kind, uint64_t index, uint64_t count) {
  if (!owner || owner != asyncStoreTesting_driver() || isCut) return;
  if (choiceCount++ < asyncStoreTesting_mostChoices) {
    extendRun((Choice){kind, index, count});
    if (writeLastRun()) return;
  }
  isCut = true;
  memcpy(end, cutMark, sizeof cutMark);
}

void asyncStoreTesting_endRecord(void) {
  if (!owner || owner != asyncStoreTesting_driver()) return;
  owner = NULL;
  *text = 0;
}

// MARK: The end of the process

static bool (*endCheck)(void);

static void checkAtEnd(void) {
  if (endCheck()) return;
  // A function that runs at the exit can't change the status, nor call `exit`.
  fflush(NULL);
  removeFile();
  _exit(EXIT_FAILURE);
}

void asyncStoreTesting_checkAtEnd(bool (*check)(void)) {
  endCheck = check;
  atexit(checkAtEnd);
}

// MARK: Files

char *asyncStoreTesting_read(const char *filePath, size_t *size) {
  struct stat status;
  int file = openFile(filePath, O_RDONLY, 0, &status);
  if (file < 0) return NULL;
  char *content = calloc(1, (size_t)status.st_size + 1);
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
  int file = openFile(filePath, O_WRONLY | O_CREAT | flags, 0644, NULL);
  if (file < 0) return false;
  bool isWritten = writeAll(file, content, strlen(content));
  return close(file) == 0 && isWritten;
}

bool asyncStoreTesting_append(const char *line, const char *filePath) { return writeText(line, filePath, O_APPEND); }

bool asyncStoreTesting_write(const char *content, const char *filePath) {
  return writeText(content, filePath, O_TRUNC);
}

char *asyncStoreTesting_keepWord(const char *word) {
  static _Atomic int count;
  char filePath[pathCapacity];
  int length = snprintf(
      filePath, sizeof filePath, "%s/%sreplay-%ld-%d%s", folder(), prefix, (long)getpid(), ++count, suffix);
  if (length >= pathCapacity) return NULL;
  int file = openFile(filePath, O_WRONLY | O_CREAT | O_TRUNC, 0644, NULL);
  if (file < 0 || !finish(file, filePath, writeAll(file, word, strlen(word)))) return NULL;
  return strdup(filePath);
}

void asyncStoreTesting_free(char *content) { free(content); }
