/// Lets the other tasks of a simulation go first, if its schedule says so.
///
/// It stands for any suspension of an explored program; no time passes, and nothing is waited for.
func switchPoint() async { await Task.yield() }
