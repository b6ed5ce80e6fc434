import Testing

/// Checks what the standard library promises of every random access collection, against an array with the same
/// elements.
func expectCollectionLaws<Elements: RandomAccessCollection>(
  of elements: Elements, equalTo model: [Elements.Element], sourceLocation: SourceLocation = #_sourceLocation
) where Elements.Element: Equatable {
  #expect(elements.count == model.count, sourceLocation: sourceLocation)
  #expect(elements.isEmpty == model.isEmpty, sourceLocation: sourceLocation)
  #expect(Array(elements) == model, "by its iterator", sourceLocation: sourceLocation)
  #expect(elements.reversed() == model.reversed(), "backwards", sourceLocation: sourceLocation)
  #expect(elements.first == model.first && elements.last == model.last, sourceLocation: sourceLocation)
  #expect(elements.underestimatedCount <= model.count, sourceLocation: sourceLocation)

  var forwards: [Elements.Index] = []
  var index = elements.startIndex
  while index != elements.endIndex {
    #expect(elements[index] == model[forwards.count], sourceLocation: sourceLocation)
    forwards.append(index)
    elements.formIndex(after: &index)
  }
  forwards.append(index)
  var backwards: [Elements.Index] = [index]
  while index != elements.startIndex {
    elements.formIndex(before: &index)
    backwards.append(index)
  }
  #expect(forwards == backwards.reversed(), "the walk back is the walk there", sourceLocation: sourceLocation)
  #expect(Array(elements.indices) == forwards.dropLast(), sourceLocation: sourceLocation)

  for (offset, index) in forwards.enumerated() {
    #expect(elements.distance(from: elements.startIndex, to: index) == offset, sourceLocation: sourceLocation)
    for (other, goal) in forwards.enumerated() {
      #expect(elements.distance(from: index, to: goal) == other - offset, sourceLocation: sourceLocation)
      #expect(elements.index(index, offsetBy: other - offset) == goal, sourceLocation: sourceLocation)
      #expect((index < goal) == (offset < other), sourceLocation: sourceLocation)
    }
    #expect(
      elements.index(index, offsetBy: model.count + 1, limitedBy: elements.endIndex) == nil,
      sourceLocation: sourceLocation)
    for (end, limit) in forwards.enumerated() where offset <= end {
      let slice = elements[index..<limit]
      #expect(Array(slice) == Array(model[offset..<end]), sourceLocation: sourceLocation)
      #expect(slice.startIndex == index && slice.endIndex == limit, sourceLocation: sourceLocation)
    }
    #expect(Array(elements.prefix(offset)) == Array(model.prefix(offset)), sourceLocation: sourceLocation)
    #expect(Array(elements.suffix(offset)) == Array(model.suffix(offset)), sourceLocation: sourceLocation)
  }
}
