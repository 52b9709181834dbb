/** The role of a node in mode auto: the count of voices, and real nodes on loopback in a /16 each. */
import { setTimeout as delay } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { mayJudge, Role, Voices, type Circumstances } from '../../../src/network/routing/role.ts'
import { UNDIALLED } from '../../../src/protocol/neighbourhood/diversity.ts'
import { Forward } from '../forward.ts'
import { Lab, labProfile, type LabNode } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const OWN = multiaddr('/ip4/45.1.0.2/tcp/7469')
/** Hundreds choose the /24 in a /16. */
const prefix = (index: number): string => `45.${10 + (index % 100)}.${Math.floor(index / 100)}.0/24`

describe('the role', () => {
  /** `said`: what prefixes say, in this order: `0+ 1-` is yes and no. `known`: /16 that can be asked. */
  const after = (said: string, known: number, role = new Role()): Role['mode'] => {
    const voices = new Voices()
    for (const [each, index] of said.matchAll(/(\d+)[+-]/g)) voices.hear(prefix(Number(index)), each.endsWith('+'))
    const now = (looks: number): Circumstances => ({
      voices: [{ address: OWN, voices }],
      prefixes: Array.from({ length: known }, (_, index) => prefix(index)),
      isNamed: false,
      expectsOthers: true,
      looks
    })
    // At look 0 the node meets its peers. By look 9 it waits for no others.
    for (const looks of [0, 9]) role.decide(now(looks))
    return role.mode
  }
  const full = (): Role => {
    const role = new Role()
    after('0+ 1+ 2+', 5, role)
    expect(role.mode).toBe('full')
    return role
  }

  it.each([
    ['nobody has said anything', '', 5, 'light'],
    ['two reach it', '0+ 1+', 5, 'light'],
    ['three reach it', '0+ 1+ 2+', 5, 'full'],
    ['one /16 says so three times', '0+ 0+ 0+', 5, 'light'],
    ['two liars deny what three say', '0- 1- 2+ 3+ 4+', 5, 'full'],
    ['two liars claim what three deny', '0+ 1+ 2- 3- 4-', 5, 'light'],
    ['three of five reach it, in turns', '0+ 1- 2+ 3- 4+', 5, 'full'],
    ['three /24 of one /16 reach it', '0+ 100+ 200+', 5, 'light'],
    ['one that denied it says otherwise, and counts as heard last', '0- 1- 2+ 3+ 4- 0+ 5-', 6, 'full'],
    ['a young network has two /16, and both say so', '0+ 1+', 2, 'full'],
    ['a young network has two /16, and they disagree', '0+ 1-', 2, 'light'],
    ['a young network has one /16', '0+', 1, 'full'],
    ['a young network has three /16, and one liar denies what two say', '0+ 1- 2+', 3, 'full'],
    ['a young network has three /16, and one liar claims what two deny', '0- 1+ 2-', 3, 'light'],
    ['a young network has four /16, of which two deny it', '0+ 1- 2+ 3-', 4, 'light']
  ] as const)('where %s: %j of %i', (_, said, known, expected) => {
    expect(after(said, known)).toBe(expected)
  })

  it('of a full node goes only once three /16 cannot reach it', () => {
    expect(after('0- 1-', 5, full())).toBe('full')
    expect(after('0- 1- 0+ 2- 3+', 5, full())).toBe('full')
    expect(after('0- 1- 2-', 5, full())).toBe('light')
  })

  it('of a full node among three /16 goes only once all three cannot reach it', () => {
    expect(after('0- 1-', 3, full())).toBe('full')
    expect(after('0- 1- 2-', 3, full())).toBe('light')
  })

  it('of a full node stays while nobody can be asked, and goes after its address', () => {
    expect(after('', 0, full())).toBe('full')
    const role = full()
    const without = { voices: [], prefixes: [], isNamed: false, expectsOthers: true }
    role.decide({ ...without, looks: 11 })
    expect(role.mode).toBe('full')
    role.decide({ ...without, looks: 12 })
    expect(role.mode).toBe('light')
  })

  it('is not decided by one address alone, nor in a young network before it has looked for more', () => {
    const [denied, unheard, reached] = [new Voices(), new Voices(), new Voices()]
    for (const index of [0, 1, 2]) denied.hear(prefix(index), false)
    reached.hear(prefix(0), true)
    const at = (voices: readonly Voices[], known: number, looks: number): Circumstances => ({
      voices: voices.map((each) => ({ address: OWN, voices: each })),
      prefixes: Array.from({ length: known }, (_, index) => prefix(index)),
      isNamed: false,
      expectsOthers: true,
      looks
    })
    const role = full()
    role.decide(at([denied, unheard], 3, 10))
    expect(role.mode).toBe('full')
    role.decide(at([denied], 3, 10))
    expect(role.mode).toBe('light')

    const young = new Role()
    for (const [looks, mode] of [
      [4, 'light'],
      [5, 'light'],
      [6, 'full']
    ] as const) {
      young.decide(at([reached], 1, looks))
      expect(young.mode).toBe(mode)
    }
    reached.hear(prefix(1), true)
    const larger = new Role()
    for (const [looks, mode] of [
      [0, 'light'],
      [1, 'light'],
      [2, 'full']
    ] as const) {
      larger.decide(at([reached], 3, looks))
      expect(larger.mode).toBe(mode)
    }
  })

  it('counts no /16 whose peers are all beside the address, since they have no voice', () => {
    const voices = new Voices()
    for (const index of [0, 1]) voices.hear(prefix(index), true)
    const role = new Role()
    const prefixes = ['45.1.0.0/24', UNDIALLED, prefix(0), prefix(1), prefix(2)]
    for (const looks of [0, 2])
      role.decide({ voices: [{ address: OWN, voices }], prefixes, isNamed: false, expectsOthers: true, looks })
    expect(role.mode).toBe('full')
  })

  it.each([
    [false, 2],
    [true, 6]
  ])(
    'of a named node that meets nobody (it expects others: %s) is that of a first node after %i looks',
    (expects, at) => {
      const role = new Role()
      const after = (looks: number): Role['mode'] => {
        role.decide({ voices: [], prefixes: [], isNamed: true, expectsOthers: expects, looks })
        return role.mode
      }
      expect([after(at - 1), after(at)]).toEqual(['light', 'full'])
    }
  )

  it('tells the cure after a minute in which no peer could say anything of the address', () => {
    const role = new Role()
    const why = (looks: number): string => {
      const now = {
        voices: [{ address: multiaddr('/ip6/2a01::1/tcp/7469'), voices: new Voices() }],
        prefixes: [0, 1, 2].map(prefix),
        isNamed: false,
        expectsOthers: true,
        looks
      }
      role.decide(now)
      return role.why(now, '7469')
    }
    expect(why(0)).toMatch(/^Light until peers .* has no more\.$/)
    expect(why(5)).toBe(why(0))
    expect(why(6)).toMatch(/^Light until peers .* lack its IP version\. Open TCP port 7469 .* forward the port/)
  })

  it('hears no peer beside the address, and none that was not dialled', () => {
    expect(['45.1.0.0/24', UNDIALLED, '45.1.1.0/24'].map((each) => mayJudge(each, OWN))).toEqual([false, false, true])
  })
})

