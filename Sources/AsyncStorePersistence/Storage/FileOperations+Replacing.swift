import Foundation

extension FileOperations {
  /// Replaces a file's content in one step, and keeps the old content under another name.
  ///
  /// At each step, either the old or the new content is there, whole, under the file's own name. The other name gets the
  /// old content only when the file has the new one: a write that fails before, or a process that is killed, leaves
  /// there what was there.
  ///
  /// - Parameter kept: returns the path at which to keep the old content.
  func replace(_ paths: FilePaths, with data: Data, limit: Int, keepingAt kept: (FilePaths) throws -> String) throws {
    guard data.count <= limit else { throw FileError.tooLarge(path: paths.file, size: data.count, limit: limit) }
    try makeDirectory(paths.directory)
    let (new, link) = (paths.temporary, paths.temporary)
    do {
      let isKept = try needsKeeping(paths.file, beside: data)
      // A missing file had the permissions of its previous version.
      try create(new, data, like: exists(paths.file) ? paths.file : paths.previous)
      let other = isKept ? try kept(paths) : nil
      if other != nil { try keep(paths.file, as: link) }
      try rename(new, to: paths.file)
      if let other {
        try rename(link, to: other)
        // Renaming a file to another name of the same file does nothing.
        try remove(link)
      }
    } catch {
      for name in [new, link] { try? remove(name) }
      throw error
    }
    try syncDirectory(paths.directory)
  }

  /// Returns an unused name for a damaged file.
  func unusedName(_ paths: FilePaths) throws -> String {
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
