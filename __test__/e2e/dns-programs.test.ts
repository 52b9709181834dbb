/**
 * A registered name in the programs that people use, in a network namespace whose resolv.conf names our server: dig,
 * kdig, getent, curl, Chromium, and ssh, which takes the server's key from the zone. The daemon pins no owner firmly
 * meanwhile, so it signs the name with its check code alone.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { makeNamespace, own, startDaemon, type Namespace } from './dns/network.ts'
import { runProgram, startProgram, type Ended } from './dns/programs.ts'
import { Scene, type Daemon } from './processes.ts'

const NAME = 'alice.chronym'
const CLI = join(import.meta.dirname, '../../src/cli/main.ts')
const PAGE = 'the page of alice'
const SERVER_NAME = 'dns.test'
const WEB_SERVER = `import { createServer } from 'node:http'
createServer((request, response) => response.end('<title>${PAGE}</title>' + request.headers.host))
  .listen(80, () => console.log('listening'))`

const scene = new Scene()
let directory: string
let namespace: Namespace
let daemon: Daemon
/** The name with its check code. */
let coded: string

const within = (command: string, ...args: string[]): Promise<Ended> =>
  runProgram(command, args, { within: namespace.within })
const dig = (...args: string[]): Promise<Ended> => within('dig', '+tries=1', '+time=30', ...args)

beforeAll(async () => {
  needPackages([
    'bind9-dnsutils',
    'knot-dnsutils',
    'iproute2',
    'libc-bin',
    'curl',
    'chromium',
    'openssh-server',
    'openssh-client',
    'openssl'
  ])
  directory = scene.directory()
  namespace = makeNamespace(scene)
  const [key, certificate] = await makeCertificate()
  daemon = await startDaemon(scene, namespace, directory, [
    ...['--dns-tls-listen', '127.0.0.1:853', '--dns-https-listen', '127.0.0.1:443'],
    ...['--dns-tls-cert', certificate, '--dns-tls-key', key]
  ])
  const web = ['--input-type=module', '--eval', WEB_SERVER]
  scene.child(await startProgram(process.execPath, web, /listening/, namespace.within))
  const fingerprint = await startSshServer()
  coded = await own(daemon, NAME, {
    '@': [
      { type: 'A', value: namespace.address },
      { type: 'SSHFP', value: fingerprint }
    ],
    www: [{ type: 'CNAME', value: `${NAME}.` }],
    '*.wild': [{ type: 'TXT', value: '"any"' }]
  })
})

afterAll(() => scene.end())

