/// Formats a program as Swift code that makes it, to be pasted into a test.
extension StoreProgram: CustomStringConvertible {
  var description: String {
    var parts: [String] = []
    if !instrumented.isEmpty { parts.append("  instrumented: \(list(instrumented))") }
    if !hooks.isEmpty {
      parts.append("  hooks: [\n    " + hooks.map(\.description).joined(separator: ",\n    ") + "\n  ]")
    }
    parts.append("  steps: [\n    " + steps.map(\.description).joined(separator: ",\n    ") + "\n  ]")
    return "StoreProgram(\n" + parts.joined(separator: ",\n") + ")"
  }
}

private func list(_ items: [some CustomStringConvertible]) -> String {
  "[" + items.map(\.description).joined(separator: ", ") + "]"
}

/// Formats an argument, or returns nothing if the argument is the default.
private func argument(_ label: String, _ items: [ProgramAction]) -> String {
  items.isEmpty ? "" : ", \(label): \(list(items))"
}

extension StoreName: CustomStringConvertible {
  var description: String { [".a", ".b", ".c"][rawValue] }
}

extension ProgramCell: CustomStringConvertible {
  var description: String { [".x", ".y"][rawValue] }
}

extension ProgramEffect: CustomStringConvertible {
  var description: String {
    switch self {
    case .none: ".none"
    case .set(let cell): ".set(\(cell))"
    case .long: ".long"
    case .push: ".push"
    case .pop: ".pop"
    case .concatenate(let members): ".concatenate(\(list(members)))"
    case .merge(let members): ".merge(\(list(members)))"
    case .task(let operation): ".task(\(operation))"
    case .sleep(let span): ".sleep(\(span))"
    case .timer(let id, let span, let body): ".timer(\(id), every: \(span), \(body))"
    case .id(let id, let body, .replace): ".id(\(id), \(body))"
    case .id(let id, let body, let policy): ".id(\(id), \(body), policy: .\(policy))"
    case .cancel(let id): ".cancel(\(id))"
    case .lift(let store, let body): ".lift(\(store), \(body))"
    case .deepLift(let store, let depth, let body): ".deepLift(\(store), depth: \(depth), \(body))"
    case .deepTasks(let depth): ".deepTasks(\(depth))"
    case .finally(let body, let cleanup): ".finally(\(body), \(cleanup))"
    case .sequence(let members, let undo): ".sequence(\(list(members)), undo: \(undo))"
    case .race(let members): ".race(\(list(members)))"
    case .timeout(let span, let body): ".timeout(\(span), \(body))"
    case .recover(let body, let answer, let actions): ".recover(\(body), answer: \(answer)\(argument("then", actions)))"
    }
  }
}

extension ProgramOperation: CustomStringConvertible {
  var description: String {
    var parts: [String] = []
    if !waits { parts.append("waits: false") }
    if obeys { parts.append("obeys: true") }
    switch end {
    case .returns(.none): break
    case .returns(let effect): parts.append("end: .returns(\(effect))")
    case .fails: parts.append("end: .fails")
    }
    if !body.isEmpty { parts.append("body: \(list(body))") }
    if !onCancel.isEmpty { parts.append("onCancel: \(list(onCancel))") }
    return ".init(\(parts.joined(separator: ", ")))"
  }
}

extension ProgramAction: CustomStringConvertible {
  var description: String {
    switch self {
    case .receive(let store, let effect): ".receive(\(store), \(effect))"
    case .cancel(let store, let id): ".cancel(\(store), \(id))"
    case .cancelHandle(let index): ".cancelHandle(\(index))"
    case .deactivate(let store): ".deactivate(\(store))"
    case .shutdown(let store, let drain, let cleanup): ".shutdown(\(store), drain: \(drain), cleanup: \(cleanup))"
    case .activate(let store): ".activate(\(store))"
    case .bind(let binding): ".bind(\(binding))"
    case .track(let store, let cell, let actions, let onChange):
      ".track(\(store), \(cell)\(argument("then", actions))\(argument("onChange", onChange)))"
    case .trackElement(let store, let index): ".trackElement(\(store), \(index))"
    case .wait(let store, let cell, let remainder, let actions):
      ".wait(\(store), \(cell), remainder: \(remainder)\(argument("then", actions)))"
    case .waitForElement(let store, let index): ".waitForElement(\(store), \(index))"
    case .finish(let index): ".finish(\(index))"
    case .advance(let span): ".advance(\(span))"
    }
  }
}

extension ProgramBinding: CustomStringConvertible {
  var description: String {
    let kind = kind == .copy ? "" : ", kind: .maximum"
    let at = at == 0 ? "" : ", at: \(at)"
    let effect = effect == .none ? "" : ", effect: \(effect)"
    return ".init(id: \(id), down: \(down), up: \(up), cell: \(cell)\(kind)\(at)\(argument("then", then))\(effect))"
  }
}

extension ProgramHook: CustomStringConvertible {
  var description: String { ".init(place: .\(place), store: \(store), at: \(at), then: \(list(then)))" }
}
