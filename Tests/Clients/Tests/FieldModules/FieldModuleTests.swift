// Everything that a service's file may import beside this package's modules.
import AsyncAlgorithms
import AsyncStore
import AsyncStoreActions
import AsyncStorePersistence
import AsyncStoreServices
import AsyncStoreTesting
import Collections
import CoreMetrics
import Foundation
import Instrumentation
import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import Testing
import Tracing
import XCTest

// Module and type share the name `AsyncStore`, so that a type of the core can't be qualified where another module has
// one of the same name. Each public type of all the modules is named here as it is; `.ci/check-clients` sees that none
// is missing.

private struct Note: Model, Identifiable {
  enum Action: Sendable { case rename(String) }

  let id: Int
  var title = ""

  static func update(_ state: inout Note, _ action: Action) -> Effect { .none }
}

@Suite("The names of this package, beside the field's modules")
struct FieldModuleTests {
  @Test("Each public type is named without its module")
  func types() {
    let types: [Any.Type] = [
      // AsyncStore
      AnyAsyncStore.self, AsyncStore<Int, Void>.self, AsyncStoreError.self, BindingGraph.self, CallSite.self,
      CombinedInstrument.self,
      EffectAttempt.self, EffectDescription.self,
      EffectHandle.self, EffectID.self, EffectKind.self, EffectNode.self, EffectOutcome.self, EffectRecord.self,
      EffectOrigin.self, EffectWait.self, EventKinds.self,
      IdentifierPolicy.self, InFlight.self, InFlightEffect.self, InstrumentEvent.self,
      InstrumentInterests.self, RaceGoal.self,
      RetrySchedule.self,
      SplitMix64.self, StoreIdentity.self, OperationBody.self, (any StoreInstrument).self, StorePhase.self,
      StreamStrategy.self,
      ThrottleEdges.self,
      TimerTick.self, TraceRecorder.self,
      ValueBuffering.self, WaitGraph.self,
      // AsyncStoreActions
      ActionCase<Int, Int>.self, ActionFunction<Int, Int>.self, ActionLog<Note>.self,
      ActionLogError.self, ActionUpdate<Note>.self, ChildStore<Int, Void>.self, CommittedAction<Note>.self,
      (any EnvironmentDependent).self, (any Keyed<Int, Note>).self, Middleware<Note>.self, MiddlewareInstallation.self,
      (any Model).self,
      OrderedState<Note>.self, Part<Note, String>.self, Reducer<Int, Int, Void>.self, Scope<Note, Int>.self,
      StateTransaction<Int, Void>.self, StoreBinding<Int>.self, StoreOf<Note>.self, TransactionDraft<Int, Void>.self,
      TransactionError.self,
      TransactionGraph<Int, Void>.self, TransactionGraphRun.self, TransactionPacing.self, TransactionReport.self,
      TransactionRun.self, TransactionStatus.self, UndoHistory<Int>.self,
      // AsyncStoreServices
      BoundedValues<Int, Void, Int>.self, LogInstrument.self, MetricsInstrument.self, RequestScope<Int, Void>.self,
      ServiceHealth.self, StoreHealth.self, StoreService.self, StoreServiceError.self, StoreShutdown.self,
      TracingInstrument.self,
      // AsyncStorePersistence
      FileStorage.self, JSONChange.self, JSONNumber.self, JSONPatch.self, JSONPatchError.self, JSONPointer.self,
      JSONString.self, JSONValue.self, Migration.self, NotificationSaving.self, Persistence.self, PersistenceError.self,
      PropertyChange<Int>.self, SavingSchedule.self, StateDiff<Int>.self,
      (any Storage).self, StorageLock.self,
      // AsyncStoreTesting
      ClockSkew.self, HostClock.self, HostStorage.self, NetworkConditions.self, SimulatedNetwork<Int>.self,
      EffectPattern.self, ExpectedEvent.self, Exploration.self, ExplorationReport.self, Faults.self, Laws.self,
      Schedule.self,
      SeededRandom.self, InjectedFailure.self, Simulation.self, SimulationFailure.self, SimulationLimits.self,
      SimulationTrait.self, TestClock.self, TestStore<Int, Void>.self, TestStoreExhaustivity.self,
    ]
    #expect(Set(types.map { ObjectIdentifier($0) }).count == types.count)
  }

  @Test("The free functions are called without their module")
  func functions() async throws {
    let count = try await simulate { simulation in
      let store = simulation.store(0, env: ())
      await store.run(.concatenate(.sleep(.seconds(3600)), .set(\.self, to: 1)))
      return store.state
    }
    #expect(count == 1)
    let report = try await explore(.exhaustive()) { _ in }
    #expect(report.scheduleCount == 1)
  }
}
