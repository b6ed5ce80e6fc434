#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CAsyncStoreTesting.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

size_t asyncStoreTesting_callers(void **addresses, size_t capacity) {
  int count = backtrace(addresses, (int)capacity);
  return count > 0 ? (size_t)count : 0;
}

static struct {
  uintptr_t base;
  const ElfW(Sym) *symbols;
  size_t count;
  const char *names;
} program;

static int readBase(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  // The first one is the program.
  return 1;
}

void asyncStoreTesting_readSymbols(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  const char *content = MAP_FAILED;
  if (fstat(file, &status) == 0) content = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (content == MAP_FAILED) return;
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)content;
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(content + header->e_shoff);
  for (int index = 0; header->e_shoff && index < header->e_shnum; index++) {
    if (sections[index].sh_type != SHT_SYMTAB) continue;
    program.symbols = (const ElfW(Sym) *)(content + sections[index].sh_offset);
    program.count = sections[index].sh_size / sizeof(ElfW(Sym));
    program.names = content + sections[sections[index].sh_link].sh_offset;
  }
  dl_iterate_phdr(readBase, &program.base);
}

const char *asyncStoreTesting_symbol(const void *address) {
  // A return address is behind the call, which may be a function's last instruction.
  uintptr_t offset = (uintptr_t)address - program.base - 1;
  for (size_t index = 0; index < program.count; index++) {
    const ElfW(Sym) *symbol = &program.symbols[index];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && offset - symbol->st_value < symbol->st_size) {
      return program.names + symbol->st_name;
    }
  }
  return NULL;
}

char *asyncStoreTesting_demangle(const char *name) { return swift_demangle(name, strlen(name), NULL, NULL, 0); }
#else
size_t asyncStoreTesting_callers(void **addresses, size_t capacity) { return 0; }
void asyncStoreTesting_readSymbols(void) {}
const char *asyncStoreTesting_symbol(const void *address) { return NULL; }
char *asyncStoreTesting_demangle(const char *name) { return NULL; }
#endif
