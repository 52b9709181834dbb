import { afterEach, describe, expect, it } from 'vitest'
import { ask, TYPE } from '../../../../src/cli/dns/probe/ask.ts'
import { probeDns, type Probe, type Step, type Verdict } from '../../../../src/cli/dns/probe/steps.ts'
import { addressBytes, type Resolvers } from '../../../../src/cli/dns/probe/system.ts'
import { DNSKEY_DATA, DnsScene, nameOf, ROUTE, say, typeOf, type Said } from '../scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())

const ADDRESS = Buffer.from([192, 0, 2, 7])

/** A server that has the zone's key; `about` says what it has of names. */
const ours = (zone: Said = { ad: true }, about: Said = { ad: true, data: [ADDRESS] }) =>
  scene.nameServer((query) => {
    if (nameOf(query) === 'chronym') return say(query, { data: [DNSKEY_DATA], ...zone })
    return say(query, typeOf(query) === TYPE.A ? about : { ...about, data: [] })
  })
const other = (said: Said) => scene.nameServer((query) => say(query, said))

interface Machine {
  daemon?: number
  servers?: number[]
  trustsAd?: boolean | undefined
  name?: string
  found?: string[] | string
}

async function probe({ daemon, servers, trustsAd = true, name, found = ['192.0.2.7'] }: Machine): Promise<Verdict> {
  const at = (port: number) => ({ address: '127.0.0.1', port })
  const resolvers: Resolvers = { from: '/etc/resolv.conf', servers: (servers ?? []).map(at), trustsAd }
  const settings: Probe = {
    route: { ...ROUTE, servers: [at(daemon ?? (await ours()))] },
    name,
    resolvers,
    ask: (server, question) => ask(server, question, 500),
    lookup: (asked) =>
      Promise.resolve(
        typeof found === 'string'
          ? { reason: `${found} ${asked}` }
          : { addresses: found.map((text) => ({ text, bytes: addressBytes(text) })) }
      )
  }
  return probeDns(settings)
}

const stepOf = ({ steps }: Verdict, name: Step['name']): Step | undefined => steps.find((step) => step.name === name)

describe('the test of a machine', () => {
  it('is passed where the first server has the zone of the daemon, with AD', async () => {
    const verdict = await probe({ servers: [await ours()] })
    expect(verdict).toMatchObject({ reaches: true, authenticated: true })
    expect(verdict.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'server ok',
      'resolver ok',
      'trust-ad ok'
    ])
  })

  it('says where AD gets lost: in the resolver, or in glibc', async () => {
    const unsigned = await probe({ servers: [await ours({ ad: false })] })
    expect(unsigned).toMatchObject({ reaches: true, authenticated: false })
    expect(stepOf(unsigned, 'trust-ad')).toMatchObject({
      state: 'warning',
      cure: expect.stringContaining('dns anchor')
    })
    const hidden = await probe({ servers: [await ours()], trustsAd: false })
    expect(hidden).toMatchObject({ reaches: true, authenticated: true })
    expect(stepOf(hidden, 'trust-ad')).toMatchObject({ state: 'warning', cure: expect.stringContaining('trust-ad') })
  })

  it('is failed by another server that answers first, as programs ask no second one then', async () => {
    const verdict = await probe({ servers: [await other({ rcode: 3 }), await ours()] })
    expect(verdict.reaches).toBe(false)
    expect(stepOf(verdict, 'resolver')).toMatchObject({ state: 'failed', cure: expect.stringContaining('dns setup') })
    expect(verdict.steps.filter(({ name }) => name === 'resolver')).toHaveLength(1)
  })

  it.each([2, 4, 5])('passes on to the second server after rcode %i, as programs do', async (rcode) => {
    const verdict = await probe({ servers: [await other({ rcode }), await ours()] })
    expect(verdict.reaches).toBe(true)
    expect(verdict.steps.filter(({ name }) => name === 'resolver').map(({ state }) => state)).toEqual(['warning', 'ok'])
  })

  it('is failed by a zone of the same name with another key: another daemon, or a forger', async () => {
    const stranger = Buffer.from(DNSKEY_DATA)
    stranger[20] = 0
    expect((await probe({ servers: [await ours({ ad: true, data: [stranger] })] })).reaches).toBe(false)
    const verdict = await probe({ daemon: await ours({ data: [stranger] }), servers: [await ours()] })
    expect(stepOf(verdict, 'server')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('another server')
    })
  })

  it('is failed without any server, and by one that is silent', async () => {
    expect(stepOf(await probe({ servers: [] }), 'resolver')?.detail).toContain('names no server')
    const silent = await scene.nameServer(() => undefined)
    expect(stepOf(await probe({ servers: [silent] }), 'resolver')).toMatchObject({ state: 'failed' })
  })
})

describe('the test of a name', () => {
  const name = 'alice.chronym'

  it('is passed where programs find what the daemon says', async () => {
    const verdict = await probe({ servers: [await ours()], name })
    expect(verdict).toMatchObject({ reaches: true, authenticated: true })
    expect(stepOf(verdict, 'programs')).toMatchObject({ state: 'ok', detail: expect.stringContaining('192.0.2.7') })
  })

  it('says why the daemon does not vouch for it', async () => {
    const thin = await ours({ ad: true }, { data: [ADDRESS], error: { code: 0, text: 'thin: 2 of 11 peers' } })
    const verdict = await probe({ daemon: thin, servers: [thin], name })
    expect(verdict).toMatchObject({ reaches: true, authenticated: false })
    expect(stepOf(verdict, 'name')).toEqual({
      name: 'name',
      state: 'warning',
      detail: 'alice.chronym: NOERROR, without AD (thin: 2 of 11 peers)',
      cure: expect.stringMatching(/^Ask why: chronym explain alice\.chronym\. .*check code/) as string
    })
  })

  it('is failed where programs find another address, or none', async () => {
    const servers = [await ours()]
    expect(await probe({ servers, name, found: ['192.0.2.8'] })).toMatchObject({ reaches: false })
    const none = await probe({ servers, name, found: 'ENOTFOUND' })
    expect(none.reaches).toBe(false)
    expect(stepOf(none, 'programs')?.detail).toBe('programs do not find alice.chronym: ENOTFOUND alice.chronym')
  })

  it('is passed by a name without addresses that programs do not find', async () => {
    const empty = await ours({ ad: true }, { ad: true })
    expect(await probe({ daemon: empty, servers: [empty], name, found: 'ENOTFOUND' })).toMatchObject({ reaches: true })
  })

  it('shows an absent name, and a daemon that is offline', async () => {
    const absent = await ours({ ad: true }, { rcode: 3 })
    expect(stepOf(await probe({ daemon: absent, servers: [absent], name, found: 'x' }), 'name')).toMatchObject({
      state: 'failed',
      detail: 'alice.chronym: NXDOMAIN, without AD'
    })
    const offline = await ours({ ad: true }, { rcode: 2, error: { code: 22, text: '' } })
    expect(stepOf(await probe({ daemon: offline, servers: [offline], name, found: 'x' }), 'name')?.detail).toBe(
      'alice.chronym: SERVFAIL, without AD (extended error 22)'
    )
  })
})
