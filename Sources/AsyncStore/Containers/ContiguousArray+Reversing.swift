extension ContiguousArray {
  /// Reverses the elements from an index on, in place and without counting a reference.
  ///
  /// `self[first...].reverse()` would copy them all, because the slice holds the array too.
  mutating func reverseByMoving(from first: Int = 0) {
    guard count > first + 1 else { return }
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      for index in 0..<(elements.count - first) / 2 {
        let (front, back) = (start + first + index, start + (elements.count - 1 - index))
        let element = front.move()
        front.moveInitialize(from: back, count: 1)
        back.initialize(to: element)
      }
    }
  }
}
