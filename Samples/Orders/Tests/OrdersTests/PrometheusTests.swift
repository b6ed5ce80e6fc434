import CoreMetrics
import Testing

@testable import Orders

@Suite("The metrics as Prometheus reads them")
struct PrometheusTests {
  @Test("The metrics text lists series with labels in a fixed order, and the type of each name once")
  func text() {
    let metrics = PrometheusFactory()
    metrics.makeCounter(label: "orders.done", dimensions: [("item", "lamp")]).increment(by: 2)
    metrics.makeCounter(label: "orders.done", dimensions: [("item", "chair")]).increment(by: 1)
    metrics.makeCounter(label: "orders.done", dimensions: [("item", "lamp")]).increment(by: 3)
    metrics.makeTimer(label: "call", dimensions: []).recordNanoseconds(1_500_000_000)
    metrics.makeMeter(label: "open", dimensions: []).set(7.0)
    #expect(
      metrics.text == """
        # TYPE call_seconds summary
        call_seconds_count 1
        call_seconds_sum 1.5
        # TYPE open gauge
        open 7.0
        # TYPE orders_done counter
        orders_done{item="chair"} 1.0
        orders_done{item="lamp"} 5.0

        """)
  }

  @Test("The metrics text escapes the values of labels")
  func escaping() {
    let metrics = PrometheusFactory()
    metrics.makeCounter(label: "a", dimensions: [("b", "c\"d\\e\nf")]).increment(by: 1)
    #expect(metrics.text.contains(#"a{b="c\"d\\e\nf"} 1.0"#))
    // Characters of two scalars each.
    metrics.makeCounter(label: "a", dimensions: [("b", "\r\n\"\u{301}")]).increment(by: 1)
    #expect(metrics.text.contains("a{b=\"\r\\n\\\"\u{301}\"} 1.0"))
  }
}
