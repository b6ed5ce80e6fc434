import Console

extension Meter {
  /// Returns the meter in one line of text.
  ///
  /// - Parameter barWidth: the length of the bar; zero for none.
  func line(barWidth: Int) -> String {
    var parts = [progress.title]
    if let share {
      if barWidth > 0 { parts.append(Bar.draw(share, width: barWidth)) }
      parts.append(Units.percentage(share))
    }
    parts.append(progress.amounts)
    if let rate { parts.append(progress.phase == .comparingContents ? Units.rate(rate) : "\(Int(rate)) files/s") }
    if let timeLeft { parts.append("\(timeLeft.text) left") }
    if progress.problems > 0 { parts.append("\(progress.problems) could not be read") }
    return parts.joined(separator: "  ")
  }
}

extension Progress {
  /// The current work, for people.
  var title: String {
    switch phase {
    case .walking: "Looking for files"
    case .comparingBeginnings: "Comparing beginnings"
    case .comparingContents: "Comparing contents"
    case .finished: "Finished"
    }
  }

  /// The amount of work that is done, for people.
  var amounts: String {
    switch phase {
    case .walking: "\(found.files) files in \(folders) folders, \(Units.bytes(UInt64(found.bytes)))"
    case .comparingBeginnings: "\(done.files) of \(total.files) files"
    case .comparingContents:
      "\(done.files) of \(total.files) files, \(Units.bytes(UInt64(done.bytes))) of \(Units.bytes(UInt64(total.bytes)))"
    case .finished: "\(found.files) files in \(folders) folders"
    }
  }
}

extension Duration {
  /// The duration as a clock shows it: `1:05`, `2:00:00`.
  var text: String {
    let seconds = Int((self / .seconds(1)).rounded(.up))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let pad = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
    return hours > 0 ? "\(hours):\(pad(minutes)):\(pad(seconds % 60))" : "\(minutes):\(pad(seconds % 60))"
  }
}
