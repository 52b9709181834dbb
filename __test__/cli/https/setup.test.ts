import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { local } from '../../../src/protocol/profile/built-in.ts'
import { seedToWords } from '../../../src/protocol/crypto/keys.ts'
import { temporary } from '../../temporary.ts'
import { cli, says } from '../harness.ts'

it('has no other user for a data directory that is not there, to root neither', async () => {
  const root = join(temporary(), 'none')
  const { exitCode, stderr } = await cli(['--data-dir', root, 'https', 'setup', '--yes'])
  expect({ exitCode, stderr }).toMatchObject(says(4, `${root} has no file seed-words`))
})

it.each(['com', 'net'])(
  'makes no authority for .%s because a profile says so, and one where its user does',
  async (tld) => {
    const root = join(temporary(), 'data')
    mkdirSync(root, { mode: 0o700 })
    writeFileSync(join(root, 'seed-words'), `${seedToWords(new Uint8Array(32).fill(7))}\n`, { mode: 0o600 })
    const profile = join(root, '..', 'profile.json')
    writeFileSync(profile, JSON.stringify({ ...local, id: 'stranger', tld }))
    const env = { CHRONYM_NETWORK: profile, HOME: join(root, '..') }
    const setup = (...more: string[]) => cli(['--data-dir', root, 'https', 'setup', '--yes', ...more], { env })
    for (const more of [[], ['--zone', 'chronym'], ['--zone', `x.${tld}`]])
      expect(await setup(...more)).toMatchObject(says(2, `name it: --zone ${tld}`))
    expect(readdirSync(root)).toEqual(['seed-words'])
    await setup('--zone', `${tld.toUpperCase()}.`)
    expect(readdirSync(root)).toContain('https-authority.pem')
  }
)
