#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  extension Host {
    /// The machine that the program runs on, by the kernel's files below `/proc`.
    static var system: Host {
      let start = ContinuousClock.now
      return Host(
        processor: { try ProcessorCounters(procStat: contents(of: "/proc/stat")) },
        memory: { try MemoryReading(procMeminfo: contents(of: "/proc/meminfo")) },
        load: { try LoadReading(procLoadavg: contents(of: "/proc/loadavg")) },
        disks: { try ByteCounters.disks(procDiskstats: contents(of: "/proc/diskstats")) },
        fileSystems: {
          try Mount.mounts(procMounts: contents(of: "/proc/mounts")).compactMap {
            FileSystemReading(mountPoint: $0.mountPoint)
          }
        },
        network: { try ByteCounters.interfaces(procNetDev: contents(of: "/proc/net/dev")) },
        uptime: { start.duration(to: .now) }
      )
    }

    private static func contents(of path: String) throws -> String {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw unreadable(path) }
      defer { close(descriptor) }
      // The size of such a file is unknown before its end, because the kernel writes it while it is read.
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        if count > 0 { bytes += buffer[..<count] }
        if count < 0, errno != EINTR { throw unreadable(path) }
      }
    }

    private static func unreadable(_ path: String) -> HostError {
      HostError(code: .unreadable, source: path, reason: String(cString: strerror(errno)))
    }
  }
#endif