async function makeCertificate(): Promise<[key: string, certificate: string]> {
  const [key, certificate] = [join(directory, 'tls.key'), join(directory, 'tls.pem')]
  await runProgram(programOf('openssl'), [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${SERVER_NAME}`, '-addext', `subjectAltName=DNS:${SERVER_NAME}`],
    ...['-keyout', key, '-out', certificate]
  ])
  return [key, certificate]
}

/** An sshd with keys of its own, at port 22 of the namespace; gives the SSHFP data of its key, by SHA-256. */
async function startSshServer(): Promise<string> {
  const [hostKey, userKey] = ['host', 'user'].map((name) => join(directory, name)) as [string, string]
  for (const file of [hostKey, userKey])
    await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
  // Where it gives up its rights: a service's start makes it elsewhere.
  mkdirSync('/run/sshd', { recursive: true })
  const options = {
    HostKey: hostKey,
    AuthorizedKeysFile: `${userKey}.pub`,
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'prohibit-password'
  }
  const args = [
    '-D',
    '-e',
    '-f',
    '/dev/null',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  ]
  const server = await startProgram(programOf('openssh-server'), args, /Server listening/, namespace.within)
  scene.onEnd(() => end(server, 'SIGTERM'))
  const { output } = await runProgram('ssh-keygen', ['-r', NAME, '-f', `${hostKey}.pub`])
  return /IN SSHFP (4 2 [0-9a-f]+)/.exec(output)![1]!
}

/** With no known hosts, and forbidden to ask: only a trusted SSHFP record lets it in. */
const ssh = (host: string): Promise<Ended> =>
  within(
    'ssh',
    ...['-F', '/dev/null', '-i', join(directory, 'user'), '-o', 'BatchMode=yes', '-o', 'VerifyHostKeyDNS=yes'],
    ...['-o', 'StrictHostKeyChecking=yes', '-o', `UserKnownHostsFile=${join(directory, 'known_hosts')}`],
    ...['-o', 'GlobalKnownHostsFile=/dev/null', '-o', 'UpdateHostKeys=no', `root@${host}`, 'echo inside']
  )

describe('in a namespace whose resolv.conf names our server', () => {
  it('dig has the answer by UDP and TCP, with AA, and with a check code AD when it asks', async () => {
    for (const transport of ['+notcp', '+tcp']) {
      for (const [name, flags] of [
        [coded, 'qr aa rd ad'],
        [NAME, 'qr aa rd']
      ] as const) {
        const { output } = await dig(transport, name)
        expect(output).toMatch(new RegExp(`status: NOERROR[^]*flags: ${flags};`))
        expect(output).toMatch(new RegExp(`\\n${name}\\.\\s+\\d+\\s+IN\\s+A\\s+${namespace.address}\\n`))
      }
    }
    expect((await dig('+dnssec', `x.wild.${coded}`, 'TXT')).output).toMatch(/IN\s+RRSIG\s+TXT 13 4 /)
    expect((await dig('+noadflag', coded)).output).toMatch(/flags: qr aa rd;/)
  })

  it('dig has NXDOMAIN for a name that nobody registered, and REFUSED for names of others', async () => {
    expect((await dig('nobody.chronym')).output).toMatch(/status: NXDOMAIN/)
    expect((await dig('example.com')).output).toMatch(/status: REFUSED[^]*EDE: 20/)
  })

  it.each([
    ['dig', '+https', '443'],
    ['dig', '+tls', '853'],
    ['kdig', '+https', '443'],
    ['kdig', '+tls', '853']
  ])('%s %s has it by a certificate that it verifies', async (program, transport, port) => {
    const trust = [`+tls-ca=${join(directory, 'tls.pem')}`, `+tls-hostname=${SERVER_NAME}`]
    const { output } = await within(program, '@127.0.0.1', '-p', port, transport, ...trust, NAME, 'A')
    expect(output).toMatch(new RegExp(`IN\\s+A\\s+${namespace.address}\\n`))
  })

  it('getent, and so every program that asks the C library, has it', async () => {
    const { output } = await within('getent', 'hosts', `www.${NAME}`)
    expect(output).toMatch(new RegExp(`^${namespace.address}\\s+alice\\.chronym`))
  })

  it('curl and Chromium open the page at the name', async () => {
    expect((await within('curl', '-sS', `http://${NAME}/`)).output).toBe(`<title>${PAGE}</title>${NAME}`)
    const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
    const { output } = await within(
      'chromium',
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
      ...[`--user-data-dir=${join(directory, 'chromium')}`, '--dump-dom', `http://www.${NAME}/`]
    )
    expect(output).toContain(`<title>${PAGE}</title>`)
    expect(output).toContain(`www.${NAME}</body>`)
  })

  it('ssh refuses the bare name, as no pin is firm; dns test names the cure', async () => {
    const { output } = await dig('+dnssec', NAME, 'SSHFP')
    expect(output).toMatch(/status: NOERROR[^]*flags: qr aa rd;[^]*EDE: 0[^]*no firm pin yet/)
    expect(await ssh(NAME)).toMatchObject({
      code: 255,
      output: expect.stringContaining('Host key verification failed') as string
    })
    const test = [CLI, '--json', '--data-dir', join(directory, 'data'), 'dns', 'test']
    expect((await within(process.execPath, ...test, NAME)).output).toMatch(
      /without AD \(no firm pin yet[^]*with its check code/
    )
    expect((await within(process.execPath, ...test, coded)).output).toContain('"authenticated":true')
  })

  it('ssh connects to the name with its check code with no question, by the SSHFP record', async () => {
    expect(await ssh(coded)).toMatchObject({ code: 0, output: expect.stringMatching(/^inside\n/) as string })
    expect(() => readFileSync(join(directory, 'known_hosts'))).toThrow('ENOENT')
  })
})
