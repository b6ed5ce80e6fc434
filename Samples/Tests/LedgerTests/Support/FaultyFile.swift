import Foundation

@testable import Ledger

/// A file of which some operations fail.
final class FaultyFile: GrowingFile {
  enum Operation { case write, writeHalf, synchronize, truncate }

  struct Broken: Error {}

  private let file: any GrowingFile
  /// The operations that fail, and at which calls of each, from 1.
  private let faults: [Operation: ClosedRange<Int>]
  private var calls: [Operation: Int] = [:]
  /// True while the file has changes that the disk may not have yet.
  private(set) var isUnsafe = false

  init(_ file: any GrowingFile, _ faults: [Operation: ClosedRange<Int>]) { (self.file, self.faults) = (file, faults) }

  convenience init(_ file: any GrowingFile, _ faults: [Operation]) {
    self.init(file, Dictionary(uniqueKeysWithValues: faults.map { ($0, 1...Int.max) }))
  }

  func length() throws -> Int { try file.length() }

  func write(_ data: Data) throws {
    if fails(.write) { throw Broken() }
    isUnsafe = true
    if fails(.writeHalf) {
      try file.write(data.prefix(data.count / 2))
      throw Broken()
    }
    try file.write(data)
  }

  func synchronize() throws {
    if fails(.synchronize) { throw Broken() }
    try file.synchronize()
    isUnsafe = false
  }

  func truncate(to length: Int) throws {
    if fails(.truncate) { throw Broken() }
    isUnsafe = true
    try file.truncate(to: length)
  }

  private func fails(_ operation: Operation) -> Bool {
    calls[operation, default: 0] += 1
    return faults[operation]?.contains(calls[operation, default: 0]) == true
  }
}
