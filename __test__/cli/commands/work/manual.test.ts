import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { signDevPulse } from '../../../../src/beacon/dev-beacon.ts'
import { fromBase64, fromHex, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../../../src/protocol/claim/commitment.ts'
import { verifyStrict } from '../../../../src/protocol/crypto/ed25519.ts'
import { parseProfile, profileHash, type NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { decodeVdfProof, vdfSeed } from '../../../../src/protocol/claim/proof.ts'
import { revealSigningBytes } from '../../../../src/protocol/claim/reveal.ts'
import { pulseRandomness } from '../../../../src/protocol/time.ts'
import type { RevealBody } from '../../../../src/api/client/client.ts'
import type { Secret } from '../../../../src/cli/manual/commit.ts'
import { cli, words } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const NAME = 'alice.chronym'
const ROUND = 1000
const ITERATIONS = 500

let directory: string
let profile: NetworkProfile
const at = (name: string): string => join(directory, name)
const secretOf = (file: string): Secret => JSON.parse(readFileSync(file, 'utf8')) as Secret
const commit = (...more: string[]) =>
  cli(['commit', NAME, '--offline', '--network', at('profile.json'), '--seed-file', at('seed'), ...more])
const reveal = (...more: string[]) => cli(['reveal', NAME, '--offline', '--seed-file', at('seed'), ...more])

beforeAll(() => {
  directory = temporary()
  const { local } = builtInProfiles
  const json = { ...local, id: 'cheap', difficulty: { ...local.difficulty, base: ITERATIONS } }
  profile = parseProfile(json)
  writeFileSync(at('profile.json'), JSON.stringify(json))
  writeFileSync(at('seed'), '11'.repeat(32))
  writeFileSync(at('other-seed'), '22'.repeat(32))
})

describe('a commitment by hand', () => {
  it('prints the body to send and keeps its secret in a 0600 file', async () => {
    const { exitCode, stdout } = await commit('--file', at('one.json'))
    expect(exitCode).toBe(0)
    const secret = secretOf(at('one.json'))
    const expected = commitmentHash(NAME, fromHex(secret.public_key), fromHex(secret.salt), profileHash(profile))
    expect(JSON.parse(stdout)).toEqual({ name: NAME, commitment: { hash: [...expected] } })
    expect(secret).toMatchObject({ name: NAME, commitment: toHex(expected), pulse_round: null })
    if (process.platform !== 'win32') expect(statSync(at('one.json')).mode & 0o777).toBe(0o600)
  })

  it('draws another salt each time, and never overwrites a secret unasked', async () => {
    await commit('--file', at('two.json'))
    const first = secretOf(at('two.json'))
    const refused = await commit('--file', at('two.json'))
    expect(refused.exitCode).toBe(2)
    expect(secretOf(at('two.json'))).toEqual(first)
    expect((await commit('--file', at('two.json'), '--force')).exitCode).toBe(0)
    expect(secretOf(at('two.json')).salt).not.toBe(first.salt)
  })

  it('refuses a name that is none, and a seed file that is none without showing it', async () => {
    expect(
      (await cli(['commit', 'al_ice.chronym', '--offline', '--network', 'local', '--seed-file', at('seed')])).exitCode
    ).toBe(6)
    writeFileSync(at('bad-seed'), 'correct horse battery staple')
    const { exitCode, stderr } = await cli(
      words`commit ${NAME} --offline --network local --seed-file ${at('bad-seed')}`
    )
    expect(exitCode).toBe(2)
    expect(stderr).not.toContain('horse')
  })
})

describe('a reveal by hand', () => {
  const pulse = signDevPulse(ROUND)
  const withPulse = ['--pulse', toHex(pulse), '--pulse-round', String(ROUND)]

  it('proves the squarings for the pulse and signs the whole', async () => {
    const file = at('reveal.json')
    await commit('--file', file)
    writeFileSync(at('zone.txt'), 'www A 192.0.2.1\n')
    const { exitCode, stdout } = await reveal('--file', file, '--zone', at('zone.txt'), ...withPulse)
    expect(exitCode).toBe(0)
    const { reveal: body } = JSON.parse(stdout) as { reveal: RevealBody }
    expect(body).toMatchObject({ name: NAME, drand_pulse: ROUND, iterations: ITERATIONS })
    expect(Buffer.from(body.payload, 'base64').toString()).toBe(
      '{"records":{"www":[{"type":"A","value":"192.0.2.1"}]},"serial":1}'
    )

    const secret = secretOf(file)
    const proof = decodeVdfProof(fromBase64(body.vdf_proof))
    expect(toHex(proof.salt)).toBe(secret.salt)
    const unsigned = {
      ...body,
      pubkey: Uint8Array.from(body.pubkey),
      vdf_proof: fromBase64(body.vdf_proof),
      payload: fromBase64(body.payload)
    }
    expect(
      verifyStrict(fromBase64(body.signature), revealSigningBytes(unsigned, profileHash(profile)), unsigned.pubkey)
    ).toBe(true)

    const seed = vdfSeed(
      { commitment: fromHex(secret.commitment), round: ROUND, randomness: pulseRandomness(pulse) },
      profileHash(profile)
    )
    const question = [
      'vdf',
      'verify',
      '--seed',
      toHex(seed),
      '--bits',
      String(profile.discriminant_bits),
      '--iterations',
      String(ITERATIONS),
      '--proof',
      toHex(proof.proof)
    ]
    expect((await cli(question)).exitCode).toBe(0)
  })

  it('finds the network and the secret again without being told, and leaves nothing where it runs', async () => {
    const before = process.cwd()
    process.chdir(directory)
    const env = { CHRONYM_NETWORK: 'profile.json', CHRONYM_DATA_DIR: at('data') }
    const beside = readdirSync(directory)
    try {
      const made = await cli(['commit', NAME, '--offline', '--seed-file', 'seed'], { env })
      expect(made.exitCode).toBe(0)
      const file = at(`data/commitments/${NAME}.secret.json`)
      expect(made.stderr).toContain(file)
      expect(secretOf(file).network).toBe(at('profile.json'))
      expect(readdirSync(directory).filter((entry) => !beside.includes(entry))).toEqual(['data'])
      if (process.platform !== 'win32')
        expect([file, at('data/commitments'), at('data')].map((path) => statSync(path).mode & 0o777)).toEqual([
          0o600, 0o700, 0o700
        ])
      expect((await cli(['commit', NAME, '--offline', '--seed-file', 'seed'], { env })).exitCode).toBe(2)
      expect(
        await cli(['reveal', NAME, '--offline', '--seed-file', 'seed', ...withPulse], {
          env: { CHRONYM_DATA_DIR: at('data') }
        })
      ).toMatchObject({ exitCode: 0 })
    } finally {
      process.chdir(before)
    }
  })

  it('keeps the proof and computes nothing twice; another zone gets the next serial', async () => {
    const file = at('again.json')
    await commit('--file', file)
    const first = JSON.parse((await reveal('--file', file, ...withPulse)).stdout) as { reveal: RevealBody }
    writeFileSync(at('zone.json'), '{"serial": 5, "records": {}}')
    const second = await reveal('--file', file, '--zone', at('zone.json'), '--pulse', toHex(pulse))
    const body = (JSON.parse(second.stdout) as { reveal: RevealBody }).reveal
    expect(body.vdf_proof).toBe(first.reveal.vdf_proof)
    expect(Buffer.from(body.payload, 'base64').toString()).toBe('{"records":{},"serial":5}')
    expect(second.stderr).not.toContain('squaring')
  })

  it.each<[string, string[], number]>([
    ['another seed', ['--seed-file', 'other-seed'], 2],
    ['a pulse of another round', ['--pulse', toHex(signDevPulse(ROUND + 1)), '--pulse-round', String(ROUND)], 2],
    ['another network', ['--network', 'local'], 2],
    ['a zone that breaks a rule', ['--zone', 'bad-zone.txt'], 6],
    ['no secret file', ['--file', 'missing.json'], 2]
  ])('is refused before anything is computed with %s', async (_title, more, exitCode) => {
    const file = at('refused.json')
    writeFileSync(at('bad-zone.txt'), 'www A 1.2.3\n')
    await commit('--file', file, '--force')
    const args = more.map((word) => (/\.(?:txt|json)$|^other-seed$/u.test(word) ? at(word) : word))
    const result = await reveal('--file', file, ...withPulse, ...args)
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(result.stderr).not.toContain('squaring')
  })

  it('ends in good order when interrupted while it waits for the pulse', async () => {
    const file = at('waiting.json')
    await commit('--file', file)
    const { exitCode, stdout } = await cli(['reveal', NAME, '--offline', '--seed-file', at('seed'), '--file', file], {
      signal: AbortSignal.abort()
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' })
    expect(secretOf(file).pulse_round).toBeGreaterThan(ROUND)
  })

  it('does not let a commitment go from one pulse to another', async () => {
    const file = at('bound.json')
    await commit('--file', file)
    await reveal('--file', file, ...withPulse)
    const { exitCode, stderr } = await reveal('--file', file, '--pulse-round', String(ROUND + 1))
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`round ${ROUND} already`)
  })
})
