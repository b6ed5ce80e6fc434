extension RandomAccessCollection {
  /// Returns the number of elements that satisfy a condition; all of them must precede those that do not.
  ///
  /// - Complexity: logarithmic in the number of elements.
  func countOfFirst(where comesFirst: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if comesFirst(self[index(startIndex, offsetBy: middle)]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
