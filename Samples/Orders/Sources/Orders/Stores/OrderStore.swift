import AsyncStore
import AsyncStorePersistence
import Logging

/// The store in which orders are fulfilled.
typealias OrderStore = AsyncStore<OrderBook, Fulfilment>
/// The store of the goods.
typealias StockStore = AsyncStore<Stock, Void>
/// The store of the money.
typealias TillStore = AsyncStore<Till, Void>

/// The environment of the orders: the partners, the other stores, and the rules.
struct Fulfilment: Sendable {
  let partners: Partners
  let stock: StockStore
  let till: TillStore
  var rules = Rules()
  var logger = Logger(label: "orders")

  /// The rules by which partners are called.
  struct Rules: Sendable {
    /// The time after which an attempt has failed.
    var timeout: Duration = .milliseconds(400)
    /// The attempts at something new.
    var attempts: RetrySchedule = .exponential(first: .milliseconds(20)).capped(at: .milliseconds(200)).jittered(
      by: 0.5
    )
    .limitedTo(attempts: 4)
    /// The attempts at taking something back.
    var undoing: RetrySchedule = .exponential(first: .milliseconds(20)).capped(at: .milliseconds(500)).jittered(by: 0.5)
      .limitedTo(attempts: 12)
    /// The calls that a partner takes at once, those that take something back included; others wait.
    var callsAtOnce = 64
  }
}

extension OrderStore {
  /// Keeps the orders in a storage, and tells the log when that fails.
  func persist(in storage: any Storage, _ logger: Logger) throws -> Persistence {
    try persist(
      \.self, in: storage, saving: .throttle(for: .seconds(1)),
      onFailure: { error in
        logger.error("The orders are not saved; it will be tried again.", metadata: ["error": "\(error)"])
        return .none
      },
      onFinalFailure: { logger.critical("The last orders are not saved.", metadata: ["error": "\($0)"]) })
  }
}

extension OrderStore.Effect {
  /// Fulfils an order, or undoes what has happened of it: if a step fails for good, and if it is cancelled.
  ///
  /// Each undo is recorded before its step, because a step that is cancelled or times out may have succeeded at the
  /// partner's all the same.
  ///
  /// - Parameters:
  ///   - isReopened: true for an order of a process that has ended. Any of its steps may have happened then, so all
  ///     undos are recorded before the first one.
  ///   - next: returns the effect that follows when the order has ended; by default none.
  static func fulfil(
    _ order: Order, _ fulfilment: Fulfilment, isReopened: Bool = false,
    then next: @escaping @Sendable (Order) -> Self = { _ in .none }
  ) -> Self {
    let (stock, till, rules) = (fulfilment.stock, fulfilment.till, fulfilment.rules)
    func recorded(_ undo: PartnerCall) -> Self {
      isReopened ? .none : .none.compensate(with: .undo(undo, order, rules))
    }
    return .sequence(
      .set { $0.accept(order) }.compensate(with: .close(order, as: .undone, then: next)),
      isReopened ? .none.compensate(with: .undoAll(order, rules)) : .none,
      recorded(.release),
      .call(.reserve, order, rules),
      .lift(.set { $0.take(order) }, to: stock).compensate(with: .lift(.set { $0.giveBack(order) }, to: stock)),
      .set { $0.advance(order.id, to: .charging) },
      recorded(.refund),
      .call(.charge, order, rules),
      .lift(.set { $0.capture(order) }, to: till).compensate(with: .lift(.set { $0.refund(order) }, to: till)),
      .set { $0.advance(order.id, to: .shipping) },
      recorded(.recall),
      .call(.ship, order, rules),
      .close(order, as: .done, then: next)
    )
    // The errors of the calls have been noted with the order.
    .recover { _ in .none }
  }

  /// Takes back what may have happened of an order that was being given up when the process ended.
  ///
  /// The stock and the till don't know of it: they begin with what the book has as done. It is a cleanup, as it is
  /// where an order fails, so that no second cancel ends it.
  static func undo(_ order: Order, _ rules: Fulfilment.Rules) -> Self {
    .none.finally(.concatenate(.undoAll(order, rules), .close(order, as: .undone)))
  }

  private static func undoAll(_ order: Order, _ rules: Fulfilment.Rules) -> Self {
    .concatenate(.undo(.recall, order, rules), .undo(.refund, order, rules), .undo(.release, order, rules))
  }

  private static func close(
    _ order: Order, as stage: Order.Stage, then next: @escaping @Sendable (Order) -> Self = { _ in .none }
  ) -> Self {
    .update { book in book.close(order.id, as: stage).map(next) ?? .none }
  }

  /// Calls a partner: each attempt with a limit in time, again if it may work then.
  private static func call(_ call: PartnerCall, _ order: Order, _ rules: Fulfilment.Rules) -> Self {
    attempt(call, order, rules)
      .retry(rules.attempts) { ($0 as? PartnerError)?.isTransient ?? false }
      .inTurn(at: call.partner, rules)
      .recover { error in
        .concatenate(.set { $0.note("\(error)", of: order.id) }, .task { throw error })
      }
  }

  /// Takes back what a call has done, if it has done something.
  ///
  /// The book has the order as given up first, so that a restart does not fulfil it after all.
  private static func undo(_ call: PartnerCall, _ order: Order, _ rules: Fulfilment.Rules) -> Self {
    .concatenate(
      .set { $0.giveUp(order.id) },
      attempt(call, order, rules).inTurn(at: call.partner, rules).retry(rules.undoing).recover { error in
        .concatenate(
          .set { book in
            book.note("\(error)", of: order.id)
            book.advance(order.id, to: .stuck)
          },
          // The book forgets it when it is closed, and somebody has to look.
          .perform { fulfilment in
            fulfilment.logger.error(
              "An order is stuck.", metadata: ["order": "\(order)", "call": "\(call)", "error": "\(error)"])
            return .none
          })
      })
  }

  /// Waits for a place among the calls that the partner takes at once.
  private func inTurn(at partner: String, _ rules: Fulfilment.Rules) -> Self {
    id(EffectID.calls(at: partner), .atMost(rules.callsAtOnce))
  }

  private static func attempt(_ call: PartnerCall, _ order: Order, _ rules: Fulfilment.Rules) -> Self {
    Self.perform { fulfilment in
      try await fulfilment.partners.call(call, order)
      return .none
    }
    .timeout(rules.timeout, else: .task { throw PartnerError.timedOut(call.partner) })
    .label(call.rawValue)
  }
}

extension EffectID {
  /// The identifier of all calls at a partner.
  static func calls(at partner: String) -> EffectID { EffectID("calls").appending(partner) }
}
