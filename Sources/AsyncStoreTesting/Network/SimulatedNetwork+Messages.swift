extension SimulatedNetwork {
  /// The messages that arrive at a host, in the order of their arrival.
  ///
  /// They wait here, without a limit, until they are read; of several readers each gets others. A crash ends the
  /// sequence and drops those that were not read.
  ///
  /// **Cancellation.** For a reader whose task is cancelled the sequence ends, and no message is lost with it: another
  /// reader goes on. So a host may wait for an answer with a timeout, and read on.
  public struct Messages: AsyncSequence, Sendable {
    /// The iterator of one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let inbox: Inbox<Envelope>

      /// The next message; `nil` after a crash, when the simulation's body has ended, or if the task is cancelled.
      public func next(isolation actor: isolated (any Actor)?) async -> Envelope? {
        await inbox.next(isolation: actor)
      }
    }

    let inbox: Inbox<Envelope>

    /// A reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }
  }
}
