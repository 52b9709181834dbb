/** A registered name through the DNS server of a real daemon. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { needPackages } from '../../scripts/packages.ts'
import { query, RCODE, read, TYPE, type Message } from '../dns/message.ts'
import { runProgram } from './dns/programs.ts'
import { acquainted, Daemon, eventually, register, runToEnd, Scene } from './processes.ts'

const scene = new Scene()
beforeAll(() => needPackages(['bind9-dnsutils']))
afterAll(() => scene.end())

const NAME = 'alice.chronym'
const zone = (value: string) => ({ records: { '@': [{ type: 'A', value }], www: [{ type: 'CNAME', value: '@' }] } })
const TLS = join(import.meta.dirname, '../dns/tls')
const MEDIA = 'application/dns-message'

interface Listen {
  readonly transport: string
  readonly address: string
  readonly port: number
}

async function listening(daemon: Daemon, transport: string, at = '127.0.0.1'): Promise<Listen> {
  const { body } = await daemon.request('GET', '/api/dns')
  return (body.listen as Listen[]).find((each) => each.transport === transport && each.address === at)!
}

async function overUdp({ address, port }: Listen, message: Uint8Array): Promise<Message> {
  const socket = createSocket('udp4')
  try {
    socket.send(message, port, address)
    const [reply] = (await once(socket, 'message')) as [Buffer]
    return read(reply)
  } finally {
    socket.close()
  }
}

async function overHttp(daemon: Daemon, message: Uint8Array<ArrayBuffer>): Promise<Message> {
  const response = await fetch(`${daemon.summary.api_url}/dns-query`, {
    method: 'POST',
    headers: { 'Content-Type': MEDIA, connection: 'close' },
    body: message
  })
  expect(response.status).toBe(200)
  return read(new Uint8Array(await response.arrayBuffer()))
}

async function overHttps({ port }: Listen, message: Uint8Array): Promise<Message> {
  const session = connectHttp2(`https://localhost:${port}`, { ca: readFileSync(join(TLS, 'cert.pem')) })
  try {
    const stream = session.request({ ':path': `/dns-query?dns=${Buffer.from(message).toString('base64url')}` })
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(stream, 'end')
    return read(Buffer.concat(chunks))
  } finally {
    session.destroy()
  }
}

const addressIn = ({ answers }: Message): string | undefined =>
  answers.find(({ type }) => type === TYPE.A)?.data.join('.')

describe('a daemon with DNS', () => {
  it('answers a name that it earned, over UDP, HTTP and HTTPS, and at once what is published later', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon([
      ...['--data-dir', directory, '--dns-https-listen', '127.0.0.1:0'],
      ...['--dns-tls-cert', join(TLS, 'cert.pem'), '--dns-tls-key', join(TLS, 'key.pem')]
    ])
    const udp = await listening(daemon, 'udp')
    expect(await overUdp(udp, query(NAME, TYPE.A))).toMatchObject({ rcode: RCODE.nxdomain, aa: true })

    await register(daemon, NAME, { zone: zone('192.0.2.1') })
    const replies = await Promise.all([
      overUdp(udp, query(NAME, TYPE.A)),
      overUdp(udp, query(`www.${NAME}`, TYPE.A)),
      overHttp(daemon, query(NAME, TYPE.A)),
      overHttps(await listening(daemon, 'https'), query(NAME, TYPE.A))
    ])
    expect(replies.map(addressIn)).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'])

    await daemon.request('POST', `/api/zone/${NAME}`, zone('192.0.2.2'))
    expect(await daemon.request('POST', `/api/zone/${NAME}/publish`)).toMatchObject({ status: 200 })
    expect(addressIn(await overUdp(udp, query(NAME, TYPE.A)))).toBe('192.0.2.2')

    await daemon.request('POST', '/api/config', { mode: 'offline' })
    const alone = await overUdp(udp, query(NAME, TYPE.A))
    expect(alone).toMatchObject({ ede: { code: 3 } })
    expect(addressIn(alone)).toBe('192.0.2.2')
    await daemon.request('POST', '/api/config', { mode: 'full' })
    await eventually(
      () => overUdp(udp, query(NAME, TYPE.A)),
      (reply) => addressIn(reply) === '192.0.2.2'
    )
    expect(await daemon.request('POST', '/api/dns/flush', { name: NAME })).toMatchObject({ body: { flushed: 1 } })
    const metrics = await fetch(`${daemon.summary.api_url}/metrics`, {
      headers: { authorization: `Bearer ${daemon.token}`, connection: 'close' }
    })
    expect(await metrics.text()).toMatch(/^chronym_dns_queries_total\{transport="udp"\} [1-9]/m)
    if (process.platform !== 'win32') expect(statSync(join(directory, 'dns-key')).mode & 0o777).toBe(0o600)
  })

  it('answers for its own name and for one that it holds while nobody else does, as dig sees it too', async () => {
    const owner = await scene.daemon(['--data-dir', scene.directory()])
    const holder = await scene.daemon(['--data-dir', scene.directory(), '--bootstrap', owner.address])
    await acquainted(owner, holder)
    await register(owner, NAME, { zone: zone('192.0.2.1') })
    // Enough peers hold it, this one or that: the holder among them.
    await eventually(
      () => holder.request('GET', `/api/explain/${NAME}`),
      (explained) => explained.body.held_here !== null && explained.body.held_here.state !== 'provisional'
    )
    const said = async (daemon: Daemon): Promise<object> => {
      const { status, headers, body } = await daemon.request('GET', `/api/resolve/${NAME}`)
      const { address, port } = await listening(daemon, 'udp')
      const { output: stdout } = await runProgram('dig', [
        ...[`@${address}`, '-p', String(port), '+tries=1', '+time=30', '+adflag', NAME, 'A']
      ])
      return {
        resolved: [status, body.source, headers.get('X-Confidence')],
        address: /IN\s+A\s+([\d.]+)/.exec(stdout)?.[1],
        isAuthentic: /flags:[^;]* ad[ ;]/.test(stdout),
        isStale: stdout.includes('EDE: 3')
      }
    }
    const alone = (source: string): object => ({
      resolved: [200, source, 'thin'],
      address: '192.0.2.1',
      isAuthentic: false,
      isStale: true
    })

    await holder.request('POST', '/api/config', { mode: 'offline' })
    expect(await said(holder)).toEqual(alone('held'))
    expect((await holder.request('GET', '/api/resolve/nobody.chronym')).body.code).toBe('SVC-RES-001')
    await owner.signal('SIGKILL')
    await holder.request('POST', '/api/config', { mode: 'full' })
    await eventually(
      () => holder.request('GET', `/api/resolve/${NAME}`),
      (resolved) => resolved.body.source === 'held'
    )
    expect(await said(holder)).toEqual(alone('held'))

    const again = await scene.daemon(['--data-dir', owner.summary.data_dir, '--mode', 'light'])
    expect(await said(again)).toEqual(alone('own'))
    await again.request('POST', '/api/config', { mode: 'offline' })
    expect(await said(again)).toEqual(alone('own'))
    expect((await again.request('GET', '/api/network-status')).body).toMatchObject({ status: 'offline', alone: true })
    expect(again.logText().match(/no peer answers: names/g)).toHaveLength(1)
  })

  it('denies none of its names after a restore, from the first query on, though nobody else holds them', async () => {
    const [directory, restored] = [scene.directory(), join(scene.directory(), 'restored')]
    const original = await scene.daemon(['--data-dir', directory])
    await register(original, NAME, { zone: zone('192.0.2.1') })
    const [backup, passphrase] = [join(directory, 'backup.age'), join(directory, 'passphrase')]
    writeFileSync(passphrase, 'correct horse battery\n')
    for (const args of [
      ['--data-dir', directory, 'backup', backup],
      ['--data-dir', restored, 'restore', backup, '--yes']
    ])
      expect(await runToEnd('src/cli/main.ts', [...args, '--passphrase-file', passphrase])).toMatchObject({ code: 0 })
    await original.signal('SIGKILL')

    const daemon = await scene.daemon(['--data-dir', restored])
    const udp = await listening(daemon, 'udp')
    const ask = async (name: string): Promise<object> => {
      const reply = await overUdp(udp, query(name, TYPE.A))
      return { address: addressIn(reply), rcode: reply.rcode, ad: reply.ad }
    }
    const own = { address: '192.0.2.1', rcode: RCODE.noerror, ad: false }
    expect([await ask(NAME), await ask(`www.${NAME}`)]).toEqual([own, own])
    expect(await daemon.request('GET', `/api/resolve/${NAME}`)).toMatchObject({ status: 200, body: { source: 'own' } })
    expect((await daemon.request('GET', `/api/explain/${NAME}`)).body).toMatchObject({
      resolves: 'thin',
      source: 'own'
    })
    // What nobody owns is denied as before.
    expect(await ask('nobody.chronym')).toMatchObject({ rcode: RCODE.nxdomain })
  })

  it('keeps its key over a restart, and a second daemon takes another port', async () => {
    const directory = scene.directory()
    const first = await scene.daemon(['--data-dir', directory])
    const second = await scene.daemon(['--data-dir', scene.directory()])
    expect((await listening(first, 'udp')).port).not.toBe((await listening(second, 'udp')).port)
    const anchorOf = async (daemon: Daemon): Promise<string> =>
      (await daemon.request('GET', '/api/dns')).body.anchor.ds as string
    const anchor = await anchorOf(first)
    expect(await anchorOf(second)).not.toBe(anchor)
    await first.signal('SIGTERM')
    expect(await anchorOf(await scene.daemon(['--data-dir', directory]))).toBe(anchor)
  })

  it('closes its sockets when it stops', async () => {
    // The next daemon of another test would take the port of old.
    const daemon = await scene.daemon(['--data-dir', scene.directory(), '--dns-listen', `${OWN_HOST}:0`])
    const { address, port } = await listening(daemon, 'tcp', OWN_HOST)
    const open = connect(port, address)
    await once(open, 'connect')
    expect(await daemon.signal('SIGTERM')).toBe(0)
    const again = connect(port, address)
    const [error] = (await once(again, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
    open.destroy()
  })
})

describe('a daemon does not start', () => {
  const start = (...args: string[]) =>
    runToEnd('src/daemon/main.ts', ['--data-dir', scene.directory(), '--port', '0', ...args])

  it('with an address for DNS that is taken, which it names', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await start('--dns-listen', `127.0.0.1:${port}`)
    server.close()
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC-DNS-002') as string })
    expect(stderr).toContain(`127.0.0.1:${port}`)
    expect(stderr).toContain('setcap cap_net_bind_service=+ep')
  })
})

describe('a daemon without DNS', () => {
  it('says so, and makes no key', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory, '--dns-enabled', 'false'])
    expect((await daemon.request('GET', '/api/dns')).body).toMatchObject({ enabled: false, listen: [], anchor: null })
    expect((await daemon.request('POST', '/api/dns/flush', {})).body).toMatchObject({ code: 'SVC-DNS-001' })
    expect(() => statSync(join(directory, 'dns-key'))).toThrow('ENOENT')
  })
})
