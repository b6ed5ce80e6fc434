import Foundation

/// The name under which the content of a replaced file is kept.
enum KeptName {
  /// The name of the previous version, whose own content is given up.
  case previous
  /// An unused name.
  case damaged
}

extension FileOperations {
  /// Replaces a file's content in one step, and keeps the old content under another name.
  ///
  /// At each step, either the old or the new content is there, whole, under the file's own name. The name of the
  /// previous version is taken last: until the new content is in place, a write that fails, or a process that is
  /// killed, must not give up the version before it. An unused name is taken first, because afterwards the old content
  /// could be lost.
  func replace(_ paths: FilePaths, with data: Data, limit: Int, keepingAs kept: KeptName) throws {
    guard data.count <= limit else { throw FileError.tooLarge(path: paths.file, size: data.count, limit: limit) }
    try makeDirectory(paths.directory)
    let (new, link) = (paths.temporary, paths.temporary)
    do {
      let isKept = try needsKeeping(paths.file, beside: data)
      // A missing file had the permissions of its previous version.
      try create(new, data, like: exists(paths.file) ? paths.file : paths.previous)
      if isKept { try keep(paths.file, as: link) }
      if isKept, kept == .damaged { try rename(link, to: unusedName(paths)) }
      try rename(new, to: paths.file)
      if isKept, kept == .previous { try rename(link, to: paths.previous) }
      // Renaming a file to another name of the same file does nothing.
      if isKept { try remove(link) }
    } catch {
      for name in [new, link] { try? remove(name) }
      throw error
    }
    try syncDirectory(paths.directory)
  }

  /// Returns an unused name for a damaged file.
  private func unusedName(_ paths: FilePaths) throws -> String {
    let names = Set(try names(in: paths.directory))
    var number = 1
    while names.contains("\(paths.name).damaged\(number)") { number += 1 }
    return "\(paths.file).damaged\(number)"
  }

  /// Returns whether the file's content differs from the new one.
  ///
  /// A write that failed at its end is repeated, and must not lose the previous version.
  ///
  /// - Throws: an error for anything but a regular file, which the new file would replace.
  private func needsKeeping(_ file: String, beside data: Data) throws -> Bool {
    do {
      guard let present = try read(file, limit: data.count) else { return false }
      return present != data
    } catch FileError.tooLarge {
      return true
    }
  }

  private func keep(_ file: String, as other: String) throws {
    do {
      try link(file, as: other)
    } catch FileError.notSupported {
      guard let content = try read(file, limit: .max) else { return }
      try create(other, content, like: file)
    }
  }
}
