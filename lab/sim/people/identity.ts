/** Identities that a name carries: signed by their owner, sent by the daemon's client, and shown to those who ask. */
import { getDocuments } from '../../../src/network/client/get.ts'
import { publish } from '../../../src/network/client/publish.ts'
import type { PutOutcome } from '../../../src/network/types.ts'
import type { Answer } from '../../../src/network/wire/messages.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { firstLink } from '../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import {
  signIdentityBinding,
  type IdentityBinding,
  decodeIdentityRecord,
  encodeIdentityRecord,
  type DocumentStamp
} from '../../../src/protocol/identity/record.ts'
import { encodeMultikey, type Did } from '../../../src/protocol/identity/did.ts'
import {
  buildGenesis,
  buildNextVersion,
  identityDocumentHash,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { findManifest, currentIdentity, type KnownIdentity } from '../../../src/registry/identities/resolve.ts'
import { ServiceError } from '../../../src/errors.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { empty } from './adversary.ts'
import { judgeHere } from '../world/stand-ins.ts'
import type { Answerer, SimNode } from '../world/sim-node.ts'
import type { World } from '../world/world.ts'
import type { Owner } from './owner.ts'

export const CREATED = '2026-01-01T00:00:00Z'

/** Keys of one person. */
export class Signer {
  readonly update: KeyPair
  readonly recovery: KeyPair
  readonly assertion: KeyPair
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    this.update = world.newKey()
    this.recovery = world.newKey()
    this.assertion = world.newKey()
  }

  /** `#key-1` is the assertion key; others follow. */
  genesis(...others: readonly KeyPair[]): IdentityDocument {
    const { profile } = this.#world
    const { publicKey } = this.update
    const parts = {
      keys: [this.assertion, ...others].map((key) => key.publicKey),
      updateKeys: [publicKey],
      recoveryKeys: [this.recovery.publicKey]
    }
    return signIdentityDocument(buildGenesis(parts, profile), this.update, CREATED, profile)
  }

  next(former: IdentityDocument, changes: IdentityChanges, key = this.update): IdentityDocument {
    return signIdentityDocument(buildNextVersion(former, changes), key, CREATED, this.#world.profile)
  }
}

export const multikeys = ({ publicKey }: KeyPair): [string] => [encodeMultikey(publicKey)]

/** Throws where the name has no claim yet. */
export function bindingOf({ profile, hash }: World, did: Did, { name, key, reveal }: Owner): IdentityBinding {
  if (reveal === undefined) throw new Error(`${name} has no claim yet: register it before it carries an identity`)
  return signIdentityBinding(parseName(name, profile), firstLink(reveal).p, did, key.secretKey, hash)
}

/** What carries a record: a name, which the record itself names, or a stamp. */
interface Carrier {
  readonly binding?: IdentityBinding
  readonly stamp?: DocumentStamp
}

/** Throws IdentityError where the documents make no log. */
export function identityRecord({ profile }: World, documents: readonly IdentityDocument[], by: Carrier): Uint8Array {
  return encodeIdentityRecord({ log: verifyIdentityLog(documents, profile), ...by })
}

/** To all that should hold it. */
export function sendDocument(
  { client, store, clock }: SimNode,
  kind: 'kid' | 'manifest',
  id: Did,
  bytes: Uint8Array
): Promise<PutOutcome> {
  return publish(client, { store, clock }, { kind, id, bytes })
}

/** More than half of the holders show it. */
export const isPublished = ({ storedBy, of }: PutOutcome): boolean => storedBy * 2 > of

/** The honest nodes that should hold a document, with what they hold. */
export function heldDocuments(
  world: World,
  kind: 'kid' | 'manifest',
  did: Did
): { readonly node: SimNode; readonly record: Uint8Array | undefined }[] {
  const key = recordKey(kind, did, world.hash)
  return world.holdersOf(key).map((node) => ({ node, record: node.holder?.documents.get(kind, key) }))
}

/** How many of them hold anything. Those whose clocks are far ahead have no fresh pulse, and drop nothing. */
export function keeping(world: World, kind: 'kid' | 'manifest', did: Did): number {
  return heldDocuments(world, kind, did).filter(({ node, record }) => record !== undefined && node.clock.time().fresh)
    .length
}

/** The newest version's hash, in hex. */
export const headOf = (documents: readonly IdentityDocument[]): string => toHex(identityDocumentHash(documents.at(-1)!))

/** How many of the honest nodes that should hold an identity have the log that ends with these documents. */
export function holding(
  world: World,
  documents: readonly IdentityDocument[]
): { readonly count: number; readonly of: number } {
  const held = heldDocuments(world, 'kid', documents[0]!.id)
  const ends = held.map(({ record }) =>
    record === undefined ? undefined : toHex(decodeIdentityRecord(record, world.profile).log.versions.at(-1)!.hash)
  )
  return { count: ends.filter((end) => end === headOf(documents)).length, of: held.length }
}

interface SeenIdentity {
  /** `refused`: SVC-RES-004, all that is shown is older than what this resolver has seen, or parts from it. */
  readonly kind: 'identity' | 'none' | 'refused'
  /** The newest version's hash, in hex. */
  readonly head?: string
  readonly known?: KnownIdentity
}

/** A resolver that merges and remembers as the daemon does. */
export class IdentityResolver {
  readonly node: SimNode
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    this.node = world.addClient()
  }

  async resolve(did: Did): Promise<SeenIdentity> {
    const { store, clock, client } = this.node
    const { profile } = this.#world
    try {
      const found = await getDocuments(client, 'kid', did)
      const known = await currentIdentity({ store, profile, pool: judgeHere, time: () => clock.time() }, did, found)
      if (known === undefined) return { kind: 'none' }
      return { kind: 'identity', head: toHex(known.log.versions.at(-1)!.hash), known }
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'SVC-RES-004') return { kind: 'refused' }
      throw error
    }
  }

  /** The version of the manifest that speaks for an identity. */
  async manifestOf(known: KnownIdentity): Promise<number | undefined> {
    const { client } = this.node
    const network = { getManifest: (did: Did) => getDocuments(client, 'manifest', did) }
    const now = (): number => this.#world.timeline.nowMs
    const parts = { profile: this.#world.profile, clock: { now }, network, pool: judgeHere }
    return (await findManifest(parts, known)).manifest?.version
  }
}

/** Answers of a node that says it holds that document and nothing else. */
export function showingDocument(kind: 'kid' | 'manifest', did: Did, record: Uint8Array, hash: Uint8Array): Answerer {
  const key = recordKey(kind, did, hash)
  return (request): Answer =>
    request.type === 'get' && request.kind === kind && equalBytes(request.key, key)
      ? { type: 'document', record }
      : empty(request)
}
