/// Lets the other tasks of a simulation go first, if its schedule says so.
///
/// It stands for any suspension. No time passes, and the function waits for nothing. The other tasks may not have run
/// then, which is the subject of an exploration.
func switchPoint() async { await Task.yield() }
