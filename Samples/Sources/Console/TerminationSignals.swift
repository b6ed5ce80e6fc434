import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The signals that ask the process to end, as a sequence: Ctrl-C (`SIGINT`) and the polite `kill` (`SIGTERM`).
package final class TerminationSignals {
  package let stream: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals over, until ``stop()``.
  package init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    sources = [SIGINT, SIGTERM].map { number in
      // Without this the signal's default action ends the process before the source sees it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.setCancelHandler { continuation.finish() }
      source.activate()
      return source
    }
  }

  /// Gives the signals their default actions back and ends the sequence.
  package func stop() {
    sources.forEach { $0.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
