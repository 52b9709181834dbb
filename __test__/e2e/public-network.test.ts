/**
 * Twelve real daemons at public addresses, each in a network namespace and a /24 and /48 of its own: some machines have
 * both IP versions, some IPv4 alone, some listen by IPv6 alone, and one has nothing else. All know the first one only.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { test } from '../../src/protocol/profile/built-in.ts'
import type { NetworkStatusView, PeerView } from '../../src/views/network.ts'
import { eventually, register, Scene, type Daemon } from './processes.ts'
import { makeNamespaces, type Ground } from './network/namespaces.ts'

const NODES = 12
/** It has IPv6 alone. */
const ALONE = 11
/** Daemons that start at the same time. */
const TOGETHER = 3

/** Public, so that private addresses (of the wire to us) count for nothing; a cheap contest allows cheap names. */
const PROFILE = {
  ...test,
  id: 'public-fleet',
  scope: 'public',
  difficulty: { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 1,
  settle: 8,
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4
}

const ipv4 = (index: number): string => `45.${40 + index}.7.2`
const ipv6 = (index: number): string => `2a0${(index % 9) + 1}:${index + 1}00:7::2`

/** Both versions by default; 4 to 7 have no IPv6; 8 to 11 listen by IPv6 alone, on a port of their own choice; 11 has no IPv4. */
function ground(index: number): Ground {
  const addresses = [`${ipv4(index)}/8`, `${ipv6(index)}/12`]
  if (index < 4) return { addresses, listen: null }
  if (index < 8) return { addresses: addresses.slice(0, 1), listen: null, hasIPv6: false }
  return { addresses: index === ALONE ? addresses.slice(1) : addresses, listen: '/ip6/::/tcp/7470' }
}

/** Those that one can reach, without itself. */
function others(index: number): number {
  return index === ALONE ? NODES - 5 : index >= 4 && index < 8 ? NODES - 2 : NODES - 1
}

/** Where a daemon must be announced once it is confirmed. */
const expected = (index: number): string[] =>
  index < 4
    ? [`/ip4/${ipv4(index)}/tcp/7469`, `/ip6/${ipv6(index)}/tcp/7469`]
    : index < 8
      ? [`/ip4/${ipv4(index)}/tcp/7469`]
      : [`/ip6/${ipv6(index)}/tcp/7470`]

/** The namespace of a place, as the arguments that come before a command there. */
const within: (readonly string[])[] = []
const scene = new Scene()
const daemons: Daemon[] = []

const status = async (daemon: Daemon): Promise<NetworkStatusView> =>
  (await daemon.request('GET', '/api/network-status')).body as NetworkStatusView
const peersOf = async (daemon: Daemon): Promise<PeerView[]> =>
  (await daemon.request('GET', '/api/peers')).body as PeerView[]
const announced = ({ addresses }: NetworkStatusView): string[] =>
  addresses.filter(({ state }) => state === 'announced').map(({ address }) => address.replace(/\/p2p\/.*/, ''))

beforeAll(async () => {
  const places = makeNamespaces(NODES, ground)
  if (places === undefined) throw new Error('this test makes network namespaces: run it as root, with iproute2')
  scene.onEnd(() => places.remove())
  within.push(...places.places.map(({ surroundings }) => surroundings.within!))
  const directory = scene.directory()
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon(['--host', places.ourHost])))
  const start = async (index: number): Promise<void> => {
    const { listen, surroundings, apiHost } = places.places[index]!
    const first = daemons[0]?.summary.peer_id
    const at = index === ALONE ? `/ip6/${ipv6(0)}` : `/ip4/${ipv4(0)}`
    const announce = expected(0).flatMap((address) => ['--announce', address])
    const bootstrap = first === undefined ? announce : ['--bootstrap', `${at}/tcp/7469/p2p/${first}`]
    daemons[index] = await scene.daemon(
      [
        ...['--network', profile, '--data-dir', join(directory, String(index)), '--host', apiHost],
        ...['--beacon-url', url, '--log-level', 'warn', '--dns-enabled', 'false', ...bootstrap]
      ],
      { ...surroundings, listen }
    )
  }
  await start(0)
  const { addresses, connecting, mode, auto } = await status(daemons[0]!)
  expect(mode).toBe('light')
  expect(auto).toContain('On a first node of a network')
  expect(addresses.filter(({ state }) => state === 'unconfirmed')).toHaveLength(2)
  expect(connecting).toContain('No bootstrap peer is configured')
  await eventually(
    () => status(daemons[0]!),
    (now) => now.mode === 'full' && now.auto!.includes('p2p.announce names its address')
  )
  for (let at = 1; at < NODES; at += TOGETHER)
    await Promise.all(Array.from({ length: Math.min(TOGETHER, NODES - at) }, (_, index) => start(at + index)))
})

