import SystemPackage

/// Something in a folder.
enum Entry: Hashable, Sendable {
  case folder(Folder)
  case file(File)
  /// It is not followed: what it leads to is looked at where it is.
  case symbolicLink(FilePath)
  /// A pipe, a socket, a device: nothing that has contents to compare.
  case special(FilePath)
}

/// What tells a file or a folder from all others, whatever names it has.
struct FileIdentity: Hashable, Comparable, Sendable {
  var device: UInt64
  var inode: UInt64

  static func < (left: FileIdentity, right: FileIdentity) -> Bool {
    (left.device, left.inode) < (right.device, right.inode)
  }
}

/// A folder that has been found.
struct Folder: Hashable, Sendable {
  var path: FilePath
  var identity: FileIdentity
}

/// A file that has been found.
struct File: Hashable, Sendable {
  /// When a file was last written to.
  struct Moment: Hashable, Sendable {
    var seconds: Int
    var nanoseconds: Int
  }

  var path: FilePath
  var identity: FileIdentity
  var size: Int
  var modified: Moment
}

/// What is in a folder.
struct Listing: Hashable, Sendable {
  var entries: [Entry] = []
  /// What has a name there, and can't be looked at.
  var errors: [FileError] = []
}

extension FilePath {
  /// The path as text; bytes that are none show as `�`.
  var text: String { String(decoding: self) }

  /// An order that is the same on every machine and in every language: by the bytes.
  static func precedes(_ left: FilePath, _ right: FilePath) -> Bool {
    left.withPlatformString { left in
      right.withPlatformString { right in
        var index = 0
        while left[index] != 0, left[index] == right[index] { index += 1 }
        return UInt8(bitPattern: left[index]) < UInt8(bitPattern: right[index])
      }
    }
  }
}
