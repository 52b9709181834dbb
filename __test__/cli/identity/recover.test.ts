import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createIdentity } from '../../../src/protocol/identity/seed.ts'
import { buildRecovery } from '../../../src/cli/identity/recover.ts'
import { decodeMultikey, encodeMultibase, encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { didRecoveryKey, didUpdateKey, wordsToSeed } from '../../../src/protocol/crypto/keys.ts'
import {
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { verifyIdentityLog, verifyVersion } from '../../../src/protocol/identity/log.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { MAIN_TOKEN } from '../../api/helpers/world.ts'
import { DaemonScene } from '../daemon-scene.ts'
import { cli, type CliResult, says, words } from '../harness.ts'
import { temporary } from '../../temporary.ts'

const profile = builtInProfiles.local
const hash = profileHash(profile)
const CREATED = '2026-01-01T00:00:00.000Z'
const OLD = new Uint8Array(32).fill(7)
const NEW = new Uint8Array(32).fill(8)
const RECOVERY = keyPairFromSeed(new Uint8Array(32).fill(5))
const parts = { index: 0, services: [], alsoKnownAs: [] }
const genesis = createIdentity(OLD, { ...parts, recoveryKeys: [RECOVERY.publicKey] }, CREATED, profile)
const logOf = (...documents: IdentityDocument[]) => verifyIdentityLog(documents, profile)
const next = (former: IdentityDocument, changes: IdentityChanges, key = didUpdateKey(OLD, hash)): IdentityDocument =>
  signIdentityDocument(buildNextVersion(former, changes), key, CREATED, profile)
const keysOf = { seed: NEW, index: 0 }

const directory = temporary()
const at = (name: string): string => join(directory, name)
beforeAll(() => {
  writeFileSync(at('old'), '07'.repeat(32))
  writeFileSync(at('new'), '08'.repeat(32))
  writeFileSync(at('passphrase'), 'correct horse battery\n')
  writeFileSync(at('other-passphrase'), 'wrong horse battery\n')
})

/** It names cause and cure, ends with 2, prints nothing, and quotes no secret. */
function expectRefusal({ exitCode, stdout, stderr }: CliResult, cause: string, ...secrets: string[]): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(cause)
  expect(stderr).toContain('cure:')
  for (const secret of secrets) expect(stderr).not.toContain(secret)
}

const publicKeyIn = (stdout: string): string => stdout.trim()
const wordsIn = (file: string): string =>
  readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line !== '' && !line.startsWith('#'))!

