// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Samples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "hostwatch", targets: ["HostWatchMain"]),
    .executable(name: "dupes", targets: ["DupesMain"]),
    .executable(name: "ledger", targets: ["LedgerMain"]),
  ],
  dependencies: [
    .package(name: "AsyncStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    // Not called `hostwatch`, as its product is: on a file system that ignores case, that folder and HostWatch are one.
    .executableTarget(name: "HostWatchMain", dependencies: ["HostWatch"]),
    .target(
      name: "HostWatch",
      dependencies: [
        "Console",
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .testTarget(
      name: "HostWatchTests",
      dependencies: [
        "HostWatch",
        "Console",
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
      ]
    ),

    .executableTarget(name: "DupesMain", dependencies: ["Dupes"]),
    .target(
      name: "Dupes",
      dependencies: [
        "Console",
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        // SHA-256 in assembly: as fast in a debug build as in any.
        .product(name: "Crypto", package: "swift-crypto"),
        // Paths as the bytes that they are; not every file's name is text.
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),
    .testTarget(
      name: "DupesTests",
      dependencies: [
        "Dupes", "Console",
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),

    // Shared by the programs: the terminal, signals, drawings in text.
    .target(name: "Console"),
    .testTarget(name: "ConsoleTests", dependencies: ["Console"]),

    .executableTarget(name: "LedgerMain", dependencies: ["Ledger"]),
    .target(
      name: "Ledger",
      dependencies: [
        .product(name: "AsyncStoreActions", package: "AsyncStore"),
        .product(name: "AsyncStorePersistence", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // The program is run by the tests, and so has to be built for them.
    .testTarget(name: "LedgerTests", dependencies: ["Ledger", "LedgerMain"], exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
