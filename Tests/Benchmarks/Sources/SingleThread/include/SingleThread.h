#ifndef SINGLE_THREAD_H
#define SINGLE_THREAD_H

/// Has all tasks of the process wait for `single_thread_run()`, and stops the clocks. Call it before the first task.
void single_thread_start(void);

/// Runs tasks on this thread until none is left, in the order in which they became ready. Where all of them sleep, the
/// clocks move on to the first deadline.
void single_thread_run(void);

#endif
