/// Lets the other tasks of a simulation go first, if its schedule says so.
///
/// It stands for any suspension. No time passes and nothing is waited for: that the others have run then is not
/// certain, which is what an exploration is about.
func switchPoint() async { await Task.yield() }
