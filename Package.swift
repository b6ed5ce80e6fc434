// swift-tools-version: 6.2
import PackageDescription

/// Returns a product that the module for services alone needs.
func service(_ product: String, in package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Services"]))
}

let package = Package(
  name: "AsyncStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "AsyncStore", targets: ["AsyncStore"]),
    .library(name: "AsyncStoreActions", targets: ["AsyncStoreActions"]),
    .library(name: "AsyncStorePersistence", targets: ["AsyncStorePersistence"]),
    .library(name: "AsyncStoreServices", targets: ["AsyncStoreServices"]),
    .library(name: "AsyncStoreTesting", targets: ["AsyncStoreTesting"]),
  ],
  // A client without traits, `traits: []`, fetches nothing.
  traits: [
    .default(enabledTraits: ["Actions", "Testing"]),
    .trait(name: "Actions", description: "AsyncStoreActions' ordered collection, on that of swift-collections."),
    .trait(name: "Testing", description: "AsyncStoreTesting's test store, with its readable differences."),
    .trait(name: "Services", description: "AsyncStoreServices: lifecycle, logs, metrics and spans of a server."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(name: "AsyncStore", dependencies: ["CAsyncStore"]),
    .target(name: "CAsyncStore"),
    .target(
      name: "AsyncStoreActions",
      dependencies: [
        "AsyncStore",
        .product(name: "OrderedCollections", package: "swift-collections", condition: .when(traits: ["Actions"])),
      ]),
    .target(
      name: "AsyncStorePersistence", dependencies: ["AsyncStore", "AsyncStoreActions", "CAsyncStorePersistence"]),
    .target(name: "CAsyncStorePersistence"),
    // Empty without its trait.
    .target(
      name: "AsyncStoreServices",
      dependencies: [
        "AsyncStore",
        service("Logging", in: "swift-log"),
        service("CoreMetrics", in: "swift-metrics"),
        service("ServiceLifecycle", in: "swift-service-lifecycle"),
        service("Tracing", in: "swift-distributed-tracing"),
      ]),
    .target(
      name: "AsyncStoreTesting",
      dependencies: [
        "AsyncStore", "CAsyncStoreTesting",
        .product(
          name: "CustomDump", package: "swift-custom-dump", condition: .when(traits: ["Testing"])),
        .product(
          name: "IssueReporting", package: "xctest-dynamic-overlay", condition: .when(traits: ["Testing"])),
        // Elsewhere it finds the test frameworks by itself.
        .product(
          name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay",
          condition: .when(platforms: [.linux], traits: ["Testing"])),
      ]),
    .target(name: "CAsyncStoreTesting"),
    .testTarget(name: "AsyncStoreTests", dependencies: ["AsyncStore", "AsyncStoreTesting"]),
    .testTarget(name: "AsyncStoreActionsTests", dependencies: ["AsyncStoreActions", "AsyncStoreTesting"]),
    .testTarget(
      name: "AsyncStorePersistenceTests",
      dependencies: ["AsyncStorePersistence", "AsyncStoreTesting", "SavedCounter", "SavingProcess"]),
    .testTarget(
      name: "AsyncStoreServicesTests",
      dependencies: [
        "AsyncStoreServices", "AsyncStoreTesting",
        service("InMemoryLogging", in: "swift-log"),
        service("InMemoryTracing", in: "swift-distributed-tracing"),
        service("MetricsTestKit", in: "swift-metrics"),
        service("ServiceLifecycleTestKit", in: "swift-service-lifecycle"),
      ]),
    .testTarget(name: "AsyncStoreTestingTests", dependencies: ["AsyncStoreTesting"]),
    // Saves until it is killed.
    .executableTarget(
      name: "SavingProcess", dependencies: ["AsyncStorePersistence", "SavedCounter"], path: "Tests/SavingProcess"),
    .target(name: "SavedCounter", path: "Tests/SavedCounter"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "AsyncStore", "AsyncStoreActions", "AsyncStorePersistence", "AsyncStoreServices", "AsyncStoreTesting",
        service("InMemoryLogging", in: "swift-log"),
        service("InMemoryTracing", in: "swift-distributed-tracing"),
        service("MetricsTestKit", in: "swift-metrics"),
        service("ServiceLifecycle", in: "swift-service-lifecycle"),
      ]),
  ]
)

// For builds that are made for the tests of the core alone: optimised, or under a sanitizer.
if Context.environment["ASYNCSTORE_TARGETS"] == "core" {
  let core: Set = [
    "AsyncStore", "CAsyncStore", "AsyncStoreTesting", "CAsyncStoreTesting", "AsyncStoreTests", "AsyncStoreTestingTests",
  ]
  package.products.removeAll { !core.contains($0.name) }
  package.targets.removeAll { !core.contains($0.name) }
  // Folders and files below `Tests`: the others are not compiled.
  if let tests = Context.environment["ASYNCSTORE_TESTS"]?.split(separator: " ") {
    for target in package.targets where target.isTest {
      let folder = target.name + "/"
      target.sources = tests.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
    }
  }
}

// A warning is a defect, and each file of the sources imports what it uses. Clients that depend on the package don't
// see these settings.
for target in package.targets {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
  if !target.isTest { target.swiftSettings?.append(.enableUpcomingFeature("MemberImportVisibility")) }
}
