import ProcessUse

/// The resources that the process has used.
enum Process {
  #if canImport(Darwin)
    static let memoryMethod = "bytes in use by mstats()"
  #else
    static let memoryMethod = "bytes in use by mallinfo2(), all arenas and what is mapped directly"
  #endif
  static var allocatedBytes: Int { process_allocated_bytes() }

  static let timeMethod = "user and system time of all threads by getrusage()"
  static var cpuTime: Duration { .microseconds(process_cpu_microseconds()) }
}
