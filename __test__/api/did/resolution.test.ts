import { Resolver, type DIDDocument } from 'did-resolver'
import { beforeEach, describe, expect, it } from 'vitest'
import { getResolver } from '../../../src/api/client/did-resolver.ts'
import { ServiceError } from '../../../src/errors.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import {
  buildGenesis,
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { LOCAL } from '../../protocol/fixtures.ts'
import { createWorld, type World } from '../helpers/world.ts'

const OLDER = 'application/ld+json;profile="https://w3id.org/did-resolution"'
const key = keyPairFromSeed(new Uint8Array(32).fill(1))

const first = signIdentityDocument(
  buildGenesis(
    {
      keys: [key.publicKey],
      updateKeys: [key.publicKey],
      services: [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }],
      alsoKnownAs: ['https://alice.example']
    },
    LOCAL
  ),
  key,
  '2026-01-01T00:00:00.250Z',
  LOCAL
)
const next = (former: IdentityDocument, changes: IdentityChanges, created: string): IdentityDocument =>
  signIdentityDocument(buildNextVersion(former, changes), key, created, LOCAL)
const second = next(first, { alsoKnownAs: [] }, '2026-02-01T00:00:00Z')
const last = next(second, { deactivated: true }, '2026-03-01T00:00:00Z')
const DID = first.id

let world: World
let versions: IdentityDocument[]

beforeEach(() => {
  world = createWorld()
  versions = [first, second]
  world.answers.resolveIdentityLog = async (did) => {
    if (did !== DID) throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
    return { did, versions: versions.map((version) => ({ ...version })) }
  }
})

async function get(identifier: string, accept?: string) {
  const response = await world.request('GET', `/1.0/identifiers/${identifier}`, {
    ...(accept !== undefined && { headers: { Accept: accept } })
  })
  return { status: response.status, type: response.headers.get('Content-Type'), body: (await response.json()) as never }
}

