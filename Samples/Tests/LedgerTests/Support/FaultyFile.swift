import Foundation

@testable import Ledger

/// A file of which some operations fail.
struct FaultyFile: GrowingFile {
  enum Operation { case write, synchronize, truncate }

  struct Broken: Error {}

  private let file: any GrowingFile
  private let faults: [Operation]

  init(_ file: any GrowingFile, _ faults: [Operation]) { (self.file, self.faults) = (file, faults) }

  func length() throws -> Int { try file.length() }

  func write(_ data: Data) throws {
    if faults.contains(.write) { throw Broken() }
    try file.write(data)
  }

  func synchronize() throws {
    if faults.contains(.synchronize) { throw Broken() }
    try file.synchronize()
  }

  func truncate(to length: Int) throws {
    if faults.contains(.truncate) { throw Broken() }
    try file.truncate(to: length)
  }
}
