/// The state and the environment of a store, of which the runtime knows only the addresses.
///
/// They are in separate memory and not in properties, so that accesses are not checked for exclusivity, and so that
/// observers see the state in place and not a copy of it.
@usableFromInline
struct StoreContent {
  @usableFromInline let state: UnsafeMutableRawPointer
  let env: UnsafeMutableRawPointer

  /// Moves both into one allocation.
  init<State, Env>(_ state: consuming State, _ env: consuming Env) {
    let alignment = max(MemoryLayout<State>.alignment, MemoryLayout<Env>.alignment)
    let offset = MemoryLayout<State>.size.roundedUp(to: MemoryLayout<Env>.alignment)
    self.state = Memory.allocate(bytes: offset + MemoryLayout<Env>.size, alignment: alignment)
    self.env = self.state + offset
    self.state.initializeMemory(as: State.self, to: state)
    self.env.initializeMemory(as: Env.self, to: env)
  }

  /// Frees the memory, once both have been released.
  func deallocate() { Memory.release(state) }
}

extension Int {
  /// The next multiple of a power of two.
  fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
