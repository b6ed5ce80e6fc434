import Synchronization
import Tracing

/// A backend of spans that keeps what a span is told until it ends, and then counts it.
final class CountingTracer: Tracer {
  private let ended = Atomic<Int>(0)

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> CountingSpan { CountingSpan(context: context(), of: self) }

  func end() { ended.add(1, ordering: .relaxed) }

  func forceFlush() {}
  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}
}

final class CountingSpan: Span {
  let context: ServiceContext
  var operationName: String {
    get { "" }
    set {}
  }
  let isRecording = true
  private let tracer: CountingTracer
  private let kept = Mutex(SpanAttributes())

  init(context: ServiceContext, of tracer: CountingTracer) { (self.context, self.tracer) = (context, tracer) }

  var attributes: SpanAttributes {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }

  func setStatus(_ status: SpanStatus) {}
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}
  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { tracer.end() }
}
