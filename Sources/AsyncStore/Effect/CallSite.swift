/// The place in the source code where an effect was written.
public struct CallSite: Hashable, Sendable, CustomStringConvertible {
  // A file identifier is a literal of the program's own image and lives as long as the program, so its address is
  // enough. This keeps an effect that only sets state small.
  @usableFromInline let address: UInt
  @usableFromInline let lineNumber: UInt32

  /// Creates a location, by default that of the caller.
  @inlinable
  public init(file: StaticString = #fileID, line: UInt = #line) {
    self.init(address: UInt(bitPattern: file.utf8Start), line: line)
  }

  @inlinable
  init(address: UInt, line: UInt) { self.init(address: address, lineNumber: UInt32(truncatingIfNeeded: line)) }

  @inlinable
  init(address: UInt, lineNumber: UInt32) {
    self.address = address
    self.lineNumber = lineNumber
  }

  /// The file's identifier, `Module/File.swift`.
  public var file: String {
    guard let pointer = UnsafePointer<UInt8>(bitPattern: address) else { return "" }
    return String(cString: pointer)
  }

  /// The line, from 1.
  public var line: Int { Int(lineNumber) }

  /// File and line, such as `Module/File.swift:12`.
  public var description: String { "\(file):\(line)" }
}
