// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Orders",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "orders", targets: ["OrdersMain"])],
  dependencies: [
    .package(name: "AsyncStore", path: "../..", traits: [.defaults, "Services"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(name: "OrdersMain", dependencies: ["Orders"]),
    .target(
      name: "Orders",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "AsyncStorePersistence", package: "AsyncStore"),
        .product(name: "AsyncStoreServices", package: "AsyncStore"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Page")]),
    // Stores and actors side by side, behind the same server; needs wrk.
    .executableTarget(
      name: "OrdersBenchmark",
      dependencies: [
        "Orders",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncStore", package: "AsyncStore"),
        .product(name: "AsyncStoreServices", package: "AsyncStore"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "OrdersTests",
      dependencies: [
        "Orders", "OrdersMain",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "AsyncStoreTesting", package: "AsyncStore"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
}
