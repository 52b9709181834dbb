/** Starts Knot and our server with one zone, and sends both every kind of query. */
import { createECDH, createPrivateKey } from 'node:crypto'
import { zoneToWire } from '../../src/dns/wire.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { parseZone } from '../../src/protocol/zone/zone.ts'
import { transfer } from '../../scripts/dns/ask.ts'
import { startKnot } from '../../scripts/dns/knot.ts'
import { startOurs } from '../../scripts/dns/ours.ts'
import { recordsOf } from '../../scripts/dns/records.ts'
import { compare, type Compared } from './compare.ts'
import { KINDS } from './kinds.ts'
import { ABSENT, CODED, INSECURE, masterFile, NAMES, recordsByLabel, SERIAL } from './zone.ts'

/** No secret, and the same in each run: the table shows its tag. */
const SECRET = Buffer.alloc(32, 7)

const PROFILE = builtInProfiles.local

/** `directory`: an empty one, for Knot. */
export async function runComparison(directory: string): Promise<Compared[]> {
  const key = knownKey()
  const insecure = INSECURE.text + INSECURE.delegation
  const knot = await startKnot({
    directory,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    zones: [
      { name: 'chronym.', text: masterFile(), signing: 'online' },
      { name: `${INSECURE.name}.`, text: insecure, signing: 'none' }
    ]
  })
  const ours = startOurs({ key: key.export({ type: 'pkcs8', format: 'der' }), serial: SERIAL })
  try {
    const records = await transfer(knot, 'chronym')
    for (const name of Object.keys(NAMES)) ours.setZone(name, recordsOf(name, records), { secure: true })
    const others = (await transfer(knot, INSECURE.name)).filter(({ type }) => type !== 'SOA' && type !== 'NS')
    ours.setZone(INSECURE.name, recordsOf(INSECURE.name, others), { secure: false, reason: 'not settled yet' })
    const coded = parseZone({ records: recordsByLabel(CODED.of) }, PROFILE)
    ours.setZone(CODED.name, zoneToWire(coded, CODED.of, PROFILE, CODED.name), { secure: true })
    for (const name of ABSENT) ours.setAbsent(name)
    return await compare(KINDS, knot, ours)
  } finally {
    await Promise.all([knot.stop(), ours.stop()])
  }
}

function knownKey() {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(SECRET)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url')) as [
    string,
    string
  ]
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d: SECRET.toString('base64url') } })
}
