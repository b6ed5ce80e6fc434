#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The result of a search, in the form of its JSON.
struct Report: Equatable, Encodable {
  struct Group: Equatable, Encodable {
    var size: Int
    var sha256: String
    var paths: [String]
  }

  struct Problem: Equatable, Encodable {
    var path: String
    var reason: String
  }

  struct Summary: Equatable, Encodable {
    var folders: Int
    var files: Int
    var bytes: Int
    var bytesRead: Int
    var groups: Int
    /// Files that could be deleted: all but one of each group.
    var duplicates: Int
    /// The number of bytes that this would free.
    var reclaimable: Int
  }

  var groups: [Group]
  var problems: [Problem]
  var summary: Summary

  init(_ search: Search) {
    groups = search.groups.map {
      Group(size: $0.size, sha256: $0.digest.hexadecimal, paths: $0.paths.map(\.text))
    }
    problems = search.errors.map { Problem(path: $0.path.text, reason: $0.reason) }
    summary = Summary(
      folders: search.progress.folders,
      files: search.progress.found.files,
      bytes: search.progress.found.bytes,
      bytesRead: search.progress.bytesRead,
      groups: search.groups.count,
      duplicates: search.groups.reduce(0) { $0 + $1.paths.count - 1 },
      reclaimable: search.groups.reduce(0) { $0 + $1.reclaimable }
    )
  }

  /// Returns one JSON object with sorted keys.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
