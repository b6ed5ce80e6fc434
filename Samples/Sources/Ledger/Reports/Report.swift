/// An answer as text for people and as JSON for programs.
protocol Report: Encodable {
  /// The answer in lines, the last one with its line break.
  var text: String { get }
}
