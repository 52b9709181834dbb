import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { Acquaintances, keepAcquainted } from '../../../src/network/routing/acquaintances.ts'
import { createPrefixes, contactOf, type SettledPrefixes } from '../../../src/network/routing/prefixes.ts'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { Origin } from '../../../src/protocol/neighbourhood/diversity.ts'
import { asideOf, keys } from '../../../src/store/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { waitFor } from '../../wait-for.ts'
import { placing, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { temporary } from '../../temporary.ts'

const FULL = 8_192
const LOOKS_OF_A_DAY = 24
const LIMITS = { answers_per_prefix: 2, answers_per_wide_prefix: 4, settle: 100 }
const UNLIMITED = { answers_per_prefix: 0, answers_per_wide_prefix: 0, settle: 100 }

let store: Store
let round: number

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  round = 1_000
})

afterEach(() => store.close())

function remembered(limits = LIMITS): Acquaintances {
  return new Acquaintances(store, () => round, limits)
}

/** Each peer has a /16 of its own, unless a test names one. */
const at = (peer: string, prefix = `prefix of ${peer}`): Origin => ({ peer, prefix })
const narrow = (wide: number, index: number): string => `10.${wide}.${index}.0/24`

function look(here: Acquaintances, times: number, ...present: Origin[]): void {
  for (let each = 0; each < times; each++) here.look(present)
}

it('are known from the present at the latest, though a clock that was ahead has noted them', () => {
  const here = remembered()
  round = 1_000_000
  here.note(at('early'))
  round = 2_000
  here.note(at('early'))
  expect(here.met(at('early'))).toBe(2_000)
})

it('are known since they came first, also after a restart', () => {
  const before = remembered()
  before.note(at('old'))
  round = 2_000
  before.note(at('old'))
  before.note(at('new'))
  before.keep()
  before.note(at('not kept'))
  round = 3_000
  const after = remembered()
  after.note(at('old'))
  expect(['old', 'new', 'not kept', 'nobody'].map((peer) => after.met(at(peer)))).toEqual([
    1_000,
    2_000,
    undefined,
    undefined
  ])
})

describe('one that is away', () => {
  it('for a day stays known, and for longer begins as a stranger, also over a restart', () => {
    const before = remembered()
    for (const peer of ['here', 'a day', 'longer']) before.note(at(peer))
    look(before, LOOKS_OF_A_DAY / 2, at('here'))
    before.keep()
    const here = remembered()
    look(here, LOOKS_OF_A_DAY / 2, at('here'))
    round = 2_000
    here.note(at('a day'))
    look(here, 1, at('here'))
    here.note(at('longer'))
    expect(['here', 'a day', 'longer'].map((peer) => here.met(at(peer)))).toEqual([1_000, 1_000, 2_000])
  })

  it('is not so because this node sees nobody: it sleeps, or is offline', () => {
    const here = remembered()
    here.note(at('old'))
    look(here, 3 * LOOKS_OF_A_DAY)
    expect(here.met(at('old'))).toBe(1_000)
  })

  it('is a stranger at another prefix at once, and known when it is back', () => {
    const here = remembered()
    here.note(at('old'))
    round = 2_000
    const moved = at('old', 'elsewhere')
    expect(here.met(moved)).toBeUndefined()
    here.note(moved)
    expect([here.met(moved), here.met(at('old'))]).toEqual([2_000, 1_000])
  })
})

describe('a flood of one address', () => {
  it('leaves two of its /24, and four of its /16, and everybody else', () => {
    const here = remembered()
    for (let index = 0; index < 100; index++) here.note(at(`${index}`, narrow(1, Math.floor(index / 20))))
    here.note(at('other'))
    const known = Array.from({ length: 100 }, (_, index) => index).filter(
      (index) => here.met(at(`${index}`, narrow(1, Math.floor(index / 20)))) !== undefined
    )
    expect(known).toEqual([0, 1, 20, 21])
    expect(here.met(at('other'))).toBe(1_000)
  })

  it('displaces nobody of its own prefix, and leaves its places a day after it ends', () => {
    const before = remembered()
    const old = at('old', narrow(1, 0))
    before.note(old)
    for (let index = 0; index < 100; index++) before.note(at(`${index}`, narrow(1, 0)))
    before.keep()
    const here = remembered()
    look(here, LOOKS_OF_A_DAY, old, at('late', narrow(1, 0)))
    expect(here.met(at('late', narrow(1, 0)))).toBeUndefined()
    look(here, 1, old, at('late', narrow(1, 0)))
    expect([here.met(old), here.met(at('late', narrow(1, 0))), here.met(at('0', narrow(1, 0)))]).toEqual([
      1_000,
      1_000,
      undefined
    ])
  })

  it('displaces nobody where prefixes have no limit, also after a restart', () => {
    const before = remembered(UNLIMITED)
    for (let index = 0; index < FULL; index++) before.note(at(`${index}`, 'one'))
    before.note(at('one more', 'one'))
    before.keep()
    const after = remembered(UNLIMITED)
    after.note(at('another', 'one'))
    expect(['0', `${FULL - 1}`, 'one more', 'another'].map((peer) => after.met(at(peer, 'one')))).toEqual([
      1_000,
      1_000,
      undefined,
      undefined
    ])
  })
})

