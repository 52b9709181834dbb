/** One rule for all commands that have a machine take a zone from a daemon. */
import { mayTakeZone } from '../../protocol/profile/built-in.ts'
import { usageFailure } from '../failures/failure.ts'

/** `named`: with `--zone`. `effect`: what taking it would do. Throws a usage failure for a zone that may not be taken. */
export function requireOwnZone(tld: string, named: string | undefined, effect: string): void {
  if (mayTakeZone(tld, named)) return
  throw usageFailure(
    `the zone of this network is ${tld}., and ${named === undefined ? 'no built-in network has that' : `not ${named}`}`,
    `If it is the zone of your own network, name it: --zone ${tld}. ${effect}`
  )
}
