import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { signDevPulse, startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import type { BeaconChain, VerifiedPulse } from '../../src/beacon/types.ts'
import { roundTimeMs } from '../../src/protocol/time.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/profile/built-in.ts'
import { quicknet, recorded } from './quicknet.ts'
import { cleanup, client, closing, LOOPBACK, oddServer, pool, relay } from './scene.ts'

/** Rounds of the dev beacon, a second each. */
const DAY = 86_400
const [first, thousandth] = recorded as [VerifiedPulse, VerifiedPulse]

describe('pulses of a pinned chain', () => {
  it('gets real quicknet pulses, with their randomness, from a relay', async () => {
    const beacon = client({ urls: [(await relay()).url] })
    for (const pulse of recorded) expect(await beacon.get(pulse.round)).toEqual(pulse)
    expect(beacon.latest()?.round).toBe(1000)
  })

  it('answers a held round without asking again', async () => {
    const server = await relay()
    const beacon = client({ urls: [server.url] })
    await beacon.get(123)
    await server.close()
    expect((await beacon.get(123)).round).toBe(123)
    await expect(beacon.get(1000)).rejects.toMatchObject({ code: 'BEACON_UNAVAILABLE' })
  })

  it('refuses a tampered pulse', async () => {
    const signature = first.signature.slice()
    signature[47]! ^= 1
    const beacon = client({ urls: [(await relay([{ round: 123, signature }])).url] })
    await expect(beacon.get(123)).rejects.toMatchObject({ code: 'BEACON_INVALID_PULSE' })
    expect(beacon.latest()).toBeUndefined()
  })

  it('refuses the signature of another round', async () => {
    const beacon = client({ urls: [(await relay([{ round: 123, signature: thousandth.signature }])).url] })
    await expect(beacon.get(123)).rejects.toMatchObject({ code: 'BEACON_INVALID_PULSE' })
  })

  it('refuses a pulse of another chain that claims to be this one', async () => {
    const beacon = client({ urls: [(await relay([{ round: 123, signature: signDevPulse(123) }])).url] })
    await expect(beacon.get(123)).rejects.toMatchObject({ code: 'BEACON_INVALID_PULSE' })
  })

  it.each(['public_key', 'period', 'genesis', 'scheme'] as const)(
    'refuses a source whose chain has another %s',
    async (field) => {
      const other = { ...quicknet, [field]: typeof quicknet[field] === 'number' ? 7 : 'x' } as BeaconChain
      const beacon = client({ urls: [(await relay(recorded, other)).url] })
      await expect(beacon.get(123)).rejects.toMatchObject({ code: 'BEACON_WRONG_CHAIN' })
    }
  )

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses %s as a round', async (round) => {
    const beacon = client({ urls: [] })
    await expect(beacon.get(round)).rejects.toMatchObject({ code: 'BEACON_INVALID_ROUND' })
    expect(await beacon.verify({ round, signature: first.signature })).toBe(false)
  })
})

describe('a pulse that a peer hands over', () => {
  it('is accepted when it verifies, is held, and moves time', async () => {
    const beacon = client({ urls: [], now: () => roundTimeMs(500, quicknet) })
    expect(beacon.now()).toBe(500)
    expect(await beacon.verify(thousandth)).toBe(true)
    expect(beacon.now()).toBe(1000)
    expect(beacon.latest()).toEqual(thousandth)
    expect(await beacon.get(1000)).toEqual(thousandth)
  })

  it('is compared as bytes once its round is held', async () => {
    let checks = 0
    const beacon = client({
      urls: [],
      pool: {
        verifyPulse: (question) => {
          checks += 1
          return pool.verifyPulse(question)
        }
      }
    })
    expect(await beacon.verify(first)).toBe(true)
    expect(await beacon.verify(first)).toBe(true)
    expect(await beacon.verify({ round: 123, signature: thousandth.signature })).toBe(false)
    expect(checks).toBe(1)
  })

  it('is refused when it is not this chain\u2019s, and moves nothing', async () => {
    const beacon = client({ urls: [], now: () => roundTimeMs(5, quicknet) })
    expect(await beacon.verify({ round: 5000, signature: signDevPulse(5000) })).toBe(false)
    expect(await beacon.verify({ round: 123, signature: first.signature.subarray(1) })).toBe(false)
    expect(beacon.now()).toBe(5)
  })

  it('does not move time back', async () => {
    const beacon = client({ urls: [], now: () => 0 })
    const seen: number[] = []
    beacon.on('pulse', ({ round }) => seen.push(round))
    await beacon.verify(thousandth)
    await beacon.verify(first)
    expect(beacon.now()).toBe(1000)
    expect(seen).toEqual([1000])
  })

  it('warns once when the clock lags by more than 20 rounds', async () => {
    const warnings: string[] = []
    let round = 980
    const beacon = client({
      urls: [],
      now: () => roundTimeMs(round, quicknet),
      warn: (message) => warnings.push(message)
    })
    await beacon.verify(thousandth)
    expect(warnings).toEqual([])
    round = 100
    await beacon.verify(first)
    expect(warnings).toEqual([])

    const lagging = client({
      urls: [],
      now: () => roundTimeMs(979, quicknet),
      warn: (message) => warnings.push(message)
    })
    await lagging.verify(thousandth)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('clock lags')
  })

  it('forgets the oldest held pulse at its bound', async () => {
    const beacon = client({ urls: [], capacity: 1 })
    await beacon.verify(first)
    await beacon.verify(thousandth)
    expect((await beacon.get(1000)).round).toBe(1000)
    await expect(beacon.get(123)).rejects.toMatchObject({ code: 'BEACON_UNAVAILABLE' })
  })
})

