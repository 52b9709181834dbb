/**
 * A flood from beginning to end: the victim and the flooder in processes of their own, the honest owner in this one.
 */
import { setTimeout } from 'node:timers/promises'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { ask, startChild } from './children.ts'
import type { FlooderFigures, FlooderStart, Tally, VictimFigures, VictimQuestion } from './messages.ts'
import type { Owner } from './owner.ts'
import { FLOOD_PROFILE } from './profile.ts'
import { inScene } from './scene.ts'

/** Names that change in turn, one a second: each may change five times at once, then twice a minute. */
const CHANGES_OF_A_NAME = 5
/** Seconds between two registrations by the honest owner. */
const REGISTER_EVERY = 5
/** Pause after the flood, in which running requests end. */
const AFTERMATH_MS = 2_000
/** Long enough for a few hundred samples of the loop's delay. */
const QUIET_MS = 3_000

interface FloodOptions extends Pick<FlooderStart, 'identities' | 'together' | 'prefixes' | 'seed'> {
  readonly seconds: number
}

export interface FloodReport {
  readonly flood: {
    readonly sessions: number
    readonly identities: number
    readonly connections: Record<string, number>
    readonly answers: Tally
  }
  readonly quiet: VictimFigures
  readonly during: VictimFigures
  readonly after: VictimFigures
  /** Milliseconds, as measured by the owner, repetitions of what was `busy` included. */
  readonly honest: { readonly updates: number[]; readonly commits: number[]; readonly reveals: number[] }
  /** Names whose newest record the victim shows afterwards, of all. */
  readonly held: { readonly names: number; readonly of: number }
  /** Honest commitments in the victim's table afterwards, of all. */
  readonly commitments: { readonly kept: number; readonly of: number }
}

export async function runFlood({ identities, together, prefixes, seed, seconds }: FloodOptions): Promise<FloodReport> {
  return inScene(async ({ victim, address, owner, ends }) => {
    const names = Array.from(
      { length: Math.ceil(seconds / CHANGES_OF_A_NAME) },
      (_, index) => `honest-name-${index}.${FLOOD_PROFILE.tld}`
    )
    const commitments = await Promise.all(names.map(async (name) => (await owner.register(name)).commitment))
    const figures = (asked: readonly Uint8Array[] = []): Promise<VictimFigures> =>
      ask(victim, { commitments: asked.map(toHex), honest: owner.peerId } satisfies VictimQuestion)
    await figures()
    await setTimeout(QUIET_MS)
    const quiet = await figures()

    const flooder = startChild('flooder.ts', ends, { env: { ...process.env, FLOOD_SEED: String(seed) } })
    flooder.send({ address, identities, together, prefixes, seed } satisfies FlooderStart)
    const honest = await beHonest(owner, names, commitments, seconds)
    const during = await figures()
    const flood = await ask<FlooderFigures>(flooder, {})
    await setTimeout(AFTERMATH_MS)
    const after = await figures(commitments)
    // One after the other: a peer has 32 streams at once.
    const held: boolean[] = []
    for (const name of names) held.push(await owner.isHeld(name))
    return {
      flood: {
        sessions: flood.sessions,
        identities: flood.identities,
        connections: flood.connections,
        answers: flood.tally
      },
      quiet,
      during,
      after,
      honest,
      held: { names: held.filter(Boolean).length, of: names.length },
      commitments: { kept: after.kept.filter(Boolean).length, of: commitments.length }
    }
  })
}

/** A change a second for `seconds`, and now and then a new name; `names` and `commitments` grow by these. */
async function beHonest(
  owner: Owner,
  names: string[],
  commitments: Uint8Array[],
  seconds: number
): Promise<FloodReport['honest']> {
  const updates: Promise<number>[] = []
  const registrations: ReturnType<Owner['register']>[] = []
  const before = names.length
  for (let second = 0; second < seconds; second++) {
    // Each change of a name after the one before, however long that takes.
    updates.push((updates[second - before] ?? Promise.resolve()).then(() => owner.update(names[second % before]!)))
    if (second % REGISTER_EVERY === 0) {
      const name = `claimed-in-the-flood-${second}.${FLOOD_PROFILE.tld}`
      names.push(name)
      registrations.push(owner.register(name))
    }
    await setTimeout(1_000)
  }
  const registered = await Promise.all(registrations)
  commitments.push(...registered.map(({ commitment }) => commitment))
  return {
    updates: await Promise.all(updates),
    commits: registered.map(({ commitMs }) => commitMs),
    reveals: registered.map(({ putMs }) => putMs)
  }
}
