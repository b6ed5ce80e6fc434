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
      dependencies: ["Client", "Workloads", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Sources/Compare"),
    .executableTarget(
      name: "count", dependencies: ["Client", "Workloads", "InstructionCounter", "SingleThread"], path: "Sources/Count"),
    .executableTarget(
      name: "minimal", dependencies: [.product(name: "AsyncStore", package: "AsyncStore")], path: "Sources/Minimal"),
    .executableTarget(name: "minimal-by-hand", path: "Sources/MinimalByHand"),
    .target(name: "Client", dependencies: ["Workloads", .product(name: "AsyncStore", package: "AsyncStore")]),
    .target(
      name: "Workloads",
      dependencies: [
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "AsyncStoreActions", package: "AsyncStore"),
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
        "InstructionCounter", "ProcessUse",
      ]),
    .target(name: "InstructionCounter"),
    .target(name: "ProcessUse"),
    .target(name: "SingleThread"),
  ],
  swiftLanguageModes: [.v6]
)