describe('following the chain', () => {
  /** The dev beacon with a clock that the test moves. */
  async function devChain(startRound: number): Promise<{ url: string; clock: { ms: number; elapsedMs: number } }> {
    const clock = { ms: roundTimeMs(startRound, DEV_BEACON_CHAIN), elapsedMs: 0 }
    const server = closing(
      await startDevBeacon({
        ...LOOPBACK,
        profileBeacon: DEV_BEACON_CHAIN,
        now: () => clock.ms,
        elapsed: () => clock.elapsedMs
      })
    )
    return { url: server.url, clock }
  }

  it('emits each newer pulse and resolves those who wait for a round to come', async () => {
    const { url, clock } = await devChain(10)
    const beacon = client({ chain: DEV_BEACON_CHAIN, urls: [url], now: () => clock.ms, random: () => 0 })
    const seen: number[] = []
    const tenth = Promise.withResolvers<undefined>()
    beacon.on('pulse', ({ round }) => {
      seen.push(round)
      if (round === 10) tenth.resolve(undefined)
    })
    const waiting = beacon.waitFor(11)
    beacon.start()
    await tenth.promise
    clock.ms += 1000
    expect((await waiting).round).toBe(11)
    expect(seen.slice(0, 2)).toEqual([10, 11])
    expect((await beacon.waitFor(3)).round).toBe(3)
  })

  it('goes by the chain when its own clock is behind', async () => {
    const { url } = await devChain(5000)
    const beacon = client({ chain: DEV_BEACON_CHAIN, urls: [url], now: () => roundTimeMs(100, DEV_BEACON_CHAIN) })
    const waiting = beacon.waitFor(4990)
    beacon.start()
    expect((await waiting).round).toBe(4990)
    expect(beacon.now()).toBe(5000)
  })

  it('goes on after the clock was a day ahead and is set back, as the dev beacon does', async () => {
    const { url, clock } = await devChain(5000)
    const beacon = client({ chain: DEV_BEACON_CHAIN, urls: [url], now: () => clock.ms, random: () => 0 })
    const ahead = 5000 + DAY
    clock.ms += DAY * 1000
    expect((await beacon.waitFor(ahead)).round).toBe(ahead)
    clock.ms -= DAY * 1000
    expect(beacon.now()).toBe(ahead)
    const waiting = beacon.waitFor(ahead + 2)
    clock.ms += 2000
    clock.elapsedMs += 2000
    beacon.start()
    expect((await waiting).round).toBe(ahead + 2)
  })

  it('warns when the beacon goes down and when it is back, and waits through it', async () => {
    const { url, clock } = await devChain(10)
    let down = true
    const warnings: string[] = []
    // The proxy's state is what the test changes; the source behind it stays.
    const proxy = createServer((request, response) => {
      if (down) return void response.writeHead(503).end()
      fetch(`${url}${request.url ?? ''}`).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.writeHead(502).end()
      )
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    cleanup.push(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const beacon = client({
      chain: DEV_BEACON_CHAIN,
      urls: [`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`],
      now: () => clock.ms,
      random: () => 0,
      warn: (message) => {
        warnings.push(message)
        down = false
      }
    })
    beacon.start()
    expect((await beacon.waitFor(10)).round).toBe(10)
    expect(warnings[0]).toContain('no pulse from the beacon')
  })

  it('leaves a source whose pulses are old', async () => {
    const [stale, fresh] = [await relay([first]), await relay()]
    const beacon = client({ urls: [stale.url, fresh.url], now: () => roundTimeMs(1000, quicknet), random: () => 0 })
    const newest = Promise.withResolvers<undefined>()
    beacon.on('pulse', ({ round }) => round === 1000 && newest.resolve(undefined))
    beacon.start()
    await newest.promise
    expect(beacon.latest()).toEqual(thousandth)
  })

  it('can be started again after a stop', async () => {
    const { url, clock } = await devChain(10)
    const beacon = client({ chain: DEV_BEACON_CHAIN, urls: [url], now: () => clock.ms })
    beacon.start()
    beacon.stop()
    beacon.start()
    expect((await beacon.waitFor(10)).round).toBe(10)
  })

  it('ends every wait when it is stopped', async () => {
    const never = await oddServer(() => 'never')
    const beacon = client({ urls: [never.url], now: () => roundTimeMs(200, quicknet) })
    beacon.start()
    const waits = [beacon.waitFor(123), beacon.waitFor(10_000), beacon.get(7)]
    beacon.stop()
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'BEACON_UNAVAILABLE' })
  })

  it('ends one wait with its signal\u2019s reason and leaves the others', async () => {
    const { url, clock } = await devChain(10)
    const beacon = client({ chain: DEV_BEACON_CHAIN, urls: [url], now: () => clock.ms })
    const abort = new AbortController()
    const aborted = beacon.waitFor(1_000_000, abort.signal)
    const other = beacon.get(9)
    abort.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    expect((await other).round).toBe(9)
  })
})
