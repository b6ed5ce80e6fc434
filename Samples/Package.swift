// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Samples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "HostWatch",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .testTarget(name: "HostWatchTests", dependencies: ["HostWatch"]),
  ],
  swiftLanguageModes: [.v6]
)
