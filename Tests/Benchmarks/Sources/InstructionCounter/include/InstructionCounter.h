#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What one thread has executed in user mode between a begin and its end.
typedef struct {
  uint64_t instructions;
  /// Calls of the allocator that hand memory out.
  uint64_t allocations;
} InstructionCount;

/// Prepares the process for counting. Returns whether it can count: on Linux on x86-64.
bool instruction_counter_prepare(void);

/// Forgets all counts. From now on begins and ends count.
void instruction_counter_enable(void);
/// From now on begins and ends do nothing, as at the start of the process.
void instruction_counter_disable(void);

/// Begins to count what this thread executes, about ten microseconds for each instruction. One thread counts at a time.
void instruction_counter_begin(void);
/// Ends what was begun on this thread.
void instruction_counter_end(void);

/// How often something was counted since the counts were forgotten, 8 at most, and each count by its index.
size_t instruction_counter_length(void);
InstructionCount instruction_counter_count(size_t index);

/// How often an instruction was executed.
typedef struct {
  uintptr_t address;
  uint64_t count;
} ExecutedInstruction;

/// From now on each instruction of the count with this index is also noted by its address.
void instruction_counter_profile(size_t index);

/// What was noted, by its place; most places are empty.
size_t instruction_counter_places(void);
ExecutedInstruction instruction_counter_executed(size_t place);

/// The file that an address of the program is loaded from, or NULL, and where that file begins in memory.
const char *instruction_counter_module(uintptr_t address, uintptr_t *base);

/// The version of the C library, whose allocator and lock are counted as well.
const char *instruction_counter_library(void);

#endif
