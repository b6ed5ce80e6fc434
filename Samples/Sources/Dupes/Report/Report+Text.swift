import Console

extension Report {
  /// The result for people: the groups, and a summary.
  var text: String {
    let groups = groups.map { group in
      "\(group.paths.count) files of \(Units.bytes(UInt64(group.size))):\n"
        + group.paths.map { "  \($0.printable)\n" }.joined() + "\n"
    }
    return groups.joined() + summary.text
  }
}

extension Report.Summary {
  fileprivate var text: String {
    """
    \(files) files in \(folders) folders, \(Units.bytes(UInt64(bytes))), of which \(Units.bytes(UInt64(bytesRead))) were read.
    \(groups) groups of equal files; without \(duplicates) duplicates \(Units.bytes(UInt64(reclaimable))) would be free.

    """
  }
}
