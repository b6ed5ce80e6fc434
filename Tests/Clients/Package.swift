// swift-tools-version: 6.2
import PackageDescription

/// Returns a target with the same program, in one of the modes that projects use.
func client(_ name: String, _ settings: [SwiftSetting]) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      .product(name: "AsyncStore", package: "AsyncStore"), .product(name: "AsyncStoreActions", package: "AsyncStore"),
    ],
    swiftSettings: settings)
}

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncStore", path: "../..", traits: [.defaults, "Services"]),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    client("MainActorByDefault", [.defaultIsolation(MainActor.self)]),
    client("NonsendingByDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    client(
      "ApproachableConcurrency",
      [
        .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
      ]),
    client("Swift5", [.swiftLanguageMode(.v5), .enableUpcomingFeature("InferSendableFromCaptures")]),
    .testTarget(
      name: "FieldModules",
      dependencies: [
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "AsyncStoreActions", package: "AsyncStore"),
        .product(name: "AsyncStorePersistence", package: "AsyncStore"),
        .product(name: "AsyncStoreServices", package: "AsyncStore"),
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Collections", package: "swift-collections"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
