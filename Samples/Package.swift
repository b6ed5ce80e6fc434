// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Samples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "hostwatch", targets: ["HostWatchMain"]),
    .executable(name: "ledger", targets: ["LedgerMain"]),
  ],
  dependencies: [
    .package(name: "AsyncStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
  ],
  targets: [
    // Not called `hostwatch`, as its product is: on a file system that ignores case, that folder and HostWatch are one.
    .executableTarget(name: "HostWatchMain", dependencies: ["HostWatch"]),
    .target(
      name: "HostWatch",
      dependencies: [
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .testTarget(name: "HostWatchTests", dependencies: ["HostWatch"]),
    .executableTarget(name: "LedgerMain", dependencies: ["Ledger"]),
    .target(
      name: "Ledger",
      dependencies: [
        .product(name: "AsyncStoreActions", package: "AsyncStore"),
        .product(name: "AsyncStorePersistence", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ]
    ),
    // The program is run by the tests, and so has to be built for them.
    .testTarget(name: "LedgerTests", dependencies: ["Ledger", "LedgerMain"]),
  ],
  swiftLanguageModes: [.v6]
)
