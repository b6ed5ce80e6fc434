// The processor traps after each instruction while its trap flag is set. The handler of that signal counts. So counting
// needs no rights, no tool and no hardware counters, which virtual machines hide.

#define _GNU_SOURCE
#include "InstructionCounter.h"

/// As many as a workload has metrics, and more.
static InstructionCount counts[8];
static const size_t capacity = sizeof counts / sizeof *counts;
static size_t length;
static bool isEnabled;
/// The count that is being made.
static InstructionCount current;
/// How often each instruction was executed: it is at the first free place from its address's on.
static ExecutedInstruction executed[1 << 18];
static const size_t places = sizeof executed / sizeof *executed;
static bool isProfiling;
/// The index of the count that is profiled.
static size_t profiled;

void instruction_counter_enable(void) {
  isEnabled = true;
  length = 0;
}

void instruction_counter_profile(size_t index) {
  isProfiling = true;
  profiled = index;
}

size_t instruction_counter_places(void) { return places; }
ExecutedInstruction instruction_counter_executed(size_t place) { return executed[place]; }

void instruction_counter_disable(void) { isEnabled = false; }
size_t instruction_counter_length(void) { return length; }
InstructionCount instruction_counter_count(size_t index) { return counts[index]; }

#if defined(__linux__) && defined(__x86_64__)
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <signal.h>
#include <ucontext.h>

/// The first instructions of the functions that hand memory out.
static uintptr_t allocators[6];

static void note(uintptr_t address) {
  size_t place = address % places;
  while (executed[place].count > 0 && executed[place].address != address) place = (place + 1) % places;
  executed[place].address = address;
  executed[place].count++;
}

static void step(int signal, siginfo_t *information, void *context) {
  (void)signal, (void)information;
  current.instructions++;
  uintptr_t next = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (isProfiling && length == profiled) note(next);
  for (size_t index = 0; index < sizeof allocators / sizeof *allocators; index++) {
    current.allocations += next == allocators[index];
  }
}

bool instruction_counter_prepare(void) {
  const char *names[] = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"};
  for (size_t index = 0; index < sizeof allocators / sizeof *allocators; index++) {
    allocators[index] = (uintptr_t)dlsym(RTLD_DEFAULT, names[index]);
  }
  struct sigaction action = {0};
  action.sa_sigaction = step;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGTRAP, &action, NULL) == 0;
}

void instruction_counter_begin(void) {
  if (!isEnabled) return;
  current = (InstructionCount){0};
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

void instruction_counter_end(void) {
  if (!isEnabled) return;
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  if (length < capacity) counts[length++] = current;
}

const char *instruction_counter_library(void) { return gnu_get_libc_version(); }

const char *instruction_counter_module(uintptr_t address, uintptr_t *base) {
  Dl_info information;
  if (dladdr((const void *)address, &information) == 0) return NULL;
  *base = (uintptr_t)information.dli_fbase;
  return information.dli_fname;
}
#else
bool instruction_counter_prepare(void) { return false; }
void instruction_counter_begin(void) {}
void instruction_counter_end(void) {}
const char *instruction_counter_library(void) { return ""; }
const char *instruction_counter_module(uintptr_t address, uintptr_t *base) { return NULL; }
#endif
