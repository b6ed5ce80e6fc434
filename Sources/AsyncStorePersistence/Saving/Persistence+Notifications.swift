import Foundation

extension Persistence {
  /// Saves the state whenever a notification is posted, before whoever posts it goes on.
  ///
  /// Use it for an app that goes to the background, where it may be ended without another word:
  /// `persistence.save(on: UIApplication.didEnterBackgroundNotification)`. A scheduled save might come too late.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// let file = FileStorage(folder.appending(path: "tally.state"))
  /// let tally = AsyncStore(state: Tally(), env: ())
  /// let persistence = try tally.persist(\.self, in: file, saving: .onDemand)
  /// let ending = Notification.Name("ending")
  /// let saving = persistence.save(on: ending)
  /// tally.send(.add(3))
  /// NotificationCenter.default.post(name: ending, object: nil)
  /// saving.stop()
  /// persistence.stop()
  /// let restored = AsyncStore(state: Tally(), env: ())
  /// try restored.persist(\.self, in: file)
  /// // restored.count == 3
  /// ```
  ///
  /// - Parameters:
  ///   - name: the notification; of whichever object.
  ///   - center: where it is posted.
  ///   - onFailure: is given the error of a save that fails; by default nothing more is done than to keep it in
  ///     ``lastFailure``. It runs, as the save does, on the thread that posts the notification.
  /// - Returns: what ends it; it may be dropped. Then each notification is one that saves, also after ``stop()``.
  @discardableResult
  public func save(
    on name: Notification.Name, from center: NotificationCenter = .default,
    onFailure: @escaping @Sendable (PersistenceError) -> Void = { _ in }
  ) -> NotificationSaving {
    let observer = center.addObserver(forName: name, object: nil, queue: nil) { _ in
      do {
        try save()
      } catch let error as PersistenceError {
        onFailure(error)
      } catch {
        preconditionFailure("saving failed with another error than its own: \(error)")
      }
    }
    return NotificationSaving(center: center, observer: observer)
  }
}

/// The saving at a notification that ``Persistence/save(on:from:onFailure:)`` has begun.
///
/// `@unchecked` because an observer is a token of the center's own, which nobody changes, and which the center takes
/// back on any thread.
public struct NotificationSaving: @unchecked Sendable {
  fileprivate let center: NotificationCenter
  fileprivate let observer: any NSObjectProtocol

  /// Ends it; calling it twice is calling it once.
  public func stop() { center.removeObserver(observer) }
}
