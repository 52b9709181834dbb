/**
 * Why a dial failed, in a few words: libp2p's own name the address a second and third time, and call its timeouts
 * aborts.
 */
export function dialReason(error: unknown): string {
  const { name, message } = (error instanceof AggregateError ? error.errors[0] : error) as Error
  if (message.includes('does not match expected remote identity'))
    return 'another peer answers there: compare the peer id'
  if (name === 'TimeoutError' || /abort|timed? ?out/i.test(`${name} ${message}`)) return 'no answer in time'
  return /\bconnect E[A-Z]+\b/.exec(message)?.[0] ?? message
}
