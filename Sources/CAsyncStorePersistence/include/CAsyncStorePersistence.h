#ifndef CASYNCSTOREPERSISTENCE_H
#define CASYNCSTOREPERSISTENCE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// The number of bytes that are left of this thread's stack; very many where nobody knows.
///
/// In C, because a thread is asked for its stack once, and Swift has no variable to keep the answer in.
uintptr_t asyncStorePersistence_remainingStack(void);

/// Notes that something is refused because too little is left of this thread's stack.
void asyncStorePersistence_noteStackShortage(void);
/// The number of refusals so far that this thread has noted.
uint64_t asyncStorePersistence_stackShortageCount(void);

/// Gives a file the access list of another one, or none if that one has none.
///
/// In C, because Swift's modules for Linux don't have these system calls.
///
/// - Parameters:
///   - model: the path of the other file.
///   - file: the descriptor of the file, whose owner this process is.
/// - Returns: the length of a list that the bits of the permissions don't tell all of; 0 if there is none; -1 if the
///   file's list may be another one.
long asyncStorePersistence_copyAccessList(const char *model, int file);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
