/**
 * An owner of many names in this process: commits, waits for the pulse, reveals, and reports how long each put took to
 * be read back from a majority.
 */
import type { BeaconClient } from '../../src/beacon/types.ts'
import type { OpenableNetwork } from '../../src/network/network.ts'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import { draft, reveal } from './claims.ts'
import { PROFILE } from './profile.ts'
import { say } from './scratch.ts'
import { timed, until } from './waiting.ts'

/** How often a peer that is busy is offered a name again. */
const MAX_ATTEMPTS = 5

export interface Published {
  /** Milliseconds of each put that was read back from more than half at once. */
  readonly putMs: readonly number[]
  /** Puts that had to be made again. */
  readonly again: number
}

/** Commits to names, one after the other, and makes their Reveals, of one pulse. */
export async function claim(
  network: OpenableNetwork,
  beacon: BeaconClient,
  names: readonly string[],
  seed: string
): Promise<Reveal[]> {
  const drafts = names.map((name) => draft(name, seed))
  say(`committing to ${names.length} names`)
  for (const { name, commitment, nonce } of drafts) {
    const { receipts, of } = await network.commit(name, commitment, nonce)
    if (receipts.length * 2 <= of) throw new Error(`${name}: ${receipts.length} of ${of} peers gave a receipt`)
  }
  const pulse = await beacon.waitFor(beacon.now() + PROFILE.min_commit)
  return drafts.map((each) => reveal(each, pulse))
}

/** Puts Reveals one after the other. */
export async function publish(network: OpenableNetwork, reveals: readonly Reveal[]): Promise<Published> {
  say(`putting ${reveals.length} names`)
  const putMs: number[] = []
  let again = 0
  for (const each of reveals) {
    for (let attempt = 1; ; attempt++) {
      const { ms, result } = await timed(() => network.putReveal(each))
      if (result.storedBy * 2 > result.of) {
        if (attempt === 1) putMs.push(ms)
        break
      }
      if (attempt === MAX_ATTEMPTS)
        throw new Error(
          `${each.name}: stored by ${result.storedBy} of ${result.of}; ${JSON.stringify(result.refusals[0])}`
        )
      again++
    }
  }
  return { putMs, again }
}

/** Waits until no holder has them in contest. */
export async function outOfContest(network: OpenableNetwork, reveals: readonly Reveal[]): Promise<void> {
  say('waiting until they are out of contest')
  for (const { name } of reveals) {
    const isOut = async (): Promise<boolean> => {
      const { answers, asked } = await network.getReveals(name, undefined, 'everybody')
      const holders = answers.filter(({ state }) => state !== 'none')
      return holders.length * 2 > asked && holders.every(({ state }) => state === 'settling')
    }
    await until(`${name} is out of contest`, isOut, { everyMs: 1_000 })
  }
}

/** Equivalent names. */
export function namesOf(count: number, what: string): string[] {
  return Array.from({ length: count }, (_, index) => `${what}-${index}.${PROFILE.tld}`)
}
