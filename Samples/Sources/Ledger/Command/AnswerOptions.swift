import ArgumentParser

/// The form of an answer.
struct AnswerOptions: ParsableArguments {
  @Flag(help: "Answer with a JSON object.")
  var json = false

  func text(of report: some Report) throws -> String { try json ? StandardStreams.json(report) : report.text }
}