afterAll(() => scene.end())

it('have their addresses confirmed by others, of both IP versions, and announce nothing else', async () => {
  for (const [index, daemon] of daemons.entries()) {
    const { addresses } = await eventually(
      () => status(daemon),
      (now) => announced(now).join() === expected(index).join()
    )
    const others = daemons.filter((other) => other !== daemon).map(({ summary }) => summary.peer_id)
    for (const { state, confirmed_by: by } of addresses) {
      expect(by.length > 0).toBe(state === 'announced')
      expect(others).toEqual(expect.arrayContaining(by))
    }
    expect(daemon.logText()).not.toMatch(/IPv6|EAFNOSUPPORT|EADDRNOTAVAIL/)
  }
})

it('each become full once peers of other prefixes have dialled them', async () => {
  for (const daemon of daemons) {
    const { mode } = await eventually(
      () => status(daemon),
      ({ auto }) => auto!.startsWith('Full: peers of other prefixes reach it at')
    )
    expect(mode).toBe('full')
  }
})

it('all find each other through the first one', async () => {
  const ofBoth = daemons.slice(0, 4).map(({ summary }) => summary.peer_id)
  for (const [index, daemon] of daemons.entries()) {
    // A machine of both versions counts by IPv4, once it was dialled there, where it came by IPv6.
    const isCounted = ({ peer: id, prefix }: PeerView): boolean =>
      prefix === null || !ofBoth.includes(id) || prefix.startsWith(index === ALONE ? '2a0' : '45.')
    const known = await eventually(
      () => peersOf(daemon),
      (peers) => peers.filter(({ in_table }) => in_table).length === others(index) && peers.every(isCounted)
    )
    expect(known.every(({ prefix }) => prefix === null || /^45\.|^2a0/.test(prefix))).toBe(true)
  }
})

it('register names that resolve elsewhere', async () => {
  const [two, other] = [daemons[5]!, daemons[10]!]
  await Promise.all([register(two, 'four.chronym'), register(other, 'six.chronym')])
  for (const daemon of [daemons[0]!, daemons[3]!, daemons[7]!, daemons[11]!]) {
    for (const name of ['four.chronym', 'six.chronym'])
      expect((await daemon.request('GET', `/api/resolve/${name}`)).status).toBe(200)
  }
})

it('one that sleeps and wakes up in another network answers at once, registers on, and is full there', async () => {
  const moving = daemons[6]!
  const registered = register(moving, 'moving.chronym')
  process.kill(moving.pid, 'SIGSTOP')
  const change = (what: 'add' | 'del', address: string): void => {
    execFileSync(within[6]![0]!, [...within[6]!.slice(1), 'ip', 'addr', what, `${address}/8`, 'dev', 'peers'])
  }
  change('del', ipv4(6))
  change('add', ipv4(30))
  // Peers ask it meanwhile, in vain.
  expect((await daemons[0]!.request('GET', '/api/resolve/nobody-has-it.chronym')).status).toBe(404)
  process.kill(moving.pid, 'SIGCONT')
  expect((await moving.request('GET', '/api/resolve/six.chronym')).status).toBe(200)
  const now = await eventually(
    () => status(moving),
    (each) =>
      announced(each).join() === `/ip4/${ipv4(30)}/tcp/7469` && each.auto!.includes(`reach it at /ip4/${ipv4(30)}/`)
  )
  expect(now.mode).toBe('full')
  await registered
  expect((await daemons[10]!.request('GET', '/api/resolve/moving.chronym')).status).toBe(200)
})