describe('DID resolution', () => {
  it('answers with the result of version 0.3 unless the request says otherwise', async () => {
    for (const accept of [
      undefined,
      '*/*',
      'application/did;q=0.5, application/did-resolution',
      'text/html, */*;q=0.1'
    ])
      expect(await get(DID, accept)).toEqual({
        status: 200,
        type: 'application/did-resolution',
        body: {
          '@context': 'https://w3id.org/did-resolution/v1',
          didDocument: second,
          didResolutionMetadata: { contentType: 'application/did' },
          didDocumentMetadata: { created: '2026-01-01T00:00:00Z', updated: '2026-02-01T00:00:00Z', versionId: '2' }
        }
      })
  })

  it.each([OLDER, 'application/json'])('answers with the older result to %s', async (accept) => {
    expect(await get(DID, accept)).toMatchObject({
      status: 200,
      type: accept,
      body: { didDocument: second, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
    })
  })

  it.each(['application/did', 'application/did+ld+json', 'application/did+json'])(
    'answers with the document alone to %s',
    async (accept) => expect(await get(DID, accept)).toEqual({ status: 200, type: accept, body: second })
  )

  it.each([
    ['?versionId=1', 1],
    ['%3FversionId%3D2', 2],
    ['?versionTime=2026-01-31T23:59:59Z', 1],
    ['?versionTime=2026-02-01T00:00:00Z', 2],
    ['%3FversionTime%3D2030-01-01T00%3A00%3A00.5Z', 2]
  ])('selects a version: %s', async (query, version) => {
    const { body } = await get(DID + query)
    expect(body).toMatchObject({
      didDocument: versions[version - 1],
      didDocumentMetadata: { versionId: String(version) }
    })
    if (version === 1)
      expect(body).toMatchObject({ didDocumentMetadata: { nextUpdate: '2026-02-01T00:00:00Z', nextVersionId: '2' } })
  })

  it('answers 410 for a deactivated DID, with an earlier version where one is asked for', async () => {
    versions = [first, second, last]
    for (const accept of [undefined, OLDER, 'application/did'])
      expect(await get(DID, accept)).toMatchObject({
        status: 410,
        type: accept === OLDER ? OLDER : 'application/did-resolution',
        body: { didDocument: null, didDocumentMetadata: { deactivated: true, versionId: '3' } }
      })
    expect(await get(`${DID}?versionId=1`)).toMatchObject({
      status: 410,
      body: { didDocument: first, didDocumentMetadata: { deactivated: true, versionId: '1' } }
    })
  })

  it.each([
    ['no-did', undefined, 400, 'INVALID_DID', 'invalidDid'],
    ['did:chronym:', undefined, 400, 'INVALID_DID', 'invalidDid'],
    [`did:chronym:${'z'.repeat(3000)}`, undefined, 400, 'INVALID_DID', 'invalidDid'],
    ['did:example:1234', undefined, 501, 'METHOD_NOT_SUPPORTED', 'methodNotSupported'],
    ['did:chronym:zQmNone', undefined, 404, 'NOT_FOUND', 'notFound'],
    [`${DID}?versionId=3`, undefined, 404, 'NOT_FOUND', 'notFound'],
    [`${DID}?versionTime=2025-01-01T00:00:00Z`, undefined, 404, 'NOT_FOUND', 'notFound'],
    [`${DID}?versionId=latest`, undefined, 400, 'INVALID_OPTIONS', 'invalidOptions'],
    [`${DID}?versionTime=yesterday`, undefined, 400, 'INVALID_OPTIONS', 'invalidOptions'],
    [`${DID}?versionTime=2026-13-01T00:00:00Z`, undefined, 400, 'INVALID_OPTIONS', 'invalidOptions'],
    [`${DID}?versionId=1&versionTime=2026-01-01T00:00:00Z`, undefined, 400, 'INVALID_OPTIONS', 'invalidOptions'],
    [`${DID}?service=files`, undefined, 501, 'FEATURE_NOT_SUPPORTED', 'featureNotSupported'],
    [`${DID}%23key-1`, undefined, 501, 'FEATURE_NOT_SUPPORTED', 'featureNotSupported'],
    [`${DID}%2Fpath`, undefined, 501, 'FEATURE_NOT_SUPPORTED', 'featureNotSupported'],
    [DID, new ServiceError('SVC-REQ-001', 'no multihash'), 400, 'INVALID_DID', 'invalidDid'],
    [DID, new ServiceError('SVC-RES-001', 'offline'), 500, 'INTERNAL_ERROR', 'internalError'],
    [DID, new ServiceError('SVC-RES-004', 'older'), 500, 'INTERNAL_ERROR', 'internalError']
  ])('refuses %s (%o) with %i %s', async (identifier, failure, status, name, word) => {
    if (failure !== undefined) world.failures.set('resolveIdentityLog', failure)
    const problem = { type: `https://www.w3.org/ns/did#${name}` }
    for (const accept of [undefined, 'application/did'])
      expect(await get(identifier, accept)).toMatchObject({
        status,
        type: 'application/did-resolution',
        body: { didDocument: null, didResolutionMetadata: { error: problem }, didDocumentMetadata: {} }
      })
    expect(await get(identifier, OLDER)).toMatchObject({
      status,
      type: OLDER,
      body: { didResolutionMetadata: { error: word, problemDetails: problem } }
    })
  })

  it.each(['text/html', 'application/ld+json', 'application/did+cbor', 'application/did;q=0'])(
    'refuses Accept: %s with 406',
    async (accept) =>
      expect(await get(DID, accept)).toMatchObject({
        status: 406,
        body: { didResolutionMetadata: { error: { type: 'https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED' } } }
      })
  )

  it('leaves a fault of the daemon to the problem of the interface', async () => {
    world.failures.set('resolveIdentityLog', new TypeError('a bug'))
    expect(await get(DID)).toMatchObject({ status: 500, body: { code: 'SVC-INT-001' } })
  })
})

describe('did-resolver', () => {
  const resolver = (): Resolver =>
    new Resolver(
      getResolver({
        url: 'http://127.0.0.1:7468/',
        fetch: async (target, init) => {
          const { pathname, search } = new URL(target)
          return world.request('GET', pathname + search, { headers: init?.headers as Record<string, string> })
        }
      })
    )

  it('resolves a DID, a version and the document of a DID URL', async () => {
    expect(await resolver().resolve(DID)).toMatchObject({
      didDocument: second,
      didDocumentMetadata: { versionId: '2' }
    })
    expect((await resolver().resolve(`${DID}?versionId=1`)).didDocument).toEqual(first)
    expect((await resolver().resolve(`${DID}#key-1`)).didDocument).toEqual(second)
  })

  it('gets errors as words', async () => {
    const errorOf = async (did: string) => (await resolver().resolve(did)).didResolutionMetadata.error
    expect(await errorOf('did:chronym:zQmNone')).toBe('notFound')
    expect(await errorOf(`${DID}/path`)).toBe('featureNotSupported')
    world.failures.set('resolveIdentityLog', new TypeError('a bug'))
    expect(await errorOf(DID)).toBe('internalError')
  })

  it('gets internalError where no daemon answers', async () => {
    const offline = getResolver({ fetch: () => Promise.reject(new Error('refused')) })
    expect((await new Resolver(offline).resolve(DID)).didResolutionMetadata).toEqual({
      error: 'internalError',
      message: 'http://127.0.0.1:7468 does not answer: refused'
    })
  })
})

/** DID Core 1.0: 3.1 and 3.2 (syntax), 5 (properties), 6.3.1 (context). */
describe('a served document', () => {
  it('keeps the rules of DID Core', async () => {
    const document = (await get(DID, 'application/did')).body as DIDDocument
    const url = new RegExp(`^${DID}#[A-Za-z0-9._~-]+$`, 'u')
    expect([document['@context']].flat()[0]).toBe('https://www.w3.org/ns/did/v1')
    expect(document.id).toBe(DID)
    const methods = document.verificationMethod!
    for (const method of methods) {
      expect(method.id).toMatch(url)
      expect(method).toMatchObject({ type: 'Multikey', controller: DID })
      expect(method.publicKeyMultibase).toMatch(/^z6Mk[1-9A-HJ-NP-Za-km-z]+$/u)
    }
    for (const reference of [...document.authentication!, ...document.assertionMethod!])
      expect(methods.map(({ id }) => id)).toContain(reference)
    for (const service of document.service!) {
      expect(service.id).toMatch(url)
      expect(URL.canParse(service.serviceEndpoint as string)).toBe(true)
    }
    const ids = [...methods, ...document.service!].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
