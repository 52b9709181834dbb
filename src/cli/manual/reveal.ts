import { setTimeout as delay } from 'node:timers/promises'
import { fromHex, toBase64, toHex } from '../../protocol/encoding/bytes.ts'
import { nameKey } from '../../protocol/crypto/keys.ts'
import { canonicalName, iterationsFor, parseName } from '../../protocol/name/names.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { pulseRandomness, clockRound, roundTimeMs } from '../../protocol/time.ts'
import { encodeVdfProof, proofShape, vdfSeed } from '../../protocol/claim/proof.ts'
import { type Reveal, signReveal } from '../../protocol/claim/reveal.ts'
import { parseZone, serializeZone } from '../../protocol/zone/zone.ts'
import type { NativePool } from '../../native/types.ts'
import type { RevealBody } from '../../api/client/client.ts'
import { createBeaconClient } from '../../beacon/client.ts'
import { signDevPulse } from '../../beacon/dev-beacon.ts'
import { DEV_BEACON_CHAIN } from '../../protocol/profile/built-in.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { loadProfile, localConfig } from '../connection/location.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { count as formatCount } from '../../util/words.ts'
import { heldBy, printable } from '../terminal/format.ts'
import { withPool } from '../vdf/kernel.ts'
import { evaluate } from '../vdf/prove.ts'
import { readZone } from '../zone-file/zone-input.ts'
import { readSecret, type Secret, secretFileOf, writeSecret } from './commit.ts'

interface RevealOptions extends PulseSource, SeedOptions {
  file?: string
  pulseRound?: number
  zone?: string
  offline?: boolean
}

/** The serial of the first payload of a name. */
const FIRST_SERIAL = 1

/** As GET /api/resolve shows it, and POST /api/publish takes it. */
function revealBody(reveal: Reveal): RevealBody {
  return {
    name: reveal.name,
    pubkey: [...reveal.pubkey],
    drand_pulse: reveal.drand_pulse,
    iterations: reveal.iterations,
    vdf_proof: toBase64(reveal.vdf_proof),
    signature: toBase64(reveal.signature),
    payload: toBase64(reveal.payload)
  }
}

async function payloadOf(context: Context, file: string | undefined, profile: NetworkProfile): Promise<Uint8Array> {
  const zone = parseZone(file === undefined ? { records: {} } : await readZone(file, context.stdin), profile)
  return serializeZone(zone, Math.max(FIRST_SERIAL, zone.serial ?? 0), profile)
}

/**
 * p: what the secret file says; else what the command line says, or the next round that the rules allow. Saved before
 * the first squaring.
 */
function fixRound(
  secret: Secret,
  options: RevealOptions,
  file: string,
  profile: NetworkProfile
): Secret & { pulse_round: number } {
  const { pulse_round: fixed } = secret
  if (fixed !== null && options.pulseRound !== undefined && fixed !== options.pulseRound) {
    throw usageFailure(`--pulse-round ${options.pulseRound}: this commitment is bound to round ${fixed} already`)
  }
  const round = fixed ?? options.pulseRound ?? currentRound(profile) + profile.min_commit
  const bound = { ...secret, pulse_round: round }
  if (fixed === null) writeSecret(file, bound)
  return bound
}

/** `chronym reveal NAME --file F`: pulse, VDF, Reveal; sent unless `--offline`. */
export async function runReveal(context: Context, options: RevealOptions, text: string): Promise<void> {
  const { output } = context
  const name = canonicalName(text)
  const file = options.file ?? secretFileOf(context, name)
  const stored = await readSecret(file)
  if (stored.name !== name) throw inputFailure(`${file} is the secret of ${stored.name}, not of ${name}`)
  const profile = loadProfile(context, options.network ?? stored.network)
  const hash = profileHash(profile)
  if (toHex(hash) !== stored.profile_hash)
    throw inputFailure(`${file} was made for another network profile than ${profile.id}`)
  const parsed = parseName(name, profile)
  const key = nameKey(await readSeed(context, options.seedFile), hash, parsed)
  if (toHex(key.publicKey) !== stored.public_key)
    throw inputFailure(`this seed is not the one that ${file} was made with`)
  const payload = await payloadOf(context, options.zone, profile)
  const iterations = iterationsFor(parsed, profile)
  const secret = fixRound(stored, options, file, profile)

  const { pulse, proof } = await withPool(async (pool) => {
    output.note(`• pulse: round ${secret.pulse_round} of the beacon`)
    const signature = await pulseOf(context, pool, profile, secret.pulse_round, options)
    if (secret.proof !== undefined) return { pulse: signature, proof: fromHex(secret.proof) }
    output.note(`• squaring: ${formatCount(iterations)} times`)
    const seed = vdfSeed(
      { commitment: fromHex(secret.commitment), round: secret.pulse_round, randomness: pulseRandomness(signature) },
      hash
    )
    const { split } = proofShape(iterations, profile)
    const made = await evaluate(context, pool, { seed, bits: profile.discriminant_bits, iterations, split })
    writeSecret(file, { ...secret, proof: toHex(made) })
    return { pulse: signature, proof: made }
  })

  const reveal = signReveal(
    {
      name,
      drand_pulse: secret.pulse_round,
      iterations,
      vdf_proof: encodeVdfProof({ pulse, proof, salt: fromHex(secret.salt) }),
      payload
    },
    key,
    hash
  )
  const body = revealBody(reveal)
  if (options.offline === true) {
    output.text(JSON.stringify({ reveal: body }))
    output.note('send the body above to POST /api/publish')
    return
  }
  const { success, stored_by, of } = await connect(context).publish(body)
  output.answer(
    { success, stored_by, of, name, drand_pulse: secret.pulse_round, iterations },
    () => `${printable(name)} is revealed; ${heldBy({ stored_by, of })}`
  )
}

/** The League of Entropy's HTTP relays (https://docs.drand.love). */
const DRAND_RELAYS = ['https://api.drand.sh', 'https://api2.drand.sh', 'https://api3.drand.sh']

interface PulseSource {
  /** The signature itself, given on the command line. */
  pulse?: Uint8Array
  beaconUrl?: string[]
}

/** The round now, by the clock. */
function currentRound(profile: NetworkProfile): number {
  return clockRound(Date.now(), profile.beacon)
}

/** The verified signature of a round; waits for a round that is still to come. */
async function pulseOf(
  context: Context,
  pool: NativePool,
  profile: NetworkProfile,
  round: number,
  source: PulseSource
): Promise<Uint8Array> {
  const { signal } = context
  const publicKey = new Uint8Array(Buffer.from(profile.beacon.public_key, 'hex'))
  if (source.pulse !== undefined) {
    if (await pool.verifyPulse({ publicKey, round, signature: source.pulse })) return source.pulse
    throw usageFailure(`--pulse is not the pulse of round ${round} of this network's beacon`)
  }
  const urls = source.beaconUrl ?? localConfig(context).beacon.urls
  // The dev beacon's key is public: its pulses need no server.
  if (urls.length === 0 && profile.beacon.public_key === DEV_BEACON_CHAIN.public_key) {
    await delay(Math.max(0, roundTimeMs(round, profile.beacon) - Date.now()), undefined, { signal })
    return signDevPulse(round)
  }
  const client = createBeaconClient({
    chain: profile.beacon,
    urls: urls.length === 0 ? DRAND_RELAYS : urls,
    pool,
    warn: (message) => context.output.note(message)
  })
  try {
    return (await client.waitFor(round, signal)).signature
  } finally {
    client.stop()
  }
}
