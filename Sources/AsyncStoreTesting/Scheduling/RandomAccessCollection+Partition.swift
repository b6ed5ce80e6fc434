extension RandomAccessCollection {
  /// Returns the number of elements that come first, by a condition that none meets behind one that does not.
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
