/// The fibers that wait for a scope to begin, by scope.
///
/// A class, so that a machine without any stores only `nil`.
final class Followers {
  var lists: [FiberID: [FiberID]] = [:]
}
