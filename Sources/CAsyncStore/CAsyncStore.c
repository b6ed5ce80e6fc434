#include "CAsyncStore.h"

_Thread_local struct ThreadRecord asyncStoreThreadRecord;
