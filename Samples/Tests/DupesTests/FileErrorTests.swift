import SystemPackage
import Testing

@testable import Dupes

@Suite("The error of a file")
struct FileErrorTests {
  @Test("An error is transient if the system is short of something, and not if it refuses")
  func isTransient() {
    for error in [.ioError, .tooManyOpenFiles, .resourceTemporarilyUnavailable, .timedOut] as [Errno] {
      #expect(FileError("/a", .system(error)).isTransient)
    }
    for error in [.permissionDenied, .noSuchFileOrDirectory, .isDirectory, .tooManySymbolicLinkLevels] as [Errno] {
      #expect(!FileError("/a", .system(error)).isTransient)
    }
    #expect(!FileError("/a", .changed).isTransient)
  }

  @Test("A file error names the file and the reason")
  func description() {
    #expect("\(FileError("/a", .changed))" == "/a: changed while it was looked at")
    #expect("\(FileError("/a", .system(.permissionDenied)))" == "/a: Permission denied")
    #expect("\(FileError("/a", CancellationError()))" == "/a: CancellationError()")
  }

  @Test("A file error is not wrapped in another one")
  func nesting() {
    let error = FileError("/a", .changed)
    #expect(FileError("/b", error) == error)
  }
}

@Suite("The order of paths")
struct PathOrderTests {
  @Test("Paths are ordered by their bytes")
  func bytes() {
    let paths: [FilePath] = ["/Z", "/a", "/a/b", "/ab", "/b", "/é"]
    #expect(paths.shuffled().sorted(by: FilePath.precedes) == paths)
    #expect(!FilePath.precedes("/a", "/a"))
  }
}
