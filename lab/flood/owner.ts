/** The honest peer: registers names and changes their zones at the victim, as a daemon in mode light does. */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pino from 'pino'
import { createBeaconClient } from '../../src/beacon/client.ts'
import type { NativePool } from '../../src/native/types.ts'
import { createNetwork } from '../../src/network/network.ts'
import type { PutOutcome } from '../../src/network/types.ts'
import { utf8 } from '../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { iterationsFor, parseName } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { encodeVdfProof, proofShape, vdfSeed } from '../../src/protocol/claim/proof.ts'
import { signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { stampPrefix } from '../../src/protocol/crypto/domain.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { FLOOD_PROFILE as profile } from './profile.ts'

/** Pause before a refused request is sent again. */
const RETRY_MS = 250
const GIVE_UP_MS = 60_000

export interface Owner {
  readonly peerId: string
  /**
   * Commits, waits for the pulse, computes, reveals. How long the commitment and the put took until the victim had
   * confirmed them, in milliseconds.
   */
  register(name: string): Promise<{ commitment: Uint8Array; commitMs: number; putMs: number }>
  /** The next zone of a name. Milliseconds until it was read back from the victim. */
  update(name: string): Promise<number>
  /** Whether the victim shows the newest record of that name. */
  isHeld(name: string): Promise<boolean>
  stop(): Promise<void>
}

export async function startOwner(address: string, beaconUrl: string, file: string, pool: NativePool): Promise<Owner> {
  const hash = profileHash(profile)
  const store = openStore(file)
  const beacon = createBeaconClient({ chain: profile.beacon, urls: [beaconUrl], pool })
  const network = createNetwork({
    profile,
    store,
    nodeSeed: new Uint8Array(randomBytes(32)),
    beacon,
    pool,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap: [address],
    mode: 'light',
    clock: createRoundClock(beacon, profile, store, Date.now),
    log: pino({ level: 'silent' })
  })
  const newest = new Map<string, Reveal>()
  let serial = 1
  const keyOf = (name: string) => keyPairFromSeed(createHash('sha256').update(`owner ${name}`).digest())
  const payload = (): Uint8Array => utf8(JSON.stringify({ records: {}, serial: serial++ }))
  const put = async (reveal: Reveal): Promise<number> => {
    const began = performance.now()
    await until(async () => isStored(await network.putReveal(reveal)), `put of ${reveal.name}`)
    newest.set(reveal.name, reveal)
    return performance.now() - began
  }

  beacon.start()
  await network.start()
  await until(
    () => Promise.resolve(network.knownPeers() > 0 && beacon.latest() !== undefined),
    'the victim and a pulse'
  )

  return {
    peerId: network.status().peer_id,
    async register(name) {
      const key = keyOf(name)
      const salt = new Uint8Array(randomBytes(32))
      const commitment = commitmentHash(name, key.publicKey, salt, hash)
      const nonce = await pool.searchStamp({ prefix: stampPrefix(commitment, hash), bits: profile.stamp_bits })
      const began = performance.now()
      await until(
        async () => (await network.commit(name, commitment, nonce)).receipts.length > 0,
        `commitment to ${name}`
      )
      const commitMs = performance.now() - began
      const {
        round: p,
        signature: pulse,
        randomness
      } = await beacon.waitFor(beacon.latest()!.round + profile.min_commit)
      const iterations = iterationsFor(parseName(name, profile), profile)
      const { split } = proofShape(iterations, profile)
      const seed = vdfSeed({ commitment, round: p, randomness }, hash)
      const outcome = await pool.evaluate(
        { seed, discriminantBits: profile.discriminant_bits, iterations, split },
        { checkpointSeconds: 60 },
        () => undefined
      ).outcome
      if (outcome.kind !== 'proof') throw new Error(`the evaluation ${outcome.kind}`)
      const vdf_proof = encodeVdfProof({ pulse, proof: outcome.proof, salt })
      const putMs = await put(
        signReveal({ name, drand_pulse: p, iterations, vdf_proof, payload: payload() }, key, hash)
      )
      return { commitment, commitMs, putMs }
    },
    update: (name) => put(signReveal({ ...newest.get(name)!, payload: payload() }, keyOf(name), hash)),
    async isHeld(name) {
      const { answers } = await network.getReveals(name)
      return answers.some(
        ({ reveal }) => Buffer.compare(reveal?.payload ?? new Uint8Array(), newest.get(name)!.payload) === 0
      )
    },
    async stop() {
      await network.stop()
      beacon.stop()
      store.close()
    }
  }
}

function isStored({ storedBy, of, refusals }: PutOutcome): boolean {
  const refusal = refusals.find(({ code }) => code !== 'busy' && code !== 'no-answer')
  if (refusal !== undefined) throw new Error(`refused: ${refusal.code}, ${refusal.detail}`)
  return storedBy > 0 && storedBy * 2 > of
}

/** Repeats until it holds; a failed connection counts as an attempt. */
async function until(attempt: () => Promise<boolean>, what: string): Promise<void> {
  const giveUp = performance.now() + GIVE_UP_MS
  while (!(await attempt().catch(whenUnreachable))) {
    if (performance.now() > giveUp) throw new Error(`gave up on the ${what} after ${GIVE_UP_MS / 1000} s`)
    await setTimeout(RETRY_MS)
  }
}

function whenUnreachable(error: unknown): false {
  if ((error as Error).name === 'OfflineError') return false
  throw error
}
