#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Memory for data that lives as long as the object that owns it: a store's state, a list's members.
///
/// Straight from `malloc`, whose memory suits any type of up to two words' alignment. The standard library's `allocate`
/// asks for an alignment each time, which on Linux goes past the allocator's cache of small pieces.
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

  /// Allocates memory of zeros, which large pieces are without being written to.
  static func allocateCleared<Value: BitwiseCopyable>(
    for type: Value.Type, count: Int
  ) -> UnsafeMutablePointer<Value> {
    precondition(MemoryLayout<Value>.alignment <= alignment)
    guard let memory = calloc(max(count, 1), MemoryLayout<Value>.stride) else {
      fatalError("no memory for \(count) values of \(type)")
    }
    return memory.bindMemory(to: type, capacity: count)
  }

  /// Replaces `memory` by a larger piece, to which the content is moved byte by byte, or by the system's page tables.
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
