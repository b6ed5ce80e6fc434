extension ContiguousArray {
  /// Reverses the elements in place without counting a reference.
  mutating func reverseByMoving() {
    guard count > 1 else { return }
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      for index in 0..<elements.count / 2 {
        let (front, back) = (start + index, start + (elements.count - 1 - index))
        let element = front.move()
        front.moveInitialize(from: back, count: 1)
        back.initialize(to: element)
      }
    }
  }
}
