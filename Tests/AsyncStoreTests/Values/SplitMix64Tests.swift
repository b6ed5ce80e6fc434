import AsyncStore
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
  @Test("SplitMix64 gives the published sequence for seed 1234567")
  func publishedSequence() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in generator.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }
}
