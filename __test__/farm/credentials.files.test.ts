/** Files with keys for a farm's server, as people make them. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { beforeEach, describe, expect, it } from 'vitest'
import { isNatsUrls } from '../../src/config/nats-url.ts'
import { authenticatorOf, makeKey, requireFitFiles } from '../../src/farm/credentials.ts'
import { shellWord } from '../../src/util/shell-commands.ts'
import { cli } from '../cli/harness.ts'
import { temporary } from '../temporary.ts'

const key = nkeys.createUser()
const SEED = Buffer.from(key.getSeed()).toString()
const PUBLIC_KEY = key.getPublicKey()
const ACCOUNT = Buffer.from(nkeys.createAccount().getSeed()).toString()

let file: string
beforeEach(() => {
  file = join(temporary(), 'a key.nk')
})

const write = (text: string): void => writeFileSync(file, text, { mode: 0o600 })
/** The key that answers what a server asks. */
const answers = (): unknown => (authenticatorOf(file)('nonce') as { nkey?: string }).nkey

describe('a file', () => {
  it.each([
    ['a seed', SEED],
    ['a seed with line ends of Windows', `${SEED}\r\n\r\n`],
    ['what `nk -gen user -pubout` prints', `${SEED}\n${PUBLIC_KEY}\n`]
  ])('with %s opens a farm', (_what, text) => {
    write(text)
    expect(answers()).toBe(PUBLIC_KEY)
  })

  it.each([
    ['nothing', '', 'has neither the seed'],
    ['a public key alone', PUBLIC_KEY, 'has neither the seed'],
    ['the seed of an account', ACCOUNT, 'has neither the seed'],
    ['two seeds', `${SEED}\n${Buffer.from(nkeys.createUser().getSeed()).toString()}`, 'has neither the seed'],
    ['a seed that lacks its end', SEED.slice(0, -3), 'has a seed with a wrong or missing character'],
    [
      'a seed and the public key of another',
      `${SEED}\n${nkeys.createUser().getPublicKey()}`,
      'is not that of its seed'
    ],
    ['words', 'my secret', 'has neither the seed'],
    [
      'a .creds file whose seed is none',
      '-----BEGIN NATS USER JWT-----\nabc\n------END NATS USER JWT------\n-----BEGIN USER NKEY SEED-----\nSUX\n------END USER NKEY SEED------\n',
      'has a seed with a wrong'
    ]
  ])('with %s is refused, and how to make one is said', (_what, text, message) => {
    write(text)
    expect(() => authenticatorOf(file)).toThrow(message)
    expect(() => authenticatorOf(file)).toThrow('`chronym farm key FILE`')
  })

  it.each([0o644, 0o660, 0o604, 0o640])('of mode %o is refused until its cure was pasted', (mode) => {
    write(SEED)
    chmodSync(file, mode)
    expect(() => authenticatorOf(file)).toThrow(`chmod 600 ${shellWord(file)}`)
    chmodSync(file, 0o600)
    expect(answers()).toBe(PUBLIC_KEY)
  })

  it('that is a folder, or an authority that is none, is refused', () => {
    mkdirSync(file)
    expect(() => requireFitFiles({ credentials: file, ca: '' })).toThrow('is no file')
    expect(() => requireFitFiles({ credentials: '', ca: file })).toThrow('is no file')
    expect(() => requireFitFiles({ credentials: '', ca: import.meta.filename })).toThrow('has no certificate in PEM')
  })

  it('that was made here has mode 600, and opens a farm with the key that was said', () => {
    const publicKey = makeKey(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(answers()).toBe(publicKey)
  })
})

describe('chronym farm key', () => {
  it('makes a key, prints its public part, and writes over nothing', async () => {
    const { exitCode, stdout, stderr } = await cli(['farm', 'key', file])
    expect(exitCode).toBe(0)
    expect(answers()).toBe(stdout.trim())
    expect(stderr).toContain(`{ nkey: ${stdout.trim()} }`)
    expect(stderr + stdout).not.toContain(readFileSync(file, 'utf8').trim())
    const again = await cli(['farm', 'key', file])
    expect(again.exitCode).toBe(2)
    expect(again.stderr).toContain('is there already')
    expect(answers(), 'it is as it was').toBe(stdout.trim())
  })

  it('says why a file cannot be written', async () => {
    const { exitCode, stderr } = await cli(['farm', 'key', '/nonexistent/key.nk'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("/nonexistent/key.nk can't be written")
  })
})

describe('chronym worker', () => {
  it.each([
    ['a key that is none', () => ['--credentials', file], 'has neither the seed'],
    ['a key that is not there', () => ['--credentials', `${file}.none`], 'there is no file'],
    ['an authority that is none', () => ['--ca', file], 'has no certificate'],
    ['a URL with an impossible port', () => ['--farm', 'nats://farm.example:99999'], 'must be the URL']
  ])('ends with 2 for %s, instead of trying without end', async (_what, args, message) => {
    write('x')
    const { exitCode, stderr } = await cli([
      'worker',
      '--farm',
      'nats://127.0.0.1:4222',
      '--network',
      'local',
      ...args()
    ])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})

it.each([
  ...['nats://farm.example:4222', 'nats://farm', 'tls://n1.example:4222,tls://n2.example:4222', 'nats://[::1]:4222'],
  ...['nats://127.0.0.1:4222', 'nats://farm.example.:1']
])('%s can be dialled', (url) => {
  expect(isNatsUrls(url)).toBe(true)
})

it.each([
  ...[
    'nats://farm:99999',
    'nats://farm:0',
    'nats://:4222',
    'nats://',
    'nats://farm:x',
    'nats://farm/path',
    'nats://a b'
  ],
  ...[
    'nats://user:pw@farm',
    'http://farm',
    'nats://farm,',
    'nats://farm?x=1',
    'nats://farm#x',
    'nats://[::g]',
    'nats://a..b'
  ]
])('%s cannot be dialled', async (url) => {
  expect(isNatsUrls(url)).toBe(false)
  writeFileSync(file, `[vdf]\nfarm = "${url}"\n`)
  const { exitCode, stderr } = await cli(['config', 'check', file])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('vdf.farm: must be the URL of a NATS server')])
})
