// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncStore", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "compare",
      dependencies: [
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "AsyncStoreActions", package: "AsyncStore"),
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        "ProcessUse",
      ],
      path: "Sources/Compare"),
    .target(name: "ProcessUse"),
  ],
  swiftLanguageModes: [.v6]
)
