/**
 * The watcher of look-ups by check code calls broken: P19, P20 and P25, by resolvers that go by other rules than the
 * daemon's.
 */
import { describe, expect, it } from 'vitest'
import { Adversary, empty, showing, silent } from '../../../../sim/people/adversary.ts'
import { makeReveal } from '../../../../sim/world/claims.ts'
import { changeOf, keysOf } from '../../../../sim/moves/names/changes.ts'
import { forging } from '../../../../sim/moves/names/settled.ts'
import { CodeInvariants } from '../../../../sim/search/invariants/codes.ts'
import { CodeResolver, Resolver, type SeenByCode } from '../../../../sim/people/resolver.ts'
import { Owner } from '../../../../sim/people/owner.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, World } from '../../../../sim/world/world.ts'
import { checkCodeOf, SHORT_CODE } from '../../../../../src/protocol/claim/check-code.ts'
import type { Reveal } from '../../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../../src/protocol/encoding/bytes.ts'

interface Scene {
  readonly world: World
  readonly adversary: Adversary
  readonly owner: Owner
  readonly code: string
  /** By the daemon's rules; or by others, which answer with what is given. */
  readonly look: (resolver?: Pick<CodeResolver, 'node' | 'resolve'>) => Promise<SeenByCode>
}

/** Plays two hours after an owner has published, among 40 nodes. */
async function after(play: (scene: Scene) => Promise<void>): Promise<readonly string[]> {
  const world = new World('codes')
  for (let index = 0; index < 40; index++) world.addNode()
  const owner = new Owner(world, 'the-name-of-an-owner.chronym')
  const watcher = new CodeInvariants(world)
  let isPlayed = false
  world.timeline.after(0, () => void owner.live())
  world.timeline.after(2 * HOUR_MS, () => {
    const code = owner.code!.slice(0, SHORT_CODE)
    const look: Scene['look'] = (resolver = new CodeResolver(world)) => watcher.look(resolver, owner.name, code)
    void play({ world, adversary: new Adversary(world), owner, code, look }).then(() => (isPlayed = true))
  })
  await world.timeline.runUntil(world.timeline.nowMs + 3 * HOUR_MS)
  expect(isPlayed).toBe(true)
  return watcher.violations.map(({ rule }) => rule)
}

const own = ({ pubkey }: Owner, reveal: Reveal | undefined): SeenByCode => ({
  kind: 'owner',
  owner: pubkey,
  ...(reveal !== undefined && { reveal })
})

describe('a look-up by check code', () => {
  it('shows the owner and nobody else while nineteen of twenty lie at both places, and nobody beside twenty', async () => {
    for (const [ids, kind] of [
      [19, 'owner'],
      [20, 'none']
    ] as const)
      expect(
        await after(async ({ world, adversary, owner, look }) => {
          const key = world.newKey()
          const stolen = adversary.backdated(owner.name, key)
          adversary.joinNearBoth(owner, ids, showing(stolen, world.hash), forging(owner, stolen, key, world))
          expect(await look()).toMatchObject({ kind, ...(kind === 'owner' && { owner: owner.pubkey }) })
        })
      ).toEqual([])
  })

  it('[an older record shown again] by all of one place loses to one honest holder of the other, beside silence', async () => {
    expect(
      await after(async ({ world, adversary, owner, look }) => {
        const older = owner.reveal!
        await owner.changeZone('newer')
        adversary.joinNear(owner.recordKey, 20, showing(older, world.hash))
        adversary.joinNearBoth(owner, 19, showing(older, world.hash), silent)
        expect((await look()).reveal).toEqual(owner.reveal)
      })
    ).toEqual([])
  })
})

