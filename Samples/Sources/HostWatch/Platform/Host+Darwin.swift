#if canImport(Darwin)
  // `mach_task_self_` is a variable in C, though nobody ever changes it.
  @preconcurrency import Darwin

  extension Host {
    /// The machine that the program runs on, by the C interfaces of macOS.
    ///
    /// Only IOKit gives the bytes read from and written to disks, so there are none here.
    static var system: Host {
      let start = ContinuousClock.now
      return Host(
        processor: { try ProcessorCounters.system() },
        memory: { try MemoryReading.system() },
        load: { try LoadReading.system() },
        disks: { [] },
        fileSystems: { try FileSystemReading.system() },
        network: { try ByteCounters.interfaces() },
        uptime: { start.duration(to: .now) }
      )
    }

    /// The port of the kernel, requested once, because each call of `mach_host_self` would count another reference.
    fileprivate static let port = mach_host_self()

    fileprivate static func check(_ result: kern_return_t, _ call: String) throws {
      guard result == KERN_SUCCESS else {
        throw HostError(code: .unreadable, source: call, reason: String(cString: mach_error_string(result)))
      }
    }

    fileprivate static func failure(of call: String) -> HostError {
      HostError(code: .unreadable, source: call, reason: String(cString: strerror(errno)))
    }
  }

  extension ProcessorCounters {
    fileprivate static func system() throws -> ProcessorCounters {
      var count: natural_t = 0
      var numbers: processor_info_array_t?
      var length: mach_msg_type_number_t = 0
      try Host.check(
        host_processor_info(Host.port, PROCESSOR_CPU_LOAD_INFO, &count, &numbers, &length),
        "host_processor_info"
      )
      guard let numbers else {
        throw HostError(code: .malformed, source: "host_processor_info", reason: "it gave no numbers")
      }
      defer {
        vm_deallocate(
          mach_task_self_,
          vm_address_t(bitPattern: numbers),
          vm_size_t(Int(length) * MemoryLayout<integer_t>.stride)
        )
      }
      let states = Int(CPU_STATE_MAX)
      var counters = ProcessorCounters(total: Ticks(busy: 0, idle: 0))
      for core in 0..<min(Int(count), Int(length) / states) {
        // The kernel counts in unsigned numbers, which are declared as signed.
        func ticks(_ state: Int32) -> Double {
          Double(UInt32(bitPattern: numbers[core * states + Int(state)]))
        }
        let ticks = Ticks(
          busy: ticks(CPU_STATE_USER) + ticks(CPU_STATE_SYSTEM) + ticks(CPU_STATE_NICE),
          idle: ticks(CPU_STATE_IDLE)
        )
        counters.cores[core] = ticks
        counters.total.busy += ticks.busy
        counters.total.idle += ticks.idle
      }
      return counters
    }
  }

  extension MemoryReading {
    fileprivate static func system() throws -> MemoryReading {
      var pages = vm_statistics64()
      var length = mach_msg_type_number_t(MemoryLayout<vm_statistics64>.stride / MemoryLayout<integer_t>.stride)
      let result = withUnsafeMutablePointer(to: &pages) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: Int(length)) {
          host_statistics64(Host.port, HOST_VM_INFO64, $0, &length)
        }
      }
      try Host.check(result, "host_statistics64")
      var pageSize: vm_size_t = 0
      try Host.check(host_page_size(Host.port, &pageSize), "host_page_size")
      var swap = xsw_usage()
      try control("vm.swapusage", &swap)
      var total: UInt64 = 0
      try control("hw.memsize", &total)
      // Inactive pages mainly hold caches, which the kernel drops when a program asks for memory.
      let available = UInt64(pages.free_count) + UInt64(pages.inactive_count)
      return MemoryReading(
        total: total,
        available: available * UInt64(pageSize),
        swapTotal: swap.xsu_total,
        swapFree: swap.xsu_avail
      )
    }

    private static func control<Value>(_ name: String, _ value: inout Value) throws {
      var size = MemoryLayout<Value>.size
      guard sysctlbyname(name, &value, &size, nil, 0) == 0 else { throw Host.failure(of: "sysctl \(name)") }
    }
  }

  extension LoadReading {
    fileprivate static func system() throws -> LoadReading {
      var averages = [0.0, 0.0, 0.0]
      guard getloadavg(&averages, 3) == 3 else {
        throw HostError(code: .unreadable, source: "getloadavg", reason: "it gave fewer than three averages")
      }
      return LoadReading(oneMinute: averages[0], fiveMinutes: averages[1], fifteenMinutes: averages[2])
    }
  }

  extension FileSystemReading {
    fileprivate static func system() throws -> [FileSystemReading] {
      // Not `getmntinfo`, whose array belongs to the process and not to the caller.
      let count = getfsstat(nil, 0, MNT_NOWAIT)
      guard count >= 0 else { throw Host.failure(of: "getfsstat") }
      var mounts = [statfs](repeating: statfs(), count: Int(count))
      let filled = getfsstat(&mounts, Int32(mounts.count * MemoryLayout<statfs>.stride), MNT_NOWAIT)
      guard filled >= 0 else { throw Host.failure(of: "getfsstat") }
      return mounts.prefix(Int(filled)).compactMap { mount in
        // Servers are left out, because asking them may block, and so are the system's own volumes beside the root.
        let isLocal = mount.f_flags & UInt32(MNT_LOCAL) != 0
        let isBrowsed = mount.f_flags & UInt32(MNT_DONTBROWSE) == 0
        guard isLocal, isBrowsed else { return nil }
        let mountPoint = withUnsafeBytes(of: mount.f_mntonname) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return FileSystemReading(mountPoint: mountPoint)
      }
    }
  }

  extension ByteCounters {
    fileprivate static func interfaces() throws -> [ByteCounters] {
      var first: UnsafeMutablePointer<ifaddrs>?
      guard getifaddrs(&first) == 0 else { throw Host.failure(of: "getifaddrs") }
      defer { freeifaddrs(first) }
      return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry -> ByteCounters? in
        guard
          let interface = entry?.pointee,
          // An interface is listed once for each of its addresses; the link layer's entry carries the counters.
          let address = interface.ifa_addr, address.pointee.sa_family == UInt8(AF_LINK),
          let data = interface.ifa_data?.assumingMemoryBound(to: if_data.self).pointee,
          interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
        else { return nil }
        return ByteCounters(
          name: String(cString: interface.ifa_name),
          incoming: UInt64(data.ifi_ibytes),
          outgoing: UInt64(data.ifi_obytes)
        )
      }
    }
  }
#endif
