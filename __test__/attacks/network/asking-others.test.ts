/** Small messages that would have a node send many, to peers that somebody else picks. Real nodes, counted from outside. */
import { afterEach, expect, it } from 'vitest'
import { multiaddr } from '@multiformats/multiaddr'
import { ask, EXCHANGES, type Exchanged } from '../../../src/network/wire/exchange.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { signIdentityBinding, encodeIdentityEnvelope } from '../../../src/protocol/identity/record.ts'
import { buildGenesis, signIdentityDocument, type IdentityDocument } from '../../../src/protocol/identity/document.ts'
import { encodeManifestRecord, signManifest } from '../../../src/protocol/identity/manifest.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { Lab, labProfile } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { Adversaries, showing } from './adversary.ts'

const CREATED = '2026-01-01T00:00:00Z'
const NODES = 4
/** Rounds after which a look-up is forgotten. */
const A_WHILE = 30
/** Puts of one peer that a node takes at a time. */
const TOGETHER = 4

const lab = new Lab(labProfile({ k: NODES }))
/** All that the target knows. They lie about nothing, and hold one name. */
const others = new Adversaries(lab)
const sent: Exchanged[] = []
const count = (message: unknown): void => void sent.push(message as Exchanged)

afterEach(async () => {
  EXCHANGES.unsubscribe(count)
  await others.stop()
  await lab.close()
})

function identityOf(who: string): IdentityDocument {
  const key = lab.owner(who)
  const genesis = buildGenesis({ keys: [key.publicKey], updateKeys: [key.publicKey] }, lab.profile)
  return signIdentityDocument(genesis, key, CREATED, lab.profile)
}

/** An identity that says that a name carries it, which its signature does not make true. */
function boundTo(name: string, document: IdentityDocument): Uint8Array {
  const binding = signIdentityBinding(
    parseName(name, lab.profile),
    lab.round,
    document.id,
    lab.owner('stranger').secretKey,
    lab.hash
  )
  return encodeIdentityEnvelope({ versions: [canonicalJsonBytes(document)], binding })
}

function manifestOf(document: IdentityDocument, version: number): Uint8Array {
  const unsigned = {
    id: document.id,
    kid_version: 1,
    version,
    capabilities: [],
    validFrom: CREATED,
    validUntil: '2026-12-01T00:00:00Z'
  }
  const key = document.assertionMethod![0]!
  return encodeManifestRecord(signManifest(unsigned, key, lab.owner('nobody').secretKey, CREATED, lab.profile))
}

it('[a put that has others asked] causes none with a log that does not verify, and else one look-up a name', async () => {
  // The budget is full again at each put: what is measured is not the limit of a rate.
  let elapsedMs = 0
  lab.elapsedMs = () => (elapsedMs += 10_000)
  const { network, address } = await lab.addNode()
  const place = recordKey('reveal', 'held.chronym', lab.hash)
  const holding = showing(lab.reveal('held.chronym', lab.owner('owner'), { p: lab.round }), lab).get!
  await others.start(place, NODES, () => '127.0.0.1', {
    get: (request, sender) => (equalBytes(request.key, place) ? holding(request, sender) : { type: 'none' })
  })
  await others.connect([address])
  await waitFor(() => expect(network.knownPeers()).toBe(NODES))
  const stranger = await lab.addStranger()
  const { remotePeer: target } = await stranger.dial(multiaddr(address))
  EXCHANGES.subscribe(count)

  const put = async (kind: 'kid' | 'manifest', record: Uint8Array): Promise<string> => {
    const answer = await ask(stranger, target, { type: 'put', kind, record }, lab.profile)
    return answer.type === 'refused' ? answer.code : answer.type
  }
  /** How often the target has asked the peer that it asked most about a key; a look-up asks each once. */
  const timesAsked = (kind: 'reveal' | 'kid', id: string): number => {
    const key = toHex(recordKey(kind, id, lab.hash))
    const about = sent.filter(
      ({ from, request }) =>
        from.equals(target) && request.type === 'get' && toHex(request.key) === key && (kind === 'kid' || request.brief)
    )
    const byPeer = Object.values(Object.groupBy(about, ({ to }) => to.toString()))
    return Math.max(0, ...byPeer.map((questions) => questions!.length))
  }

  const altered = { ...identityOf('x'), alsoKnownAs: ['https://altered.example'] }
  for (let index = 0; index < 3; index++) expect(await put('kid', boundTo('free.chronym', altered))).toBe('invalid')
  expect(timesAsked('reveal', 'free.chronym')).toBe(0)

  for (const name of ['free.chronym', 'held.chronym']) {
    const puts = Array.from({ length: 3 * TOGETHER }, (_, index) => boundTo(name, identityOf(`${name} ${index}`)))
    for (const lookUps of [1, 2]) {
      for (let index = 0; index < puts.length; index += TOGETHER) {
        const answers = await Promise.all(puts.slice(index, index + TOGETHER).map((record) => put('kid', record)))
        expect(new Set(answers), name).toEqual(new Set(['unbound']))
      }
      expect(timesAsked('reveal', name), name).toBe(lookUps)
      lab.advance(A_WHILE)
    }
  }

  const nobody = identityOf('nobody')
  for (let version = 1; version <= TOGETHER; version++)
    expect(await put('manifest', manifestOf(nobody, version))).toBe('unbound')
  expect(timesAsked('kid', nobody.id)).toBe(1)
})
