/// An answer that can be read, and be taken on by programs as JSON.
protocol Report: Encodable {
  /// The answer in lines, the last one with its line break.
  var text: String { get }
}
