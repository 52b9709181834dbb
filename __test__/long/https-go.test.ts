/** What Go makes of leaves that somebody signs with the key of a machine's authority: as __test__/native/https-authority.test.ts. */
import { generateKeyPairSync } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { pemOf } from '../../src/data-directory/https-authority.ts'
import { addon } from '../../src/native/addon.ts'

const TAKEN = ['alice.chronym', 'www.alice.chronym']
const REFUSED = ['example.com', 'evilchronym', 'chronym.example.com', '192.0.2.1', '2001:db8::1']

it('Go takes leaves of the authority for names of its suffix alone', { timeout: 600_000 }, () => {
  needPackages(['golang-go'])
  const directory = mkdtempSync(join(tmpdir(), 'chronym-go-'))
  try {
    const [certificate, key] = [join(directory, 'ca.pem'), join(directory, 'ca.key')]
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const der = privateKey.export({ format: 'der', type: 'pkcs8' })
    writeFileSync(certificate, pemOf(addon().authorityCertificate(der, 'chronym', Math.floor(Date.now() / 1000))))
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const program = join(import.meta.dirname, 'https-go/main.go')
    const { stdout, stderr } = spawnSync(
      programOf('golang-go'),
      ['run', program, certificate, key, ...TAKEN, ...REFUSED],
      { encoding: 'utf8', env: { ...process.env, GOCACHE: process.env['GOCACHE'] ?? join(directory, 'cache') } }
    )
    const verdicts = [...TAKEN.map((name) => `${name} true`), ...REFUSED.map((name) => `${name} false`)]
    expect(stdout.trim().split('\n'), stderr).toEqual(verdicts)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
