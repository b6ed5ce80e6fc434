import AsyncStorePersistence
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A file with an access list")
struct AccessListTests {
  let folder = Folder()

  private func mode(_ file: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue & 0o777
  }

  @Test(
    "Only the owner has rights to a file whose access list, or the group in it, can't be kept",
    arguments: [(-1, true, 0o600), (44, false, 0o600), (44, true, 0o664), (0, true, 0o664), (0, false, 0o604)])
  func rights(list: Int, keepsGroup: Bool, expected: Int) throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let model = folder.file().path(percentEncoded: false)
    #expect(FileManager.default.createFile(atPath: model, contents: Data()))
    #expect(chmod(model, 0o664) == 0)
    let files = SystemFiles(changeOwner: { _, _, _ in keepsGroup ? 0 : -1 }, copyAccessList: { _, _ in list })
    try files.create(folder.file("copy").path(percentEncoded: false), Data("x".utf8), like: model)
    #expect(try mode(folder.file("copy")) == expected)
  }

  #if canImport(Glibc)
    private static let list = "system.posix_acl_access"

    /// A list by which another user may read and write, and the group may not.
    private static let bytes: [UInt8] = [
      2, 0, 0, 0,
      1, 0, 6, 0, 255, 255, 255, 255,
      2, 0, 6, 0, 254, 255, 0, 0,
      4, 0, 0, 0, 255, 255, 255, 255,
      16, 0, 6, 0, 255, 255, 255, 255,
      32, 0, 0, 0, 255, 255, 255, 255,
    ]

    /// Finds a function that Swift's module of the C library leaves out.
    private static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
      let symbol = try #require(dlsym(nil, name))
      // The types below are those of the functions' declarations.
      return unsafeBitCast(symbol, to: type)
    }

    private static func set(on file: URL) throws -> Bool {
      let call = try function(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32).self)
      return call(file.path(percentEncoded: false), list, bytes, bytes.count, 0) == 0
    }

    private static func get(from file: URL) throws -> [UInt8] {
      let call = try function(
        "getxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int).self)
      var found = [UInt8](repeating: 0, count: 256)
      let count = call(file.path(percentEncoded: false), list, &found, found.count)
      return Array(found.prefix(max(0, count)))
    }

    @Test("A file keeps its access list when it is written again")
    func kept() throws {
      let storage = FileStorage(folder.file())
      try storage.write(Data("one".utf8))
      // Some file systems have no lists.
      guard try Self.set(on: folder.file()) else { return }
      try storage.write(Data("two".utf8))
      #expect(try Self.get(from: folder.file()) == Self.bytes)
      #expect(try Self.get(from: folder.file("state.json.previous")) == Self.bytes)
      #expect(try mode(folder.file()) == 0o660)
    }
  #endif
}
