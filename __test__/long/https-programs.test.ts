/**
 * What Go makes of leaves that somebody signs with the key of a machine's authority, as
 * __test__/native/https-authority.test.ts; and Go and requests by the proxy.
 */
import { generateKeyPairSync } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NAME, startScene } from '../../bench/https/scene.ts'
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
    const program = join(import.meta.dirname, 'https-programs/verify.go')
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

it('Go and requests open a site by the proxy, with variables of the environment', { timeout: 600_000 }, async () => {
  needPackages(['golang-go', 'httpie', 'nginx'])
  const directory = mkdtempSync(join(tmpdir(), 'chronym-go-'))
  const site = await startScene(null)
  const proxy = await site.start('ours', null)
  try {
    const authority = join(directory, 'ca.pem')
    writeFileSync(authority, proxy.ca)
    const variables = {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      SSL_CERT_FILE: authority,
      REQUESTS_CA_BUNDLE: authority,
      GOCACHE: process.env['GOCACHE'] ?? join(directory, 'cache')
    }
    const url = `https://${NAME}:${site.originPort}/small`
    const run = (program: string, args: readonly string[], env: object) =>
      spawnSync(program, [...args, url], { encoding: 'utf8', env: { ...process.env, ...env } })
    const go = ['run', join(import.meta.dirname, 'https-programs/get.go')]
    const httpie = ['--ignore-stdin', '--body', 'GET']
    expect(run(programOf('golang-go'), go, variables)).toMatchObject({ status: 0, stdout: 'a page <nil>\n' })
    expect(run(programOf('httpie'), httpie, variables)).toMatchObject({ status: 0, stdout: 'a page' })
    // Neither asks an authority that it was not given.
    const others = { ...variables, SSL_CERT_FILE: '', REQUESTS_CA_BUNDLE: '' }
    for (const [program, args] of [
      [programOf('golang-go'), go],
      [programOf('httpie'), httpie]
    ] as const)
      expect(run(program, args, others).status).toBe(1)
  } finally {
    await proxy.stop()
    rmSync(directory, { recursive: true })
  }
})
