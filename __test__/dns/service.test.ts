import { generateKeyPairSync } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDnsService, disabledDns, type DnsService, type DnsServiceParts } from '../../src/dns/service.ts'
import { ServiceError } from '../../src/errors.ts'
import { startDnsServer } from '../../src/native/addon.ts'
import type { DnsListen } from '../../src/native/dns.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { waitFor } from '../wait-for.ts'
import { query, RCODE, read, TYPE, type Message } from './message.ts'
import { NAME, revealOf, settled, SmallRegistry } from './scene.ts'

const profile = builtInProfiles.local
const key = new Uint8Array(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })
)
const FREE: DnsListen[] = [{ transport: 'udp', address: '127.0.0.1', port: 0 }]

/** Its denial would be the parent's. */
const DS = 43

let registry: SmallRegistry
let service: DnsService
let logged: string[]

function create(listen = FREE, more: Partial<DnsServiceParts> = {}): DnsService {
  return createDnsService({
    registry,
    profile,
    isForwarding: false,
    startServer: (onQuestion) =>
      startDnsServer(
        {
          tld: profile.tld,
          key,
          serial: 1,
          listen,
          tls: null,
          forward: [],
          isPublic: false,
          cacheBytes: 2 ** 20
        },
        onQuestion
      ),
    keyed: { list: () => [], forget: () => undefined },
    nowMs: () => 0,
    log: {
      warn: (_fields, message) => void logged.push(message),
      error: (_fields, message) => void logged.push(message)
    },
    ...more
  })
}

async function ask(name: string, type: number = TYPE.A, options?: { dnssec?: boolean }): Promise<Message> {
  return read((await service.query(query(name, type, options), '127.0.0.1', true)).message)
}
const address = ({ answers }: Message): string | undefined => answers[0]?.data.join('.')

beforeEach(() => {
  logged = []
  registry = new SmallRegistry()
  service = create()
  service.start()
})
afterEach(() => service.stop())

