#if Services
  @_exported import AsyncStore
#endif
