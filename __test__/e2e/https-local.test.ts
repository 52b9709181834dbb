/**
 * https without rules for the browser: in a network namespace whose resolver is the daemon, names with a key lead to
 * addresses of this machine, and curl and what speaks another protocol reach the origin by them.
 */
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeQuery } from '../../scripts/dns/message.ts'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { addon } from '../../src/native/addon.ts'
import { makeNamespace, own, startDaemon, type Namespace } from './dns/network.ts'
import { runProgram, startProgram, type Ended } from './dns/programs.ts'
import { runToEnd, Scene, type Daemon } from './processes.ts'

const NAME = 'alice.chronym'
const CLI = 'src/cli/main.ts'
/** At 127.0.0.1, as the zone says it: a site, plain HTTP, and what greets as sshd does and says what it was told. */
const ORIGIN = `import { createServer } from 'node:https'
import { createServer as createPlain } from 'node:http'
import { createServer as createTcp } from 'node:net'
import { readFileSync } from 'node:fs'
const pem = readFileSync(process.argv[1])
createServer({ key: pem, cert: pem }, ({ headers }, response) => response.end('the site of ' + headers.host))
  .listen(443, '127.0.0.1')
createPlain((request, response) => response.end('plain')).listen(80, '127.0.0.1')
createTcp({ allowHalfOpen: true }, (socket) => {
  socket.write('SSH-2.0-origin\\n')
  socket.on('data', (data) => socket.write('told: ' + data)).on('end', () => socket.end())
}).listen(22, '127.0.0.1', () => console.log('listening'))`
/** Says "hello" and prints what it hears. */
const TALK = `import { connect } from 'node:net'
connect({ host: process.argv[1], port: 22, allowHalfOpen: true }).on('error', (error) => console.log(error.code))
  .on('data', (data) => process.stdout.write(data)).end('hello')`

/** A mount namespace has for itself what update-ca-certificates writes to. */
const OWN_STORE = `export HOME="$1"; for path in /etc/ssl /usr/local/share/ca-certificates
do mkdir -p "$1$path"; cp -a "$path/." "$1$path"; mount --bind "$1$path" "$path" || exit; done`

const scene = new Scene()
let directory: string
let namespace: Namespace
let daemon: Daemon
let coded: string

const within = (command: string, ...args: string[]): Promise<Ended> =>
  runProgram(command, args, { within: namespace.within })
const curl = (...args: string[]): Promise<Ended> =>
  within(
    programOf('curl'),
    ...['-sS', '--max-time', '30', '--cacert', join(directory, 'data', 'https-authority.pem'), ...args]
  )
const addresses = async (host: string, type = 'A'): Promise<string> =>
  (await within('dig', '+short', '+tries=1', '+time=30', '@127.0.0.1', host, type)).output.trim()
const talk = (host: string): Promise<Ended> =>
  within(process.execPath, '--input-type=module', '--eval', TALK, '--', host)

beforeAll(async () => {
  needPackages(['bind9-dnsutils', 'iproute2', 'curl', 'ca-certificates', 'gnutls-bin'])
  directory = scene.directory()
  namespace = makeNamespace(scene)
  daemon = await startDaemon(scene, namespace, directory, ['--https-listen', '127.0.0.1:0'])
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const certificate = new X509Certificate(addon().serverCertificate(der, [NAME], (Date.now() / 1000) | 0))
  const pem = join(directory, 'origin.pem')
  writeFileSync(pem, `${privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()}${certificate.toString()}`)
  const origin = ['--input-type=module', '--eval', ORIGIN, '--', pem]
  scene.child(await startProgram(process.execPath, origin, /listening/, namespace.within))
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const here = { type: 'A', value: '127.0.0.1' }
  coded = await own(daemon, NAME, {
    '@': [here, { type: 'AAAA', value: '::1' }],
    '_443._tcp': [{ type: 'TLSA', value: `3 1 1 ${createHash('sha256').update(spki).digest('hex')}` }],
    bare: [here]
  })
  const setup = await runToEnd(CLI, ['--data-dir', join(directory, 'data'), 'https', 'setup', '--yes'], {
    environment: { HOME: directory }
  })
  expect(setup, setup.stderr).toMatchObject({ code: 0 })
})

afterAll(() => scene.end())

/** From outside the namespace, which the daemon's API is open to. */
const queryOverHttp = async () => {
  const dns = encodeQuery(0, { name: coded, type: 'A' }).toString('base64url')
  const response = await fetch(`${daemon.summary.api_url}/dns-query?dns=${dns}`, { headers: { connection: 'close' } })
  return { status: response.status, text: await response.text() }
}
const turn = (https: object) => daemon.request('POST', '/api/config', { https })

