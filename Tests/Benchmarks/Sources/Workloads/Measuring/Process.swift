import ProcessUse

/// The resources that the process has used.
package enum Process {
  #if canImport(Darwin)
    package static let memoryMethod = "bytes in use by mstats()"
  #else
    package static let memoryMethod = "bytes in use by mallinfo2(), all arenas and what is mapped directly"
  #endif
  static var allocatedBytes: Int { process_allocated_bytes() }

  package static let timeMethod = "user and system time of all threads by getrusage()"
  static var cpuTime: Duration { .microseconds(process_cpu_microseconds()) }

  /// Waits until the previous run has released its memory, which tasks do after their last change of the state.
  static func waitUntilFreed() async throws {
    var bytes = Int.max
    while allocatedBytes < bytes {
      bytes = allocatedBytes
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