it('are forgotten where the disk is damaged, which is set aside', () => {
  for (const damaged of ['no JSON', '{"old": 1000}', '[["old", -1]]', '{"looks":1,"peers":[["old","p",1000]]}']) {
    store.put(keys.acquaintances(), utf8(damaged))
    const after = remembered()
    expect(after.met(at('old', 'p'))).toBeUndefined()
    expect(store.get(keys.acquaintances())).toBeUndefined()
    expect(store.get(asideOf(keys.acquaintances()))).toEqual(utf8(damaged))
    after.note(at('old', 'p'))
    after.keep()
    expect(remembered().met(at('old', 'p'))).toBe(1_000)
  }
})

it('of an earlier version have no prefix, and begin as strangers; nothing is set aside', () => {
  store.put(keys.acquaintances(), utf8('[["old",900]]'))
  const here = remembered()
  expect(here.met(at('old'))).toBeUndefined()
  expect(store.get(asideOf(keys.acquaintances()))).toBeUndefined()
  here.note(at('old'))
  here.keep()
  expect(remembered().met(at('old'))).toBe(1_000)
})

describe('with real nodes', () => {
  const PROFILE = labProfile(LIMITS)
  const nodes: Node[] = []
  const ends: (() => void)[] = []
  let here: Node
  let known: Acquaintances
  let prefixes: SettledPrefixes
  let look: () => void
  let size: number

  beforeEach(async () => {
    here = await start('127.1.0.1')
    known = remembered()
    prefixes = placing(here, createPrefixes(here, PROFILE))
    size = 1
    const timers = {
      every: (_milliseconds: number, action: () => void) => {
        look = action
        return () => undefined
      }
    }
    ends.push(keepAcquainted(here, known, { profile: PROFILE, prefixes, lookUps: { networkSize: () => size }, timers }))
  })

  afterEach(async () => {
    for (const end of ends.splice(0)) end()
    for (const node of nodes.splice(0)) await node.stop()
  })

  async function start(place: string): Promise<Node> {
    const node = await startBareNode(nodes.length, PROFILE, place)
    nodes.push(node)
    return node
  }

  /** It connects; `here` has it in its table, has dialled it back, and looks. */
  async function come(node: Node): Promise<void> {
    await node.dial(here.getMultiaddrs())
    await waitFor(() => {
      expect(here.services.table.has(node.peerId)).toBe(true)
      expect(here.getConnections(node.peerId)).not.toEqual([])
    })
    await prefixes.settled(node.peerId)
    look()
  }

  async function leave(node: Node): Promise<void> {
    await node.hangUp(here.peerId)
    await waitFor(() => expect(here.getConnections(node.peerId)).toEqual([]))
  }

  const met = ({ peerId }: Node): number | undefined => known.met(contactOf(peerId, prefixes))

  it('the date lasts while a peer is connected, and for a day without', async () => {
    const [stays, returns, goes] = [await start('127.2.0.1'), await start('127.3.0.1'), await start('127.4.0.1')]
    for (const node of [stays, returns, goes]) await come(node)
    await leave(returns)
    await leave(goes)
    round = 2_000
    for (let each = 0; each < LOOKS_OF_A_DAY; each++) look()
    await come(returns)
    look()
    await come(goes)
    expect([stays, returns, goes].map(met)).toEqual([1_000, 1_000, 2_000])
  })

  it('ids of one address take two places and leave those of others; nobody dates far peers', async () => {
    const crowd: Node[] = []
    for (let index = 0; index < 4; index++) crowd.push(await start(`127.2.0.${1 + index}`))
    for (const node of crowd) await come(node)
    const other = await start('127.3.0.1')
    await come(other)
    expect([...crowd, other].map(met)).toEqual([1_000, 1_000, undefined, undefined, 1_000])
    size = 1e12
    const far = await start('127.4.0.1')
    await come(far)
    look()
    expect(met(far)).toBeUndefined()
  })
})
