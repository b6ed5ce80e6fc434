// For `pthread_getattr_np`.
#define _GNU_SOURCE
#include "CAsyncStorePersistence.h"

#if defined(__APPLE__)
#include <copyfile.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#elif defined(__linux__)
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#endif

/// Returns the lowest address of this thread's stack, or 1 if nobody knows.
static uintptr_t lowestOfStack(void) {
#if defined(__APPLE__)
  pthread_t thread = pthread_self();
  return (uintptr_t)pthread_get_stackaddr_np(thread) - pthread_get_stacksize_np(thread);
#elif defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  void *lowest = NULL;
  size_t size = 0;
  int result = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (result != 0 || !lowest) return 1;
#if !defined(__GLIBC__) && !defined(__ANDROID__)
  // musl knows only what is mapped of the main thread's stack by now. That grows, up to the limit.
  struct rlimit limit;
  if (syscall(SYS_gettid) == getpid() && getrlimit(RLIMIT_STACK, &limit) == 0) {
    uintptr_t end = (uintptr_t)lowest + size;
    return limit.rlim_cur < end ? end - limit.rlim_cur : 1;
  }
#endif
  return (uintptr_t)lowest;
#else
  return 1;
#endif
}

uintptr_t asyncStorePersistence_remainingStack(void) {
  // 0 until it is known.
  static _Thread_local uintptr_t lowest;
  if (lowest == 0) lowest = lowestOfStack();
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  // A fiber's stack is somewhere else.
  return here > lowest ? here - lowest : UINTPTR_MAX;
}

static _Thread_local uint64_t shortageCount;

void asyncStorePersistence_noteStackShortage(void) { shortageCount++; }

uint64_t asyncStorePersistence_stackShortageCount(void) { return shortageCount; }

#if defined(__APPLE__)

long asyncStorePersistence_copyAccessList(const char *model, int file) {
  int source = open(model, O_RDONLY | O_CLOEXEC);
  if (source < 0) return -1;
  bool isCopied = fcopyfile(source, file, NULL, COPYFILE_ACL) == 0 || errno == ENOTSUP;
  close(source);
  return isCopied ? 0 : -1;
}

#elif defined(__linux__)

static const char accessList[] = "system.posix_acl_access";

/// Returns whether a call says that there is no list.
static bool hasNone(ssize_t result) {
  return result == 0 || errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
}

long asyncStorePersistence_copyAccessList(const char *model, int file) {
  ssize_t size = getxattr(model, accessList, NULL, 0);
  if (size <= 0) {
    // A directory may give new files a list of its own.
    return hasNone(size) && hasNone(fremovexattr(file, accessList)) ? 0 : -1;
  }
  void *list = malloc(size);
  if (!list) return -1;
  size = getxattr(model, accessList, list, size);
  bool isCopied = size > 0 && fsetxattr(file, accessList, list, size, 0) == 0;
  free(list);
  return isCopied ? size : -1;
}

#else

long asyncStorePersistence_copyAccessList(const char *model, int file) { return 0; }

#endif
