import Synchronization

/// The state, the lock, the core and the environment of a store, in one allocation that the runtime knows by address.
///
/// They are not properties, for three reasons: accesses are not checked for exclusivity; observers see the state in
/// place; a large property would be moved out before it is freed. The lock comes right after the state, so that a
/// change of a small state touches one cache line.
@usableFromInline
struct StoreContent {
  @usableFromInline let state: UnsafeMutableRawPointer
  /// The store's one lock, which guards the state and the core.
  @usableFromInline let mutex: UnsafeMutablePointer<Mutex<Void>>
  @usableFromInline let core: UnsafeMutablePointer<Core>
  let env: UnsafeMutableRawPointer

  /// Allocates memory for all four, and initializes all but the core.
  init<State, Env>(_ state: consuming State, _ env: consuming Env) {
    let mutexOffset = MemoryLayout<State>.size.roundedUp(to: MemoryLayout<Mutex<Void>>.alignment)
    let coreOffset = (mutexOffset + MemoryLayout<Mutex<Void>>.size).roundedUp(to: MemoryLayout<Core>.alignment)
    let envOffset = (coreOffset + MemoryLayout<Core>.size).roundedUp(to: MemoryLayout<Env>.alignment)
    self.state = Memory.allocate(
      bytes: envOffset + MemoryLayout<Env>.size,
      alignment: max(MemoryLayout<State>.alignment, MemoryLayout<Env>.alignment, MemoryLayout<Core>.alignment))
    mutex = (self.state + mutexOffset).bindMemory(to: Mutex<Void>.self, capacity: 1)
    core = (self.state + coreOffset).bindMemory(to: Core.self, capacity: 1)
    self.env = self.state + envOffset
    self.state.initializeMemory(as: State.self, to: state)
    self.env.initializeMemory(as: Env.self, to: env)
    mutex.initialize(to: Mutex(()))
  }

  /// Frees the memory; the state and the environment must have been released.
  func deallocate() {
    core.deinitialize(count: 1)
    mutex.deinitialize(count: 1)
    Memory.release(state)
  }
}

extension Int {
  /// Rounds up to the next multiple of a power of two.
  fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