describe('https at addresses of this machine', () => {
  it('is there once it is turned on, for names with a key that the daemon vouches for', async () => {
    expect(await addresses(coded)).toBe('127.0.0.1')
    const on = { enabled: true, local_addresses: true }
    expect(await turn(on)).toMatchObject({ status: 200 })
    const address = await addresses(coded)
    expect(address).toMatch(/^127\.(6[4-9]|[78]\d|9[0-5])\.\d+\.\d+$/u)
    expect(await addresses(coded, 'AAAA')).toBe('')
    // No key, and no vouching on the first day.
    expect(await addresses(`bare.${coded}`)).toBe('127.0.0.1')
    expect(await addresses(NAME)).toBe('127.0.0.1')
    // For another machine they would be addresses of its own.
    expect((await queryOverHttp()).text).toMatch(/SVC-DNS-001.*its own machine alone/u)

    expect(await curl(`https://${coded}/`)).toEqual({ code: 0, output: `the site of ${coded}` })
    const moved = await curl('-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', `http://${coded}/a`)
    expect(moved).toEqual({ code: 0, output: `307 https://${coded}/a` })
    // Whatever name leads there.
    const other = await curl('--resolve', `example.com:443:${address}`, 'https://example.com/')
    expect(other.code).toBe(35)
  })

  it('passes ssh through to the origin', async () => {
    expect(await talk(coded)).toEqual({ code: 0, output: 'SSH-2.0-origin\ntold: hello' })
  })

  it('says by a command that the host had a key, and forgets it by another', async () => {
    const cli = async (...args: string[]): Promise<string> => {
      const ran = await runToEnd(CLI, ['--data-dir', join(directory, 'data'), ...args], {
        environment: { HOME: directory }
      })
      expect(ran, ran.stderr).toMatchObject({ code: 0 })
      return ran.stdout
    }
    const hosts = () => daemon.request('GET', '/api/https/hosts')
    expect((await hosts()).body).toEqual([{ host: coded, none_since: null }])
    expect(await cli('--no-json', 'explain', coded)).toContain(`${coded} had a key for https`)
    expect(JSON.parse(await cli('--json', 'https', 'forget', coded))).toEqual({ success: true, forgotten: true })
    expect((await hosts()).body).toEqual([])
    expect(JSON.parse(await cli('--json', 'https', 'forget', coded))).toEqual({ success: true, forgotten: false })
  })

  it('says which port another program has, and changes nothing', async () => {
    const program = `import { createServer } from 'node:net'\ncreateServer().listen(2022, '0.0.0.0', () => console.log('listening'))`
    const args = ['--input-type=module', '--eval', program]
    scene.child(await startProgram(process.execPath, args, /listening/, namespace.within))
    const refused = await turn({ pass_ports: ['2022'] })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toMatch(/127\.127\.255\.255:2022.*another program uses it/u)
    expect(await talk(coded)).toMatchObject({ code: 0 })
  })

  it("opens in programs that ask the system's store, from one command to its undoing", async () => {
    const programs = {
      curl: `${programOf('curl')} -s "https://$2/"`,
      gnutls: `gnutls-cli --logfile=/dev/null "$2" < "$1/request"`,
      node: `"$0" --use-system-ca -e 'fetch(process.argv[1]).then((r) => r.text()).then(console.log)' "https://$2/"`
    }
    writeFileSync(join(directory, 'request'), `GET / HTTP/1.1\r\nHost: ${coded}\r\nConnection: close\r\n\r\n`)
    const seen = Object.entries(programs).map(
      ([name, command]) => `${command} 2>&1 | grep -qF "the site of $2" && echo ${name}`
    )
    const setup = (option: string) =>
      `"$0" ${CLI} --data-dir "$1/data" --json https setup ${option} > "$1/said" || cat "$1/said"`
    const steps = [OWN_STORE, ...seen, setup('--system --yes'), ...seen, setup('--undo'), ...seen]
    const script = ['--mount', 'sh', '-c', steps.join('\n'), process.execPath, directory, coded]
    expect((await within('unshare', ...script)).output.split('\n')).toEqual([...Object.keys(programs), ''])
    const left = JSON.parse(readFileSync(join(directory, 'said'), 'utf8')) as object
    expect(left).toMatchObject({
      stores: expect.arrayContaining([{ store: expect.stringMatching(/^\/usr\/local/u), state: 'removed' }])
    })
  })

  it('is gone once it is turned off', async () => {
    expect(await turn({ local_addresses: false })).toMatchObject({ status: 200 })
    expect(await addresses(coded)).toBe('127.0.0.1')
    expect((await queryOverHttp()).status).toBe(200)
  })
})
