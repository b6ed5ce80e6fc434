import CAsyncStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The thread functions that the store needs.
@usableFromInline
enum Thread {
  /// The data that the process's stores keep for this thread, to be used only on it.
  @inlinable static var record: UnsafeMutablePointer<ThreadRecord> { currentThreadRecord() }

  /// A number that distinguishes this thread from all other live threads; never 0.
  @inlinable static var current: UInt { UInt(bitPattern: record) }

  /// True if this thread has a store locked, so that the consequences of a call have to be deferred.
  static var hasLockedStore: Bool { record.pointee.lockCount > 0 }

  /// A number that distinguishes the task that runs on this thread from all other live tasks; 0 if there is none.
  static var currentTask: UInt { UInt(bitPattern: swift_task_getCurrent()) }

  /// The object of the task that runs on this thread, in words.
  static var currentTaskWords: UnsafePointer<UInt>? {
    swift_task_getCurrent().map { UnsafePointer($0.assumingMemoryBound(to: UInt.self)) }
  }

  /// The priority that tasks created on this thread inherit, or `nil` outside tasks.
  ///
  /// This is not the current priority, which a task group or a waiter may have raised.
  static var basePriority: UInt8? { swift_task_getCurrent().map { swift_task_basePriority($0) } }

  /// The task that runs on this thread, as a task whose result nobody waits for.
  ///
  /// The standard library gives a task access to itself only in a form that may not be kept. Both forms are one
  /// reference to the task.
  static var runningTask: Task<Void, Never>? {
    swift_task_getCurrent().map { unsafeBitCast($0, to: Task<Void, Never>.self) }
  }

  /// Lets another thread run.
  static func yield() { sched_yield() }

  /// The number of pauses for which a thread waits for a lock before it sleeps.
  ///
  /// None on Apple's platforms, whose locks wait in the way that suits their scheduler.
  #if canImport(Darwin)
    static let spinLimit = 0
  #else
    static let spinLimit = 40
  #endif

  /// Waits for some tenths of a microsecond, and leaves the processor's memory to other threads.
  static func pause() { pauseThread() }

  /// Prints a line to the standard error stream.
  static func warn(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    var start = 0
    bytes.withUnsafeBytes { bytes in
      while start < bytes.count {
        let written = write(2, bytes.baseAddress! + start, bytes.count - start)
        guard written > 0 else { return }
        start += written
      }
    }
  }
}

/// Calls `body`; until it returns, no waiting caller starts an operation on this thread.
///
/// Each operation gets a task of its own, which the executor starts.
package func withoutOperationsOfCallers(_ body: () -> Void) {
  let thread = Thread.record
  let before = thread.pointee.startsNoOperation
  thread.pointee.startsNoOperation = true
  body()
  thread.pointee.startsNoOperation = before
}

/// A thread-local variable: a class reference that is not owned.
struct ThreadVariable<Value: AnyObject>: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    let result = pthread_key_create(&key, nil)
    trap(unless: result == 0, "no more thread-specific keys (error \(result))")
    self.key = key
  }

  /// The value; the code that sets it keeps it alive until it sets `nil` on the same thread.
  var value: Value? {
    get { pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() } }
    nonmutating set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
  }
}
