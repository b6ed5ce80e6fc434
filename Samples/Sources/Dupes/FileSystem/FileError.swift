import SystemPackage

/// The error for a file or a folder that could not be looked at.
struct FileError: Error, Hashable, Sendable {
  /// The kind of the fault.
  enum Cause: Hashable, Sendable {
    /// The operating system refused.
    case system(Errno)
    /// The file was written to, or replaced, since it was found.
    case changed
    /// The path was given by name, and is a link.
    case symbolicLink
    /// Some other error, not from the operating system.
    case other(String)
  }

  var path: FilePath
  var cause: Cause

  init(_ path: FilePath, _ cause: Cause) {
    self.path = path
    self.cause = cause
  }

  init(_ path: FilePath, _ error: any Error) {
    self = error as? FileError ?? FileError(path, .other("\(error)"))
  }

  /// True if the error may pass soon, so that another try is worth the time.
  var isTransient: Bool {
    guard case .system(let error) = cause else { return false }
    return Self.transient.contains(error)
  }

  private static let transient: Set<Errno> = [
    .ioError, .interrupted, .noMemory, .resourceBusy, .resourceTemporarilyUnavailable, .staleNFSFileHandle, .timedOut,
    .tooManyOpenFiles, .tooManyOpenFilesInSystem,
  ]

  /// The reason, for people.
  var reason: String {
    switch cause {
    case .system(let error): error.description
    case .changed: "changed while it was looked at"
    case .symbolicLink: "is a symbolic link, and those are not followed"
    case .other(let description): description
    }
  }
}

extension FileError: CustomStringConvertible {
  /// The path and the reason: `/etc/shadow: Permission denied`.
  var description: String { "\(path.text): \(reason)" }
}
