import Foundation
import Testing

@Suite("The guide that finds effects for needs")
struct ChoosingEffectsTests {
  private let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/AsyncStore")

  @Test("The guide that finds effects for needs names every effect, modifier and policy")
  func everyEffectOccurs() throws {
    let guide = try text("AsyncStore.docc/ChoosingEffects.md")
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: "Effect").path)
    let names = try files.filter { $0.hasPrefix("Effect+") && $0 != "Effect+Compatibility.swift" }.flatMap { file in
      try text("Effect/\(file)").matches(of: /public (?:static )?func (\w+)/).map { String($0.1) }
    }
    #expect(names.count > 30)
    for name in Set(names).sorted() { #expect(guide.contains("Effect/\(name)("), "\(name) has no row") }
    let policies = try text("Effect/EffectPolicies.swift").prefix(upTo: "public struct StreamStrategy")
    for policy in policies.matches(of: /public static (?:let|func) (\w+)/) {
      #expect(guide.contains("IdentifierPolicy/\(policy.1)"), "\(policy.1) has no row")
    }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: sources.appending(path: path), encoding: .utf8)
  }
}

extension String {
  /// The text before the first occurrence of a word; all of it where there is none.
  fileprivate func prefix(upTo word: String) -> Substring {
    firstRange(of: word).map { self[..<$0.lowerBound] } ?? self[...]
  }
}
