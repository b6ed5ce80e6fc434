import Synchronization

/// A property that Observation tracks, from a read to the first change after it.
///
/// | phase | meaning | next |
/// |---|---|---|
/// | `unreported` | shared by all who read it, until a commit changes it | the change is delivered: `reported` |
/// | `reported` | those who tracked it then have been notified | an observer of an earlier read is installed: `late` |
/// | `late` | to be reported to that observer, by a task | that is delivered: `reported` |
///
/// A read after the change tracks a new property, so that nobody is notified of a change that came before the read. In
/// each phase, the property is removed as soon as Observation releases its key path.
///
/// `@unchecked` because its superclass is, and for `path`, which is written once, before another thread knows the
/// property. The rest is constants and an atomic.
class TrackedProperty: CommitObserver, @unchecked Sendable {
  private enum Phase: UInt8, AtomicRepresentable { case unreported, reported, late }

  /// The property that a thread is currently reporting.
  private static let reporting = ThreadVariable<TrackedProperty>()

  /// The time that a late report waits for the tracking thread.
  ///
  /// Observation hashes a key path a few instructions before it records how to end the tracking. A report in between
  /// would not end the tracking, and each later change would be reported to it too, forever. There is no way to know
  /// when that moment has passed, except in a simulation, which runs the task once the tracking thread has nothing more
  /// to do. An executor that runs its jobs at once begins the task inside Observation's call, under its lock.
  private static let timeToInstall = Duration.milliseconds(10)

  private let keyPath: AnyKeyPath
  // Weak, because Observation keeps the property alive through its key path, in lists that these two own.
  private weak let tracking: Tracking?
  private weak let runtime: Runtime?
  private final weak var path: Tracking.Path?
  private let phase = Atomic(Phase.unreported)
  /// The group of properties computed from the same source.
  final let group: TrackedGroup?

  init(_ keyPath: AnyKeyPath, in group: TrackedGroup?, _ tracking: Tracking, _ runtime: Runtime) {
    self.keyPath = keyPath
    self.group = group
    self.tracking = tracking
    self.runtime = runtime
    super.init(leavesOnceNotified: true)
  }

  /// Creates the key path for Observation to hold.
  final func track() -> Tracking.Path {
    let path = Tracking.path(of: TrackedRead(self))
    self.path = path
    return path
  }

  /// The key path that Observation holds, if it still does.
  final var trackedPath: Tracking.Path? { path }

  final override var trackedKeyPath: AnyKeyPath? { keyPath }
  final override var cycleMember: ObjectIdentifier { ObjectIdentifier(keyPath) }
  /// Tracking survives deactivation.
  final override var endsWithActivity: Bool { false }
  final override func prepare() {}

  final override func deliver() {
    guard let path, let tracking else { return }
    // In this order: an observer that is installed after this point, and so is not found below, is hashed after this
    // store.
    phase.store(.reported, ordering: .sequentiallyConsistent)
    let outer = Self.reporting.value
    Self.reporting.value = self
    defer { Self.reporting.value = outer }
    tracking.reportChange(of: path)
  }

  /// Records that Observation has hashed the key path.
  ///
  /// Observation does so when it records an access and, under its lock, when it installs an observer.
  ///
  /// An observer that is installed after a change was reported belongs to a read before the change, and must still be
  /// notified.
  final func wasHashed() {
    guard phase.load(ordering: .sequentiallyConsistent) == .reported, Self.reporting.value !== self else { return }
    guard phase.compareExchange(expected: .reported, desired: .late, ordering: .sequentiallyConsistent).exchanged,
      let runtime
    else { return }
    // A task does it, because here Observation holds its lock, and the observer is not in its list yet.
    Task.detached(executorPreference: runtime.executor) {
      if !(runtime.executor is any SimulatedExecutor) { try? await Task.sleep(for: Self.timeToInstall) }
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      runtime.redeliver(self)
    }
  }

  /// Stops tracking; called when Observation has released the key path.
  ///
  /// The caller may hold the store's lock or Observation's lock, so this method waits for neither. If the store is
  /// busy, its next commit removes the property.
  final func leave() {
    hasDeparted.store(true, ordering: .relaxed)
    guard let runtime else { return }
    var copy: SourceComparison?
    defer { withExtendedLifetime(copy) {} }
    let isRemoved: Void? = runtime.lockIfAvailable { copy = $0.remove(tracked: self) }
    if isRemoved != nil { return }
    group?.hasDepartedMembers.store(true, ordering: .releasing)
  }
}

/// A tracked property and the value that it had when it was read.
///
/// `@unchecked` because its superclass is. The variable parts, `last` and `hasLast`, are touched only while the store
/// is locked, or when nobody refers to the property any more.
final class TrackedValue<State: Sendable, Value: Sendable>: TrackedProperty, @unchecked Sendable {
  private let property: StoredValue<State, Value>
  /// Compares two values, or `nil` if each commit counts as a change.
  private let areEqual: ValueComparison<Value>?
  // A pointer and not an optional: nothing here is specialized for the value, so each commit would look up the type of
  // an optional at run time, and copy the value.
  private let last: UnsafeMutablePointer<Value>?
  @exclusivity(unchecked) private var hasLast = false

  init(
    _ keyPath: KeyPath<State, Value> & Sendable, areEqual: ValueComparison<Value>?, isTotal: Bool,
    in group: TrackedGroup?, _ tracking: Tracking, _ runtime: Runtime
  ) {
    property = StoredValue(keyPath)
    // A stored value is compared in place. A key path that may trap is not evaluated again.
    self.areEqual = isTotal || property.offset != nil ? areEqual : nil
    last = self.areEqual == nil ? nil : Memory.allocate(for: Value.self)
    super.init(keyPath, in: group, tracking, runtime)
  }

  deinit {
    guard let last else { return }
    if hasLast { last.deinitialize(count: 1) }
    Memory.release(last)
  }

  /// Stores the value that was read; called once.
  func remember(_ value: Value) {
    guard let last else { return }
    last.initialize(to: value)
    hasLast = true
  }

  override func note(_ state: UnsafeRawPointer) -> Bool {
    guard let areEqual, let last, hasLast else { return true }
    guard let offset = property.offset else { return property.compute(in: state) { !areEqual(last, $0) } }
    return !areEqual(last, (state + offset).assumingMemoryBound(to: Value.self))
  }
}

extension Runtime {
  /// Reports a change again, to an observer that was installed after the first report.
  fileprivate func redeliver(_ property: TrackedProperty) {
    lock { $0.deliveries.append(.passUnretained(property), hop: DeliveryLoop.hop(toNewsOf: property)) }
    DeliveryLoop.deliver(from: self)
  }
}
