/// The strands of a machine, by their slots.
///
/// Memory of its own and not an array: each of the machine's many small changes of a strand would first ask whether anybody else has a
/// reference to the array, which took one instruction of twenty.
struct StrandTable<P: Program>: ~Copyable {
  private(set) var count = 0
  private var capacity = 0
  /// `capacity` places, the first `count` of them initialised.
  private var places: UnsafeMutablePointer<Strand<P>>?

  var isEmpty: Bool { count == 0 }

  subscript(slot: Int) -> Strand<P> {
    @inline(__always) _read { yield place(of: slot).pointee }
    @inline(__always) _modify { yield &place(of: slot).pointee }
  }

  @inline(__always)
  private func place(of slot: Int) -> UnsafeMutablePointer<Strand<P>> {
    precondition(slot >= 0 && slot < count, "no such strand")
    return places.unsafelyUnwrapped + slot
  }

  /// A place more, with a strand that is new.
  mutating func append(generation: UInt32) {
    if count == capacity { grow() }
    guard let places else { preconditionFailure("a table of strands that did not grow") }
    let place = places + count
    // Filled in where it is: a strand is copied by its metadata.
    place.initialize(to: Strand())
    place.pointee.generation = generation
    count += 1
  }

  private mutating func grow() {
    let room = max(4, capacity * 2)
    // Moved as bytes, large tables without a copy: nothing in a strand knows where it is.
    (places, capacity) = (Memory.resize(places, to: room), room)
  }

  deinit {
    guard let places else { return }
    places.deinitialize(count: count)
    Memory.release(places)
  }
}
