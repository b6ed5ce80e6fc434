/// The jobs that could run now, in the order in which they became runnable.
typealias RunQueue = Line<RunnableJob>

struct RunnableJob: Sendable {
  let job: UnownedJob
  /// Whether it belongs to the main actor.
  let isMain: Bool
}
