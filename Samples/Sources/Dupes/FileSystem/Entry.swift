import SystemPackage

/// Something in a folder.
enum Entry: Hashable, Sendable {
  case folder(Folder)
  case file(File)
  /// A symbolic link, which is not followed: its target is looked at where it is.
  case symbolicLink(FilePath)
  /// A pipe, a socket or a device, which has no contents to compare.
  case special(FilePath)
}

/// The identity of a file or a folder, whatever names it has.
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
  /// The time when a file was last written to.
  struct Moment: Hashable, Sendable {
    var seconds: Int
    var nanoseconds: Int
  }

  var path: FilePath
  var identity: FileIdentity
  var size: Int
  var modified: Moment
}

/// The content of a folder.
struct Listing: Hashable, Sendable {
  var entries: [Entry] = []
  /// The errors for names there that can't be looked at.
  var errors: [FileError] = []
}

extension FilePath {
  /// The path as text; bytes that are not text show as `�`.
  var text: String { String(decoding: self) }

  /// Returns whether a path comes first in the order of the bytes, which is the same on every machine and in every
  /// language.
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
