/// A small value that is assigned as bytes.
///
/// This is enough if the property is stored and its old value needs no release. A closure for the same purpose would
/// keep the value in memory of its own.
@usableFromInline
struct Assignment: Sendable {
  @usableFromInline let word: UInt64
  @usableFromInline let offset: UInt32
  @usableFromInline let size: UInt8

  /// Creates an assignment.
  ///
  /// Returns `nil` if the value is too large or is not plain bytes, or if the property is computed, observed, or part
  /// of another object.
  ///
  /// All of these conditions are known at compile time if the types are known and the key path is a literal.
  @inlinable
  @inline(__always)
  init?<Root, Value>(_ value: Value, at keyPath: WritableKeyPath<Root, Value>) {
    guard _isPOD(Value.self) else { return nil }
    self.init(trivial: value, at: keyPath)
  }

  @inlinable
  @inline(__always)
  init?<Root, Value>(trivial value: Value, at keyPath: WritableKeyPath<Root, Value>) {
    guard MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size, MemoryLayout<Root>.size <= UInt32.max,
      let offset = MemoryLayout<Root>.offset(of: keyPath)
    else { return nil }
    var word: UInt64 = 0
    withUnsafeMutablePointer(to: &word) { UnsafeMutableRawPointer($0).storeBytes(of: value, as: Value.self) }
    self.word = word
    self.offset = UInt32(truncatingIfNeeded: offset)
    size = UInt8(truncatingIfNeeded: MemoryLayout<Value>.size)
  }

  @inlinable
  @inline(__always)
  func apply(to state: UnsafeMutableRawPointer) {
    let place = state + Int(offset)
    // The most common size takes one instruction and no call.
    if size == MemoryLayout<UInt64>.size { return place.storeBytes(of: word, as: UInt64.self) }
    withUnsafeBytes(of: word) { place.copyMemory(from: $0.baseAddress!, byteCount: Int(size)) }
  }
}
