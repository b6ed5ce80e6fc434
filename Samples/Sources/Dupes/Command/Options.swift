import ArgumentParser
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of the command line.
struct Options: ParsableArguments {
  @Argument(help: ArgumentHelp("Folders to search, and files to compare with what is in them.", valueName: "path"))
  var paths: [String]

  @Option(help: "Leave out smaller files. Units are K, M, G and T, by 1024.")
  var minimumSize = ByteCount(bytes: 1)

  @Option(help: "Read this many files or folders at once.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Stay on the file systems of the paths; leave out what is mounted below.")
  var oneFileSystem = false

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    guard (1...256).contains(jobs) else {
      throw ValidationError("The value of '--jobs' must be from 1 to 256, and is \(jobs).")
    }
  }

  var filePaths: [FilePath] { paths.map { FilePath($0) } }

  var searchOptions: SearchOptions {
    var options = SearchOptions()
    options.minimumSize = minimumSize.bytes
    options.isOneFileSystem = oneFileSystem
    options.jobs = jobs
    return options
  }
}