describe('mode auto on a public network', () => {
  /** A look of own-addresses.ts, in rounds of the lab. */
  const LOOK = 10
  /** Below those that the system gives out. */
  const PORT = 20_469
  let lab: Lab
  beforeEach(() => {
    const difficulty = { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] }
    const limits = { answers_per_prefix: 2, answers_per_wide_prefix: 4 }
    lab = new Lab(labProfile({ scope: 'public', contest: 1, difficulty, ...limits }))
  })
  afterEach(() => lab.close())

  const modeOf = ({ network }: LabNode): string => network.status().mode
  /** In a /16 each, at addresses that no other process takes. */
  const place = (index: number): string => OWN_HOST.replace(/^127\.\d+/, `127.${index + 1}`)
  const listenOf = (index: number): string => `/ip4/${place(index)}/tcp/${PORT}`
  /** Named, since no address of loopback is public: the one that it listens on, or another. */
  const add = (index: number, announce = listenOf(index)): Promise<LabNode> =>
    lab.addNode({ mode: 'auto', place: place(index), listen: listenOf(index), announce: [announce] })
  const eventually = (node: LabNode, mode: string): Promise<void> =>
    waitFor(() => {
      lab.advance(LOOK)
      expect(modeOf(node)).toBe(mode)
    })

  it('the first node goes by p2p.announce, the others by those they meet, and one that nobody reaches stays light', async () => {
    const first = await add(0)
    expect(modeOf(first)).toBe('light')
    expect(first.network.status().auto).toContain('On a first node of a network')
    await eventually(first, 'full')
    expect(first.network.status().auto).toContain('p2p.announce names its address')

    const others = [await add(1)]
    await eventually(others[0]!, 'full')
    for (const index of [2, 3]) others.push(await add(index))
    const hidden = await add(4, `/ip4/${place(4)}/tcp/9`)
    for (const node of [first, ...others]) {
      await eventually(node, 'full')
      await waitFor(() => {
        lab.advance(LOOK)
        expect(node.network.status().auto).toContain('peers of other prefixes reach it at /ip4/127.')
      })
    }
    await waitFor(() => {
      lab.advance(LOOK)
      expect(hidden.network.status().auto).toMatch(/cannot reach it. Open TCP port \d+ in the firewall/)
    })
    expect(modeOf(hidden)).toBe('light')
    // It need not have met all of them, and was full if a minute passed here before anybody had dialled it.
    const id = hidden.network.status().peer_id
    // Who is not connected to it hears of its role, or that nobody reaches it, when it looks for peers again.
    await waitFor(() => {
      lab.advance(LOOK)
      const seen = [first, ...others].flatMap(({ network }) => network.peers().filter(({ peer }) => peer === id))
      expect(new Set(seen.map(({ isInTable }) => isInTable))).toEqual(new Set([false]))
    })
  })

  it('a claim that began as light goes on as full; a full node that is cut off turns light, and full when it is back', async () => {
    const forward = new Forward()
    try {
      const others = [await add(0)]
      await eventually(others[0]!, 'full')
      for (const index of [1, 2, 3]) others.push(await add(index))
      for (const node of others) await eventually(node, 'full')
      Object.assign(forward, { host: place(4), to: PORT })
      const outside = await forward.open()
      // Light for as long as the test wants it.
      await forward.close()
      const node = await add(4, outside)
      await waitFor(() => expect(node.network.knownPeers()).toBeGreaterThan(0))
      expect(modeOf(node)).toBe('light')
      const reveal = await lab.claim(node, 'moving.chronym', lab.owner('alice'))
      await forward.open()
      await eventually(node, 'full')
      await waitFor(() => {
        lab.advance(LOOK)
        expect(node.network.knownPeers()).toBe(others.length)
      })
      const stored = await node.network.putReveal(reveal)
      expect(stored.storedBy, JSON.stringify(stored)).toBeGreaterThan(1)

      await forward.close()
      for (const { address } of others) await node.network.dial(address)
      await eventually(node, 'light')
      expect(node.network.status().auto).toContain('cannot reach it')
      expect(node.network.storedRecord('moving.chronym')).toBeDefined()
      await forward.open()
      await waitFor(() => {
        lab.advance(LOOK)
        expect(node.network.addresses()[0]?.state).toBe('announced')
      })
      // Within ten minutes, after which a confirmed address is tried again anyway.
      for (let looks = 0; looks < 55 && modeOf(node) === 'light'; looks++) {
        lab.advance(LOOK)
        // All nodes are in this process: turns of its event loop give them their time, however busy the machine is.
        for (let turns = 0; turns < 100; turns++) await delay(1)
      }
      expect(modeOf(node)).toBe('full')
    } finally {
      await forward.close()
    }
  })

  it('keeps the role over a restart, with nobody to ask', async () => {
    const seed = new Uint8Array(32).fill(9)
    const listen = listenOf(0)
    const start = (directory?: string): Promise<LabNode> =>
      lab.addNode({
        mode: 'auto',
        place: place(0),
        listen,
        announce: [listen],
        seed,
        bootstrap: [],
        ...(directory && { directory })
      })
    const node = await start()
    await eventually(node, 'full')
    await lab.stopNode(node)
    const again = await start(node.directory)
    expect(again.network.status()).toMatchObject({ mode: 'full', auto: expect.stringContaining('Full as before') })
  })

  it('changes at run time, and says nothing of reach in the other modes', async () => {
    const node = await add(0)
    await eventually(node, 'full')
    await node.network.setMode('light')
    expect(node.network.status()).toMatchObject({ mode: 'light', auto: null })
    const changing = node.network.setMode('auto')
    // The first word on its role comes before it has that role.
    while (node.network.status().auto === null) await Promise.resolve()
    expect(node.network.status()).toMatchObject({ mode: 'light', auto: 'Becoming full.' })
    await changing
    expect(node.network.status()).toMatchObject({ mode: 'full', auto: expect.stringContaining('Full:') })
    await node.network.setMode('offline')
    expect(node.network.status()).toMatchObject({ mode: 'offline', auto: null })
  })
})

it.each(['loopback', 'test'] as const)('mode auto is full at once on a network with scope %s', async (scope) => {
  const lab = new Lab(labProfile({ scope }))
  try {
    const { network } = await lab.addNode({ mode: 'auto' })
    expect(network.status()).toMatchObject({ mode: 'full', auto: null })
  } finally {
    await lab.close()
  }
})
