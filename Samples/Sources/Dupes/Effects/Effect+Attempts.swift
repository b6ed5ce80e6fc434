import AsyncStore

extension SearchStore.Effect {
  /// Notes the final error.
  typealias GiveUp = @Sendable (inout Search, any Error) -> Void

  /// Tries an operation on the file system once.
  ///
  /// It fails only for reasons that may pass, so that ``retried(_:else:)`` only has to try failures again. It gives up
  /// here on an error that will be the same the next time.
  ///
  /// - Parameter name: the operation's name in reports.
  static func attempt(
    _ name: String, else giveUp: @escaping GiveUp,
    _ operation: @escaping @Sendable (FileSystem) async throws -> Self
  ) -> Self {
    .perform { fileSystem in
      do {
        return try await operation(fileSystem)
      } catch let error as FileError where !error.isTransient {
        return .set { giveUp(&$0, error) }
      }
    }
    .label(name)
  }

  /// Begins this effect again each time it fails, until the schedule gives up.
  func retried(_ options: SearchOptions, else giveUp: @escaping GiveUp) -> Self {
    retry(options.retry).recover { error in .set { giveUp(&$0, error) } }
  }
}
