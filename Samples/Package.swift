// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Samples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "hostwatch", targets: ["HostWatchMain"]),
  ],
  dependencies: [
    .package(name: "AsyncStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
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
    .testTarget(name: "HostWatchTests", dependencies: ["HostWatch", "Console"]),

    // What the programs share: the terminal, signals, drawings in text.
    .target(name: "Console"),
    .testTarget(name: "ConsoleTests", dependencies: ["Console"]),
  ],
  swiftLanguageModes: [.v6]
)
