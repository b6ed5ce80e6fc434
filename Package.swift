// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AsyncStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "AsyncStore", targets: ["AsyncStore"])
  ],
  targets: [
    .target(name: "AsyncStore"),
    .testTarget(name: "AsyncStoreTests", dependencies: ["AsyncStore"]),
    .testTarget(name: "DocumentationTests", dependencies: ["AsyncStore"]),
  ]
)

// A warning is a defect. Clients that depend on the package don't see this setting.
for target in package.targets {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
}
