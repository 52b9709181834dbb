import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseService } from '../../../../src/cli/identity/create.ts'
import { createIdentity } from '../../../../src/protocol/identity/seed.ts'
import { makeManifest, parseCapability, parseManifestDraft } from '../../../../src/cli/identity/manifest.ts'
import { ServiceError } from '../../../../src/errors.ts'
import { verifyIdentityLog } from '../../../../src/protocol/identity/log.ts'
import { identityDid, parseIdentityDocument } from '../../../../src/protocol/identity/document.ts'
import { parseManifest, verifyManifest } from '../../../../src/protocol/identity/manifest.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { DID } from '../../../api/helpers/records.ts'
import { MAIN_TOKEN } from '../../../api/helpers/world.ts'
import { DaemonScene } from '../../daemon-scene.ts'
import { cli, type CliResult, says, words } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const profile = builtInProfiles.local
const NOW = '2026-01-01T00:00:00.000Z'
const seed = new Uint8Array(32).fill(7)
const parts = { index: 0, services: [], alsoKnownAs: [] }

describe('an identity made on the command line', () => {
  const directory = temporary()
  beforeAll(() => {
    writeFileSync(join(directory, 'seed'), '07'.repeat(32))
  })

  it('is a signed document that a node accepts, with the DID of its content', async () => {
    const { exitCode, stdout } = await cli(
      words`kid create --network local --seed-file ${join(directory, 'seed')} --service files=FileServer=https://files.example/?a=b`
    )
    expect(exitCode).toBe(0)
    const document = parseIdentityDocument(
      (JSON.parse(stdout) as { authorized_kid: { document: unknown } }).authorized_kid.document,
      profile
    )
    expect(identityDid(document, profile)).toBe(document.id)
    expect(verifyIdentityLog([document], profile).did).toBe(document.id)
    expect(document.service).toEqual([
      { id: `${document.id}#files`, type: 'FileServer', serviceEndpoint: 'https://files.example/?a=b' }
    ])
  })

  it('has another DID for another index of the same seed', () => {
    expect(createIdentity(seed, { ...parts, index: 1 }, NOW, profile).id).not.toBe(
      createIdentity(seed, parts, NOW, profile).id
    )
  })

  it.each(['files', 'files=FileServer', '=FileServer=https://x', 'files==https://x'])(
    'refuses the service %j',
    (text) => {
      expect(() => parseService(text)).toThrow('ID=TYPE=URL')
    }
  )
})

describe('an identity that is published at once', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  it('is signed by the daemon of the directory, whose seed the command line does not read', async () => {
    const { url, world } = await scene.daemon()
    await world.own('alice.chronym')
    const dataDir = scene.dataDirectory(url)
    const service = ['--service', 'files=FileServer=https://files.example']
    const args = ['--data-dir', dataDir, 'kid', 'create', '--publish', '--name', 'alice.chronym', ...service]
    expect(await cli([...args, '--index', '3'])).toMatchObject({ exitCode: 0, stderr: '' })
    const services = [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }]
    expect(world.calls.at(-1)).toEqual({
      operation: 'createKid',
      arguments: [{ name: 'alice.chronym', services, index: 3 }]
    })
  })
})

describe('a DID that the daemon does not show', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  it.each([['kid', 'show'], ['manifest', 'show'], ['resolve']])(
    'is refused by %j %j with cause and cure',
    async (...command) => {
      const { url, world } = await scene.daemon()
      const show = (did: string): Promise<CliResult> => cli(['--api', url, '--token', MAIN_TOKEN, ...command, did])
      expect(await show(DID)).toMatchObject(
        says(4, new RegExp(`SVC-RES-002: No identity document is known for ${DID}[^]*cure: Check the DID`, 'u'))
      )
      world.answers.resolveIdentity = (did: string) =>
        Promise.reject(
          new ServiceError('SVC-REQ-001', `${did} is not a DID of this network.`, {
            errors: [{ path: 'did', message: 'too short' }]
          })
        )
      expect(await show('did:chronym:z')).toMatchObject(
        says(6, /SVC-REQ-001: did:chronym:z is not a DID of this network[^]*cure: Give the whole DID/u)
      )
      if (command[0] !== 'resolve')
        expect(await show('alice.chronym')).toMatchObject(says(2, '"alice.chronym" is not a DID'))
    }
  )
})

describe('a manifest made on the command line', () => {
  const document = createIdentity(seed, { ...parts, index: 3 }, NOW, profile)
  const identity = {
    kid_document: { ...document, verificationMethod: [...document.verificationMethod] },
    manifest_document: { capabilities: [], version: 4 },
    manifest_answered: true
  }

  it('is signed by the key that the document lists, and is the next version', () => {
    const draft = {
      capabilities: [{ ...parseCapability('files file-transfer https https://files.example all my files') }]
    }
    const manifest = parseManifest(
      JSON.parse(JSON.stringify(makeManifest(seed, draft, identity, 30, Date.parse(NOW), profile))),
      profile
    )
    verifyManifest(manifest, verifyIdentityLog([document], profile))
    expect(manifest).toMatchObject({
      id: document.id,
      kid_version: 1,
      version: 5,
      validFrom: NOW,
      validUntil: '2026-01-31T00:00:00.000Z'
    })
    expect(manifest.capabilities).toEqual([
      {
        id: 'files',
        type: 'file-transfer',
        protocol: 'https',
        endpoint: 'https://files.example',
        description: 'all my files'
      }
    ])
  })

  it('is refused with the seed of somebody else', () => {
    expect(() =>
      makeManifest(new Uint8Array(32), { capabilities: [] }, identity, 30, Date.parse(NOW), profile)
    ).toThrow(document.id)
  })

  it.each([
    ['null', null],
    ['no capabilities', {}],
    ['a capability without endpoint', { capabilities: [{ id: 'a', type: 'b', protocol: 'c' }] }]
  ])('is not a manifest with %s', (_title, json) => {
    expect(() => parseManifestDraft(json, 'm.json')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('m.json is not a manifest') as string,
        cure: expect.stringContaining('"capabilities"') as string
      })
    )
  })
})