describe('P19', () => {
  it('is broken by a resolver that goes by the bare name', async () => {
    expect(
      await after(async ({ world, adversary, owner, look }) => {
        const stolen = adversary.backdated(owner.name, world.newKey())
        adversary.joinNearBoth(owner, 11, showing(stolen, world.hash), empty)
        const bare = new Resolver(world)
        const resolve = async (): Promise<SeenByCode> => {
          const { kind, owner: shown } = await bare.resolve(owner.name)
          expect(shown).toBe(toHex(stolen.pubkey))
          return { kind: kind === 'owner' ? 'owner' : 'none', owner: shown!, reveal: stolen }
        }
        await look({ node: bare.node, resolve })
      })
    ).toEqual(['P19'])
  })

  it('is broken by a resolver that takes one of two claims with one code; the rules call them contested', async () => {
    expect(
      await after(async ({ world, adversary, owner }) => {
        const [first, second] = twins(world, owner)
        const code = checkCodeOf(first, world.profile).slice(0, CHARACTERS)
        const watcher = new CodeInvariants(world)
        adversary.joinNear(owner.recordKey, 2, showing(first, world.hash))
        adversary.joinNear(owner.recordKey, 2, showing(second, world.hash))
        expect(await watcher.look(new CodeResolver(world), owner.name, code)).toMatchObject({ kind: 'contested' })
        expect(watcher.violations).toEqual([])
        const honest = new CodeResolver(world)
        const resolve = async (name: string): Promise<SeenByCode> => {
          await honest.resolve(name, code)
          return own(owner, first)
        }
        await watcher.look({ node: honest.node, resolve }, owner.name, code)
        expect(watcher.violations).toMatchObject([{ rule: 'P19', detail: /one of two claims/ }])
      })
    ).toEqual([])
  })
})

describe('P20', () => {
  it('is broken by a resolver that ends with the first record that fits, and by one that finds nobody', async () => {
    expect(
      await after(async ({ world, adversary, owner, look }) => {
        const older = owner.reveal!
        await owner.changeZone('newer')
        adversary.joinNearBoth(owner, 5, showing(older, world.hash), empty)
        for (const answer of [own(owner, older), { kind: 'none' } as const]) {
          const hasty = new CodeResolver(world)
          const resolve = async (name: string, code: string): Promise<SeenByCode> => {
            void hasty.resolve(name, code)
            await world.sleep(MINUTE_MS / 600)
            return answer
          }
          await look({ node: hasty.node, resolve })
        }
      })
    ).toEqual(['P20', 'P20'])
  })
})

describe('P25', () => {
  it('is broken by a resolver that shows another change than the one that is final at most honest holders', async () => {
    const world = new World('sold')
    for (let index = 0; index < 24; index++) world.addNode()
    const owner = new Owner(world, 'the-name-of-an-owner.chronym', undefined, undefined, undefined, world.newKey())
    const watcher = new CodeInvariants(world)
    const broken: (readonly string[])[] = []
    const sell = async (): Promise<void> => {
      const seller = keysOf(owner)
      const second = changeOf(seller, false, world).reveal
      await owner.changeKeys({ to: world.newKey(), next: world.newKey(), by: seller.changeKey, consent: seller.key })
      const shows = async (reveal: Reveal): Promise<void> => {
        const resolver = { node: world.addClient(), resolve: () => Promise.resolve(own(owner, reveal)) }
        await watcher.look(resolver, owner.name, owner.code!.slice(0, SHORT_CODE))
        broken.push(watcher.violations.map(({ rule }) => rule))
      }
      await shows(second)
      await world.sleep(DAY_MS + HOUR_MS)
      await shows(owner.reveal!)
      await shows(second)
    }
    world.timeline.after(0, () => void owner.live())
    world.timeline.after(2 * HOUR_MS, () => void sell())
    await world.timeline.runUntil(world.timeline.nowMs + DAY_MS + 4 * HOUR_MS)
    expect(broken).toEqual([[], [], ['P25']])
  })
})

/** Of the code that two claims share: six take 2^15 tries. */
const CHARACTERS = 3

/** Two claims of one owner with one code. */
function twins(world: World, { name, key }: Owner): [Reveal, Reveal] {
  const known = new Map<string, Reveal>()
  const salts = world.random('twins')
  for (;;) {
    const reveal = makeReveal({ name, owner: key, salt: salts.bytes(32), round: world.round() - 200 }, world.profile)
    const code = checkCodeOf(reveal, world.profile).slice(0, CHARACTERS)
    const former = known.get(code)
    if (former !== undefined) return [former, reveal]
    known.set(code, reveal)
  }
}
