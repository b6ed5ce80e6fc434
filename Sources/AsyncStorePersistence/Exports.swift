@_exported import AsyncStoreActions
