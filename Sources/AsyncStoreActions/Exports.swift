@_exported import AsyncStore
