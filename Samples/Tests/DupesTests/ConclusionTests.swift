import Testing

@testable import Dupes

@Suite("The conclusion")
struct ConclusionTests {
  private static let digest = Digest(of: Array("text".utf8))

  private static var search: Search {
    var search = Search()
    search.progress.folders = 3
    search.progress.found = .init(files: 9, bytes: 8000)
    search.groups = [
      DuplicateGroup(size: 1024, digest: digest, paths: ["/b\n", "/a", "/c"])
    ]
    search.progress.begin(.finished, toRead: .init())
    return search
  }

  private static var withProblem: Search {
    var search = search
    search.note(FileError("/x\u{1B}", .system(.permissionDenied)))
    return search
  }

  @Test("The conclusion for people is text without control characters")
  func text() throws {
    let conclusion = Conclusion(search: Self.search)
    #expect(
      try conclusion.output(json: false) == """
        3 files of 1.0 KiB:
          /a
          /b?
          /c

        9 files in 3 folders, 7.8 KiB, of which 0 B were read.
        1 groups of equal files; without 2 duplicates 2.0 KiB would be free.

        """)
    #expect(conclusion.messages(json: false) == "")
    #expect(conclusion.exitCode == 0)
  }

  @Test("The conclusion for programs is one JSON object with sorted keys")
  func json() throws {
    #expect(
      try Conclusion(search: Self.withProblem).output(json: true) == """
        {"groups":[{"paths":["/a","/b\\n","/c"],"sha256":\
        "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1","size":1024}],\
        "problems":[{"path":"/x\\u001b","reason":"Permission denied"}],\
        "summary":{"bytes":8000,"bytesRead":0,"duplicates":2,"files":9,"folders":3,"groups":1,"reclaimable":2048}}

        """)
  }

  @Test("The conclusion names what could not be read, beside the text or in the JSON")
  func problems() {
    let conclusion = Conclusion(search: Self.withProblem)
    #expect(conclusion.messages(json: false) == "/x?: Permission denied\n")
    #expect(conclusion.messages(json: true) == "")
    #expect(conclusion.exitCode == 1)
  }

  @Test("The conclusion of an interrupted search has no result")
  func interrupted() throws {
    var search = Search()
    search.progress.isInterrupted = true
    search.progress.folders = 4
    let conclusion = Conclusion(search: search)
    #expect(try conclusion.output(json: false) == "")
    #expect(
      conclusion.messages(json: false)
        == "Interrupted. Looking for files: 0 files in 4 folders, 0 B. Nothing was changed.\n")
    #expect(conclusion.exitCode == 130)
  }
}

@Suite("Groups of duplicates")
struct DuplicateGroupTests {
  @Test("Groups of duplicates are ordered by the space that they free, then by their first paths")
  func order() {
    let digest = Digest(of: [])
    let groups = [
      DuplicateGroup(size: 10, digest: digest, paths: ["/z", "/y"]),
      DuplicateGroup(size: 10, digest: digest, paths: ["/b", "/x"]),
      DuplicateGroup(size: 5, digest: digest, paths: ["/1", "/2", "/3", "/4"]),
    ]
    #expect(groups.sorted(by: DuplicateGroup.precedes).map(\.paths[0]) == ["/1", "/b", "/y"])
    #expect(groups.map(\.reclaimable) == [10, 10, 15])
  }
}
