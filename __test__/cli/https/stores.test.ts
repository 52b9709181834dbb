/** Stores of browsers of which certutil says nothing. __test__/e2e/https-setup.test.ts has real ones. */
import { expect, it } from 'vitest'
import { createHost, type CommandResult, type Host } from '../../../src/cli/dns/setup/host.ts'
import { distrustInBrowsers, trustInBrowsers, untrustingStores } from '../../../src/cli/https/stores.ts'

const STORE = '/home/alice/.pki/nssdb'
const TRUSTED = {
  nickname: 'Chronym 1a2b',
  file: '/data/https-authority.pem',
  certificate: new Uint8Array(1),
  pem: 'of ours'
}

/** One store. `said`: what certutil says to each of its actions. */
function host(said: Readonly<Record<string, CommandResult>>, ran: string[] = []): Host {
  return {
    ...createHost('/nowhere'),
    exists: (path) => path === `${STORE}/cert9.db`,
    list: () => [],
    run([, action]) {
      ran.push(action!)
      return said[action!] ?? { code: 0, output: '' }
    }
  }
}

it.each([
  ['certutil is gone', { code: null, output: 'spawnSync certutil ENOENT' }, /libnss3-tools/],
  ['the database is locked', { code: 255, output: 'certutil: function failed: SEC_ERROR_BAD_DATABASE' }, /BAD_DATABASE/]
])('may still have it where %s: taking it back fails, and says so', (_, result, reason) => {
  const ran: string[] = []
  const failed = { store: STORE, state: 'failed', reason: expect.stringMatching(reason) as unknown }
  expect(distrustInBrowsers(host({ '-L': result }, ran), '/home/alice', TRUSTED)).toEqual([failed])
  expect(trustInBrowsers(host({ '-L': result }, ran), '/home/alice', TRUSTED)).toEqual([failed])
  expect(untrustingStores(host({ '-L': result }, ran), '/home/alice', TRUSTED)).toEqual([STORE])
  expect(ran).toEqual(['-L', '-L', '-L'])
})
