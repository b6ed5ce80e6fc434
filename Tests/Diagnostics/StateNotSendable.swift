// mistake: A state that is not `Sendable`
// expected: type 'Account' does not conform to the 'Sendable' protocol
// instead: `struct Account: Sendable`

import AsyncStore

final class Account { var balance = 0 }

let accounts = AsyncStore(state: Account(), env: ())