describe('the DNS server of a daemon', () => {
  it('looks a name up once, and answers from what it knows', async () => {
    registry.names.set(NAME, settled('192.0.2.1'))
    const replies = await Promise.all([ask(NAME), ask(NAME), ask(NAME, TYPE.TXT)])
    expect(replies[0]).toMatchObject({ rcode: RCODE.noerror, aa: true, ad: true, answers: [{ type: TYPE.A, ttl: 60 }] })
    expect(address(replies[0])).toBe('192.0.2.1')
    expect(replies[2]).toMatchObject({ rcode: RCODE.noerror, answers: [], authorityTypes: [TYPE.SOA] })
    expect(registry.asked).toEqual([NAME])
  })

  it('answers over a socket', async () => {
    registry.names.set(NAME, settled('192.0.2.1'))
    const [{ address: host, port }] = service.listening() as [DnsListen]
    const socket = createSocket('udp4')
    try {
      socket.send(query(NAME, TYPE.A), port, host)
      const [reply] = (await once(socket, 'message')) as [Buffer]
      expect(address(read(reply))).toBe('192.0.2.1')
    } finally {
      socket.close()
    }
  })

  it('says NXDOMAIN of names that nobody has, and how long that may be kept', async () => {
    const { message, maxAge } = await service.query(query('nobody.chronym', TYPE.A), '127.0.0.1', true)
    expect(read(message)).toMatchObject({ rcode: RCODE.nxdomain, authorityTypes: [TYPE.SOA] })
    expect(maxAge).toBe(60)
  })

  it('says of what it does not vouch for why, and signs it not', async () => {
    registry.names.set(NAME, {
      ...settled('192.0.2.1'),
      resolved: {
        reveal: revealOf('192.0.2.1'),
        checkCode: '7kq2mx0123456789abcdefghjk',
        confidence: 'thin',
        source: 'network'
      }
    })
    const reply = await ask(NAME, TYPE.A, { dnssec: true })
    expect(reply).toMatchObject({ ad: false, ede: { code: 0, text: expect.stringContaining('thin') as string } })
    expect(reply.answers.map(({ type }) => type)).toEqual([TYPE.A])
    registry.names.set(NAME, settled('192.0.2.1'))
    registry.forget(NAME)
    const signed = await ask(NAME, TYPE.A, { dnssec: true })
    expect(signed).toMatchObject({ ad: true, ede: undefined })
    expect(signed.answers.map(({ type }) => type)).toEqual([TYPE.A, TYPE.RRSIG])
  })

  it('lets the proxy dial a private address for a name of its own, and for no other', async () => {
    service.setProxy({
      address: '127.0.0.1',
      port: 0,
      allowPrivate: [],
      localPorts: null,
      keyed: [],
      onKeyed: () => undefined
    })
    const { port } = service.view().https!
    registry.names.set(NAME, settled('127.0.0.1'))
    const opened = async (): Promise<string> => {
      // Port 1: nobody listens there.
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET http://${NAME}:1/ HTTP/1.1\r\n\r\n`)
      return text(socket)
    }
    const refused = await opened()
    expect(refused).toContain(`${NAME} leads to a private address`)
    expect(refused).toContain(`chronym config add https.allow_private ${NAME}`)
    registry.own.add(NAME)
    registry.forget(NAME)
    expect(await opened()).toContain(`${NAME} cannot be reached`)
  })

  it('is told at once that what it knows no longer holds', async () => {
    registry.names.set(NAME, settled('192.0.2.1'))
    await ask(NAME)
    registry.names.set(NAME, settled('192.0.2.2'))
    expect(address(await ask(NAME))).toBe('192.0.2.1')
    registry.forget(NAME)
    expect(address(await ask(NAME))).toBe('192.0.2.2')
    registry.names.set(NAME, settled('192.0.2.3'))
    registry.forget()
    expect(address(await ask(NAME))).toBe('192.0.2.3')
    registry.forget('did:chronym:zQmNobody')
  })

  it('drops what it knows of a name with a code together with the name, in every spelling', async () => {
    const spellings = ['alice--7kq2m1.chronym', 'alice--7kq2ml.chronym']
    for (const each of spellings) registry.names.set(each, settled('192.0.2.1'))
    for (const each of spellings) expect(address(await ask(each))).toBe('192.0.2.1')
    for (const each of spellings) registry.names.set(each, settled('192.0.2.2'))
    registry.forget(NAME)
    for (const each of spellings) expect(address(await ask(each))).toBe('192.0.2.2')
  })

  it('vouches for a name with a code where the bare one is contested, and never denies it', async () => {
    const proven = settled('192.0.2.1')
    if ('resolved' in proven) proven.resolved.confidence = 'proven'
    registry.names.set('alice--7kq2mx.chronym', proven)
    registry.names.set(NAME, new ServiceError('SVC-RES-004', 'x'))
    expect(await ask('ALICE--7kq2mx.chronym')).toMatchObject({ ad: true, ede: undefined, rcode: RCODE.noerror })
    expect(await ask(NAME)).toMatchObject({ ad: false, rcode: RCODE.servfail })

    const coded = 'alice--zzzzzz.chronym'
    const failure = new ServiceError('SVC-RES-002', 'nobody shows it', { extensions: { check_code: 'zzzzzz' } })
    registry.names.set(coded, { failure, freshMs: 30_000, staleMs: 30_000 })
    for (const name of [coded, `www.${coded}`])
      for (const type of [TYPE.A, TYPE.NS, TYPE.SOA, DS])
        expect(await ask(name, type, { dnssec: true }), `${name} ${type}`).toMatchObject({
          rcode: RCODE.servfail,
          ad: false,
          answers: [],
          authorityTypes: [],
          ede: { code: 0, text: 'nobody shows it' }
        })
  })

  it('does not answer from a look-up that began before a publication', async () => {
    registry.names.set(NAME, settled('192.0.2.1'))
    const gate = Promise.withResolvers<undefined>()
    // The answer of before: it is read from the registry, then held back.
    const old = registry.names.get(NAME)!
    let calls = 0
    registry.lookUp = async () => {
      if (++calls > 1) return settled('192.0.2.2')
      await gate.promise
      return old as ReturnType<typeof settled>
    }
    const asking = ask(NAME)
    await waitFor(() => expect(calls).toBe(1))
    registry.forget(NAME)
    gate.resolve(undefined)
    expect(address(await asking)).toBe('192.0.2.2')
    expect(address(await ask(NAME))).toBe('192.0.2.2')
  })

  it('answers SERVFAIL with the reason while offline, and in place of what is contested', async () => {
    registry.names.set('bob.chronym', new ServiceError('SVC-RES-001', 'x'))
    expect(await ask('bob.chronym')).toMatchObject({ rcode: RCODE.servfail, ede: { code: 22 } })
    registry.names.set('eve.chronym', new ServiceError('SVC-RES-004', 'x'))
    expect(await ask('eve.chronym')).toMatchObject({
      rcode: RCODE.servfail,
      ede: { code: 0, text: expect.stringContaining('contested') as string }
    })
  })

  it('answers with what it knew while nobody can be asked, and no longer once the name is contested', async () => {
    registry.names.set(NAME, { ...settled('192.0.2.1'), freshMs: 0 })
    await ask(NAME)
    registry.names.set(NAME, new ServiceError('SVC-RES-001', 'x'))
    expect(await ask(NAME)).toMatchObject({ rcode: RCODE.noerror, ede: { code: 3 }, answers: [{ ttl: 30 }] })

    registry.names.set('bob.chronym', { ...settled('192.0.2.1', 'bob.chronym'), freshMs: 0 })
    await ask('bob.chronym')
    registry.names.set('bob.chronym', new ServiceError('SVC-RES-004', 'x'))
    await waitFor(async () => expect(await ask('bob.chronym')).toMatchObject({ rcode: RCODE.servfail }))
  })

  it('answers what nobody foresaw with SERVFAIL, and logs it', async () => {
    registry.names.set(NAME, new TypeError('x is undefined'))
    expect(await ask(NAME)).toMatchObject({
      rcode: RCODE.servfail,
      ede: { code: 0, text: expect.stringContaining('internal error') as string }
    })
    expect(logged).toEqual(['a name could not be looked up for DNS'])
  })

  it('shows itself', async () => {
    await ask(NAME)
    service.announce([{ transport: 'https', address: '127.0.0.1', port: 8443 }])
    const [listen] = service.listening()
    expect(service.view()).toMatchObject({
      enabled: true,
      zone: 'chronym.',
      listen: [listen, { transport: 'https', address: '127.0.0.1', port: 8443 }],
      forwarding: false,
      https: null,
      anchor: { ds: expect.stringContaining('IN DS') as string, algorithm: 13 },
      stats: { names: 1, queries: { https: 1 }, answers: { nxdomain: 1 }, waiting: 0 }
    })
  })

  it('forgets a name, or all, here and in the registry', async () => {
    registry.names.set(NAME, settled('192.0.2.1'))
    await ask(NAME)
    await ask('bob.chronym')
    expect(service.flush('WWW.Alice.Chronym.')).toBe(1)
    expect(service.flush(NAME)).toBe(0)
    expect(service.flush()).toBe(1)
    expect(registry.forgotten).toEqual([NAME, NAME, undefined])
    for (const name of ['example.net', 'chronym', '', 'a b.chronym'])
      expect(() => service.flush(name)).toThrow(expect.objectContaining({ code: 'SVC-NAM-001' }) as Error)
  })

  it('refuses what is not a query with SVC-REQ-001', async () => {
    for (const message of [new Uint8Array(3), new Uint8Array(5_000), new Uint8Array(0)])
      await expect(service.query(message, '127.0.0.1', true)).rejects.toMatchObject({ code: 'SVC-REQ-001' })
  })

  it('names the address on which it cannot listen: SVC-DNS-002', async () => {
    const taken = service.listening()
    const second = create(taken)
    expect(() => second.start()).toThrow(expect.objectContaining({ code: 'SVC-DNS-002' }) as Error)
    expect(() => second.start()).toThrow(`127.0.0.1:${taken[0]!.port}`)
    await second.stop()
  })

  it('ends with look-ups under way, and is off afterwards', async () => {
    const aborted = Promise.withResolvers<undefined>()
    registry.before = (_name, options) =>
      new Promise((_resolve, reject) => {
        options!.signal!.addEventListener('abort', () => {
          aborted.resolve(undefined)
          reject(options!.signal!.reason as Error)
        })
      })
    const asking = ask(NAME)
    const ended = expect(asking).rejects.toMatchObject({ code: 'SVC-DNS-001' })
    await waitFor(() => expect(registry.asked).toEqual([NAME]))
    await service.stop()
    await Promise.all([aborted.promise, ended])
    await expect(ask(NAME)).rejects.toMatchObject({ code: 'SVC-DNS-001' })
    expect(() => service.flush()).toThrow(expect.objectContaining({ code: 'SVC-DNS-001' }) as Error)
    expect(service.view()).toMatchObject({ listen: [], anchor: null, stats: null })
    registry.forget(NAME)
    expect(logged).toEqual([])
  })

  it('says that it is off where it is', async () => {
    const off = disabledDns(profile)
    expect(off.view()).toEqual({
      enabled: false,
      zone: 'chronym.',
      listen: [],
      forwarding: false,
      https: null,
      anchor: null,
      stats: null
    })
    for (const act of [() => off.flush(), () => off.keyedHosts(), () => off.forgetKeyed('alice.chronym')])
      expect(act).toThrow(expect.objectContaining({ code: 'SVC-DNS-001' }) as Error)
    await expect(off.query(new Uint8Array(0), '127.0.0.1', true)).rejects.toMatchObject({ code: 'SVC-DNS-001' })
  })
})
