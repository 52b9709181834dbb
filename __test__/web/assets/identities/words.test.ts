import { describe, expect, it } from 'vitest'
import { changesOf, innerOf, keysOf, readSigned, servicesOf } from '../../../../src/web/assets/identities/words.ts'

const DID = 'did:chronym:zQm'
const document = {
  id: DID,
  version: 1,
  verificationMethod: [{ id: `${DID}#key-1`, type: 'Multikey', publicKeyMultibase: 'z6MkAAAABBBBCCCC' }],
  authentication: [`${DID}#key-1`],
  assertionMethod: [{ id: `${DID}#key-1` }],
  service: [{ id: `${DID}#site`, type: ['LinkedDomains'], serviceEndpoint: { uri: 'https://example.org' } }]
}

it('says what each key does, and where each service is', () => {
  expect(keysOf(document)).toEqual([
    { id: '#key-1', type: 'Multikey', key: 'z6MkAAAABBBBCCCC', purposes: ['logs in', 'makes statements'] }
  ])
  expect(servicesOf(document)).toEqual([
    { id: '#site', type: 'LinkedDomains', endpoint: '{"uri":"https://example.org"}' }
  ])
  expect(keysOf({})).toEqual([])
  expect(servicesOf({})).toEqual([])
})

it('says what each version changed', () => {
  expect(changesOf(undefined, document)).toEqual(['The first version: the DID is made from it.'])
  const rotated = {
    ...document,
    verificationMethod: [{ ...document.verificationMethod[0]!, publicKeyMultibase: 'z6MkDDDDEEEEFFFF' }],
    service: [],
    alsoKnownAs: ['https://example.org'],
    deactivated: true
  }
  expect(changesOf(document, rotated)).toEqual([
    'key added: #key-1 z6MkDDDDEEEE…',
    'key removed: #key-1 z6MkAAAABBBB…',
    'service removed: #site {"uri":"https://example.org"}',
    'also known as added: https://example.org',
    'deactivated for good'
  ])
  expect(changesOf(document, { ...document })).toEqual(['Other members changed.'])
})

describe('a pasted text', () => {
  it.each([
    [{ authorized_kid: { document } }, 'kid'],
    [{ document }, 'kid'],
    [document, 'kid'],
    [{ authorized_manifest: { manifest: { capabilities: [] } } }, 'manifest'],
    [{ id: DID, capabilities: [] }, 'manifest']
  ])('%# is told apart, wrapped or bare', (value, kind) => {
    const read = readSigned(JSON.stringify(value))
    expect(read).toEqual({ kind, value })
    expect('error' in read ? undefined : innerOf(read)).toEqual(
      kind === 'kid' ? document : expect.objectContaining({ capabilities: [] })
    )
  })

  it.each(['', '{', '[]', '3', 'null', '{"a":1}'])('%j is neither, and says so', (text) => {
    expect(readSigned(text)).toEqual({ error: expect.stringMatching(/not JSON|JSON object|neither/) as string })
  })
})
