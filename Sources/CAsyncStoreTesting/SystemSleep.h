#ifndef SYSTEM_SLEEP_H
#define SYSTEM_SLEEP_H

/// Tells the simulation that this thread drives, if it does, that a task goes to sleep on the system's clock.
void asyncStoreTesting_noteSystemSleep(void);

/// Does nothing. Calling it has the linker take the file from a static archive, whose functions nothing else names.
void asyncStoreTesting_linkSystemSleep(void);

#endif