describe('the file of a recovery key', () => {
  it('holds 24 words that nobody else may read, and the public key that is printed', async () => {
    const { exitCode, stdout, stderr } = await cli(['kid', 'recovery-key', at('plain')])
    expect(exitCode).toBe(0)
    const words = wordsIn(at('plain'))
    expect(encodeMultikey(keyPairFromSeed(wordsToSeed(words)).publicKey)).toBe(publicKeyIn(stdout))
    expect(stdout + stderr).not.toContain(words)
    if (process.platform !== 'win32') expect(statSync(at('plain')).mode & 0o777).toBe(0o600)
    expect(publicKeyIn((await cli(['kid', 'recovery-key', at('plain'), '--public'])).stdout)).toBe(publicKeyIn(stdout))
    writeFileSync(at('typed'), words.replaceAll(' ', '\n'))
    expect(publicKeyIn((await cli(['kid', 'recovery-key', at('typed'), '--public'])).stdout)).toBe(publicKeyIn(stdout))
  })

  it('is never written over another one', async () => {
    const before = readFileSync(at('plain'))
    expectRefusal(await cli(['kid', 'recovery-key', at('plain')]), 'is there already')
    expect(readFileSync(at('plain'))).toEqual(before)
  })

  it('is under a passphrase where that is asked for', async () => {
    const { stdout } = await cli(['kid', 'recovery-key', at('sealed'), '--passphrase-file', at('passphrase')])
    expect(readFileSync(at('sealed'), 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /u)
    expect(readFileSync(at('sealed'), 'latin1')).not.toContain(publicKeyIn(stdout))
    expect(
      publicKeyIn(
        (await cli(['kid', 'recovery-key', at('sealed'), '--public', '--passphrase-file', at('passphrase')])).stdout
      )
    ).toBe(publicKeyIn(stdout))
    expectRefusal(
      await cli(['kid', 'recovery-key', at('sealed'), '--public', '--passphrase-file', at('other-passphrase')]),
      'does not open'
    )
    expectRefusal(await cli(['kid', 'recovery-key', at('sealed'), '--public']), 'nobody can be asked')
    writeFileSync(at('cut-sealed'), readFileSync(at('sealed')).subarray(0, -1))
    expectRefusal(
      await cli(['kid', 'recovery-key', at('cut-sealed'), '--public', '--passphrase-file', at('passphrase')]),
      'does not open'
    )
    expectRefusal(await cli(['kid', 'recovery-key', at('nobody'), '--passphrase']), 'nobody can be asked')
    expect(existsSync(at('nobody'))).toBe(false)
  })

  it('is refused where it is cut, wrong, too long or not there', async () => {
    const text = readFileSync(at('plain'), 'utf8')
    const words = wordsIn(at('plain')).split(' ')
    const read = (content: string): Promise<CliResult> => {
      writeFileSync(at('broken'), content)
      return cli(['kid', 'recovery-key', at('broken'), '--public'])
    }
    expectRefusal(
      await read(text.slice(0, text.trimEnd().lastIndexOf(' '))),
      'a recovery key has 24 words, not 23',
      words.slice(3, 6).join(' ')
    )
    expectRefusal(await read('abandon '.repeat(24).trimEnd()), 'checksum')
    expectRefusal(
      await read(text.replace(/public key: \S+/u, `public key: ${encodeMultikey(RECOVERY.publicKey)}`)),
      'not of the public key'
    )
    expectRefusal(await read(' '.repeat(20_000)), '20000 bytes')
    expectRefusal(await cli(['kid', 'recovery-key', at('missing'), '--public']), "can't be read")
  })
})

describe('an identity with recovery keys', () => {
  const publicKey = encodeMultikey(RECOVERY.publicKey)
  const create = (...args: string[]): Promise<CliResult> =>
    cli(['kid', 'create', '--network', 'local', '--seed-file', at('old'), ...args])

  it('names those alone that are given', async () => {
    const other = encodeMultikey(keyPairFromSeed(new Uint8Array(32).fill(6)).publicKey)
    const { stdout } = await create('--recovery-key', publicKey, '--recovery-key', other)
    expect(
      (JSON.parse(stdout) as { authorized_kid: { document: IdentityDocument } }).authorized_kid.document.recoveryKeys
    ).toEqual([publicKey, other])
    expect(
      (JSON.parse((await create()).stdout) as { authorized_kid: { document: IdentityDocument } }).authorized_kid
        .document.recoveryKeys
    ).toEqual([encodeMultikey(didRecoveryKey(OLD, hash).publicKey)])
  })

  it.each([
    ['a secret Multikey', encodeMultibase(Uint8Array.from([0x80, 0x26, ...new Uint8Array(32).fill(5)]))],
    ['a seed in hex', '05'.repeat(32)],
    ['24 words', `${'abandon '.repeat(23)}art`],
    ['a secret key of age', 'AGE-SECRET-KEY-1QQPSYQCYQ5RQWZQFPG9SCRGWPUGPZYSNZS23V9CCRYDPK8QARC0SQ'],
    ['nothing', '']
  ])('is not made with %s as its public key, which is not repeated', async (_title, secret) => {
    for (const result of [
      await create('--recovery-key', secret),
      await cli(['kid', 'recover', genesis.id, '--recovery-key', secret])
    ]) {
      expectRefusal(result, 'needs a public Ed25519 key', ...(secret === '' ? [] : [secret]))
    }
  })
})

describe('the version that recovers an identity', () => {
  const stolen = next(genesis, {
    updateKeys: [encodeMultikey(didUpdateKey(NEW, hash, 9).publicKey)],
    alsoKnownAs: ['https://thief.example']
  })

  it('has no key of before but the recovery keys, and follows the newest version', () => {
    const { log, unsigned } = buildRecovery(logOf(genesis, stolen), { keysOf }, profile)
    const signed = signIdentityDocument(unsigned, RECOVERY, CREATED, profile)
    expect(verifyVersion(signed, log.versions.at(-1), profile).signer).toBe('recovery')
    expect(signed).toMatchObject({
      version: 3,
      updateKeys: [encodeMultikey(didUpdateKey(NEW, hash).publicKey)],
      recoveryKeys: genesis.recoveryKeys
    })
    expect(JSON.stringify(signed)).not.toContain(genesis.verificationMethod[0]!.publicKeyMultibase)
  })

  it('follows an earlier one where the later ones are to fall away', () => {
    const { log, unsigned } = buildRecovery(logOf(genesis, stolen), { keysOf, after: 1 }, profile)
    expect(log.versions).toHaveLength(1)
    expect(unsigned).toMatchObject({ version: 2 })
    expect(unsigned.alsoKnownAs).toBeUndefined()
  })

  it('revives an identity that was ended, and changes the recovery keys', () => {
    const other = keyPairFromSeed(new Uint8Array(32).fill(6)).publicKey
    const ended = next(genesis, { deactivated: true })
    expect(buildRecovery(logOf(genesis, ended), { keysOf, recoveryKeys: [other] }, profile).unsigned).toMatchObject({
      recoveryKeys: [encodeMultikey(other)]
    })
    expect(buildRecovery(logOf(genesis, ended), { keysOf }, profile).unsigned).not.toHaveProperty('deactivated')
  })

  it('keeps all keys where only the recovery keys are to change', () => {
    const other = keyPairFromSeed(new Uint8Array(32).fill(6)).publicKey
    const { unsigned } = buildRecovery(logOf(genesis), { recoveryKeys: [other] }, profile)
    expect(unsigned).toMatchObject({
      updateKeys: genesis.updateKeys,
      verificationMethod: genesis.verificationMethod,
      recoveryKeys: [encodeMultikey(other)]
    })
  })

  it('is not prepared where it would come to nothing', () => {
    const bare = createIdentity(OLD, { ...parts, recoveryKeys: [] }, CREATED, profile)
    const byRecovery = next(genesis, {}, RECOVERY)
    const prepare =
      (log = logOf(genesis), after?: number, seed = NEW) =>
      () =>
        buildRecovery(log, { keysOf: { seed, index: 0 }, after }, profile)
    expect(prepare(logOf(genesis), 1, OLD)).toThrow('a thief of that key would have the identity again')
    expect(prepare(logOf(bare))).toThrow('no recovery key')
    expect(prepare(logOf(genesis), 2)).toThrow('versions 1 to 1')
    expect(prepare(logOf(genesis, byRecovery), 1)).toThrow('version 2 is by a recovery key')
    expect(() =>
      buildRecovery(logOf(genesis), { keysOf }, { ...profile, limits: { ...profile.limits, kid_versions: 1 } })
    ).toThrow('a log holds no more')
  })
})

describe('a recovery on the command line', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  async function prepare(did: string, document: IdentityDocument = genesis): Promise<CliResult> {
    const { url, world } = await scene.daemon()
    world.answers.resolveIdentityLog = (asked) =>
      asked === genesis.id
        ? Promise.resolve({ did: asked, versions: [{ ...document }] })
        : world.node.registry.resolveIdentityLog(asked)
    return cli(words`--api ${url} --token ${MAIN_TOKEN} kid recover ${did} --network local --seed-file ${at('new')}`)
  }
  const sign = (file: string, ...args: string[]): Promise<CliResult> =>
    cli(['--data-dir', at('none'), 'kid', 'sign', file, ...args])

  it('is prepared, signed by the key of the seed or a file, and publishable', async () => {
    const { stdout } = await prepare(genesis.id)
    writeFileSync(at('prepared'), stdout)
    const publicKey = publicKeyIn((await cli(['kid', 'recovery-key', at('own')])).stdout)
    expectRefusal(
      await sign(at('prepared'), '--recovery-key-file', at('own')),
      `${publicKey} is not a recovery key of ${genesis.id}`,
      wordsIn(at('own'))
    )
    expectRefusal(await sign(at('prepared'), '--seed-file', at('old')), 'the seed has no recovery key')
    expectRefusal(
      await sign(at('prepared'), '--seed-file', at('old'), '--recovery-key-file', at('own')),
      'exclude each other'
    )

    const mine = createIdentity(
      OLD,
      { ...parts, recoveryKeys: [decodeMultikey(publicKey), didRecoveryKey(OLD, hash, 3).publicKey] },
      CREATED,
      profile
    )
    const { unsigned } = buildRecovery(logOf(mine), { keysOf }, profile)
    const { chronym_recovery } = JSON.parse(stdout) as { chronym_recovery: object }
    writeFileSync(at('mine'), JSON.stringify({ chronym_recovery: { ...chronym_recovery, log: [mine], unsigned } }))
    for (const args of [
      ['--recovery-key-file', at('own')],
      ['--seed-file', at('old')]
    ]) {
      const signed = await sign(at('mine'), ...args)
      expect(signed).toMatchObject(says(0, unsigned.updateKeys[0]!))
      const { document } = (JSON.parse(signed.stdout) as { authorized_kid: { document: IdentityDocument } })
        .authorized_kid
      expect(verifyIdentityLog([mine, document], profile).versions[1]!.signer).toBe('recovery')
    }
  })

  it('is refused where the file is cut, changed, of another network or already something else', async () => {
    const text = (await prepare(genesis.id)).stdout
    const signText = (content: string, ...args: string[]): Promise<CliResult> => {
      writeFileSync(at('changed'), content)
      return sign(at('changed'), '--recovery-key-file', at('own'), ...args)
    }
    expect(await signText(text.slice(0, -10))).toMatchObject(says(2, 'is not JSON'))
    expectRefusal(await signText('{}'), 'is not a recovery')
    // The two files, the wrong way round.
    const words = wordsIn(at('own'))
    // Its beginning would be quoted, and a random word could be one of the message's own.
    for (const secret of [`qwxz ${words}`, `"qwxz ${words}" x`])
      expectRefusal(await signText(secret), 'is not JSON', 'qwxz')
    expectRefusal(await signText(text, '--network', 'test'), 'another network')
    expectRefusal(
      await signText(
        text.replaceAll(
          encodeMultikey(RECOVERY.publicKey),
          publicKeyIn((await cli(['kid', 'recovery-key', at('own'), '--public'])).stdout)
        )
      ),
      'does not verify'
    )
    expectRefusal(await cli(['kid', 'publish', at('prepared')]), 'nobody has signed')
  })

  it('is not prepared for a DID that nobody knows, or by a daemon that shows another log', async () => {
    const unknown = createIdentity(NEW, parts, CREATED, profile).id
    expect(await prepare(unknown)).toMatchObject({
      ...says(4, new RegExp(`${unknown}[^]*cure: Check the DID`, 'u')),
      stdout: ''
    })
    expectRefusal(await prepare('alice.chronym'), 'is not a DID')
    expect(await prepare(genesis.id, createIdentity(NEW, parts, CREATED, profile))).toMatchObject({
      ...says(2, 'ask another one'),
      stdout: ''
    })
  })
})
