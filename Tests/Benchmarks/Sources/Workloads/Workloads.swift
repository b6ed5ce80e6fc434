/// All of them, in the order of the bars.
package let workloads: [any Workload] = [
  StateChange(), PropertyChange(), TaskCommit(), GuardedTaskCommit(), CancelInFlight(), MergedTasks(),
  ConcatenatedSets(),
  KeptSets(), ConcatenatedTasks(), Sleepers(), RestartedDebounce(), RestartedTimeout(), MadeTimeout(), Timers(),
  Bindings(),
  UntouchedBindings(), ComparisonsOfBindings(), SharedStore(), StoreForEachThread(), StoreLife(), TailRecursion(),
  VirtualTicks(), Schedules(), StoreSchedules(), SchedulesInTurns(), SentActions(), LoggedActions(), KeyedScopes(),
  TrackedReads(), ListedEffects(), CancelledPrefix(), LongestWait(), DeepState(), RingOfStores(), WaitingEffects(),
  FulfilledOrders(),
  FulfilledOrders(isInstrumented: true),
]
