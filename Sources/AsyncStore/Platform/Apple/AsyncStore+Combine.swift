#if canImport(Combine)
  import Combine
  import Synchronization

  /// A store's data for Combine: the publisher, once somebody has asked for it.
  struct PlatformStorage: ~Copyable, Sendable {
    let publisher = Mutex<ObservableObjectPublisher?>(nil)
  }

  extension AsyncStore: ObservableObject {
    /// Emits on the main actor after each commit, for `@StateObject` and `@ObservedObject`.
    ///
    /// Prefer Observation, which SwiftUI uses by itself when a view reads the store's properties: it redraws only the
    /// views that have read a changed property.
    public var objectWillChange: ObservableObjectPublisher {
      let (publisher, isNew) = platform.publisher.withLock { publisher in
        if let publisher { return (publisher, false) }
        let new = ObservableObjectPublisher()
        publisher = new
        return (new, true)
      }
      if isNew {
        let observer = ChangePublisher(publisher, isOnMain: runtime.isolation is MainActor)
        runtime.lock { $0.append(observer) }
      }
      return publisher
    }
  }

  /// Notifies Combine of every commit.
  ///
  /// `@unchecked` because its superclass is, and because `ObservableObjectPublisher` is not `Sendable`: this one is a
  /// constant, and is used only on the main actor, in `deliver`.
  private final class ChangePublisher: CommitObserver, @unchecked Sendable {
    private let publisher: ObservableObjectPublisher
    private let isOnMain: Bool

    init(_ publisher: ObservableObjectPublisher, isOnMain: Bool) {
      self.publisher = publisher
      self.isOnMain = isOnMain
    }

    /// Views stay bound to a store that is activated again.
    override var endsWithActivity: Bool { false }

    override func note(_ state: UnsafeRawPointer) -> Bool { true }
    override func prepare() {}

    override func deliver() {
      if isOnMain {
        // A store bound to the main actor commits and delivers there.
        MainActor.assumeIsolated { publisher.send() }
      } else {
        Task { @MainActor in self.publisher.send() }
      }
    }
  }
#else
  /// A store's data for Combine, which is empty without Combine.
  struct PlatformStorage: ~Copyable, Sendable {}
#endif
