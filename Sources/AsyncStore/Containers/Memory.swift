#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Memory for data that lives as long as the object that owns it, such as a store's state or a list's members.
///
/// Directly from `malloc`, whose memory suits any type with an alignment of up to two words. The standard library's
/// `allocate` requests an alignment each time, which on Linux bypasses the allocator's cache of small pieces.
@usableFromInline
enum Memory {
  /// The alignment of all memory from `malloc`.
  private static let alignment = 2 * MemoryLayout<Int>.size

  @usableFromInline
  static func allocate(bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
    var memory: UnsafeMutableRawPointer?
    if alignment <= Self.alignment {
      memory = malloc(max(bytes, 1))
    } else {
      posix_memalign(&memory, alignment, bytes)
    }
    guard let memory else { fatalError("no memory for \(bytes) bytes") }
    return memory
  }

  static func allocate<Value>(for type: Value.Type, count: Int = 1) -> UnsafeMutablePointer<Value> {
    allocate(bytes: count * MemoryLayout<Value>.stride, alignment: MemoryLayout<Value>.alignment)
      .bindMemory(to: type, capacity: count)
  }

  /// Allocates zeroed memory; large pieces are zeroed without being written to.
  static func allocateCleared<Value: BitwiseCopyable>(
    for type: Value.Type, count: Int
  ) -> UnsafeMutablePointer<Value> {
    precondition(MemoryLayout<Value>.alignment <= alignment)
    guard let memory = calloc(max(count, 1), MemoryLayout<Value>.stride) else {
      fatalError("no memory for \(count) values of \(type)")
    }
    return memory.bindMemory(to: type, capacity: count)
  }

  /// Replaces `memory` with a larger piece, and moves the content byte by byte or through the system's page tables.
  static func resize<Value>(
    _ memory: UnsafeMutablePointer<Value>?, to capacity: Int
  ) -> UnsafeMutablePointer<Value> {
    precondition(MemoryLayout<Value>.alignment <= alignment)
    let bytes = max(capacity * MemoryLayout<Value>.stride, 1)
    guard let resized = realloc(memory, bytes) else { fatalError("no memory for \(bytes) bytes") }
    return resized.bindMemory(to: Value.self, capacity: capacity)
  }

  static func release(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
