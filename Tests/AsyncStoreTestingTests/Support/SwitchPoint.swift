/// Lets the other tasks of a simulation go first, if its schedule says so.
///
/// It stands for any suspension. No time passes, and the function waits for nothing. The other tasks may not have run
/// then, which is the subject of an exploration.
func switchPoint() async { await Task.yield() }

/// Goes round in circles while a condition holds, and lets the other tasks of a simulation go first each time.
///
/// Such tasks are the subject of tests of fairness and of liveness. No other test waits like this.
func busyWait(while condition: () async -> Bool) async { while await condition() { await switchPoint() } }
