/**
 * Watches look-ups by check code: P19, P20 and P25. It goes by the answers that come to a resolver, and by what honest
 * holders of the name call final as the look begins.
 */
import { checkCodeOf } from '../../../../src/protocol/claim/check-code.ts'
import { type Claim, compareRecords } from '../../../../src/protocol/claim/claim.ts'
import { decodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { relateChanges } from '../../../../src/protocol/claim/changes.ts'
import { changesHeld } from '../../../../src/protocol/admission/key-changes.ts'
import { equalBytes, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { leaseState } from '../../../../src/protocol/time.ts'
import { GRACE_MS } from '../../../../src/util/wait-for-enough.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import type { SimNode, Watcher } from '../../world/sim-node.ts'
import type { CodeResolver, SeenByCode } from '../../people/resolver.ts'
import type { World } from '../../world/world.ts'
import { Invariants } from './violation.ts'

/** A record as it came. */
interface Shown {
  readonly reveal: Reveal
  readonly atMs: number
  readonly isHonest: boolean
}

/** What is Valid, live, and of a claim that has the code. */
type Fitting = Shown & { readonly claim: Claim }

export class CodeInvariants extends Invariants implements Watcher {
  readonly #looks = new Map<SimNode, Shown[]>()

  constructor(world: World) {
    super(world)
    world.watchers.push(this)
  }

  arrived(at: SimNode, request: Request, answer: Answer, from: SimNode): void {
    const shown = this.#looks.get(at)
    if (shown === undefined || request.type !== 'get' || answer.type !== 'entry' || answer.record === undefined) return
    const atMs = this.world.timeline.nowMs
    shown.push({ reveal: decodeReveal(answer.record), atMs, isHonest: !from.isAttacker })
  }

  /**
   * Has a resolver that does nothing else look a name up, and judges what it says.
   *
   * @param code the first characters of a claim's code: 6 at least
   */
  async look(resolver: Pick<CodeResolver, 'node' | 'resolve'>, name: string, code: string): Promise<SeenByCode> {
    const final = finalAtMost(this.world, name)
    const shown: Shown[] = []
    this.#looks.set(resolver.node, shown)
    const seen = await resolver.resolve(name, code)
    // What a look that ended too early did not wait for comes in this time.
    await this.world.sleep(GRACE_MS)
    this.#looks.delete(resolver.node)
    const fitting = (await Promise.all(shown.map((each) => this.#fitting(each, resolver.node, name, code)))).flat()
    await this.#judge(seen, fitting, name, code)
    await this.#judgeChanges(seen, final, name)
    return seen
  }

  async #judgeChanges(seen: SeenByCode, final: Claim | undefined, name: string): Promise<void> {
    const verdict = seen.reveal && (await this.world.verdicts.of(seen.reveal))
    if (final === undefined || verdict?.ok !== true || !equalBytes(verdict.claim.id, final.id)) return
    if (typeof relateChanges(final.changes, verdict.claim.changes) === 'number')
      this.foundOnce('P25', `${name}: changes are shown that part from those final at most honest holders`)
  }

  async #judge(seen: SeenByCode, fitting: readonly Fitting[], name: string, code: string): Promise<void> {
    // All wait a second at least after the first one that fits (docs/protocol/rules.md, 11).
    const untilMs = Math.min(...fitting.map(({ atMs }) => atMs)) + GRACE_MS
    const inTime = fitting.filter(({ atMs }) => atMs < untilMs)
    const verdict = seen.reveal && (await this.world.verdicts.of(seen.reveal))
    if (seen.reveal !== undefined && verdict !== undefined) {
      if (!verdict.ok || !checkCodeOf(seen.reveal, this.world.profile).startsWith(code))
        this.foundOnce('P19', `${name}: ${seen.owner?.slice(0, 8)} is shown, whose claim does not have the code`)
      if (new Set(inTime.map(({ claim }) => toHex(claim.id))).size > 1)
        this.foundOnce('P19', `${name}: one of two claims with the code is shown`)
    }
    const honest = inTime.filter(({ isHonest }) => isHonest).map(({ claim }) => claim)
    const claims = new Set(fitting.map(({ claim }) => toHex(claim.id)))
    if (honest.length === 0 || seen.kind === 'refused' || (seen.kind === 'contested' && claims.size > 1)) return
    const newest = honest.reduce((best, each) => (compareRecords(each, best) > 0 ? each : best))
    if (verdict?.ok !== true) this.foundOnce('P20', `${name}: ${seen.kind}, beside an honest answer`)
    else if (compareRecords(verdict.claim, newest) < 0)
      this.foundOnce('P20', `${name}: an older record is shown than that of an honest answer`)
  }

  async #fitting(shown: Shown, { clock }: SimNode, name: string, code: string): Promise<Fitting[]> {
    const { verdicts, profile } = this.world
    const verdict = await verdicts.of(shown.reveal)
    if (!verdict.ok || shown.reveal.name !== name || !checkCodeOf(shown.reveal, profile).startsWith(code)) return []
    const { state } = leaseState(verdict.claim.newestRound, clock.time().lapse, profile)
    return state === 'live' ? [{ ...shown, claim: verdict.claim }] : []
  }
}

/** The record whose changes are all final at more than half of the honest holders of a name; undefined for none. */
function finalAtMost(world: World, name: string): Claim | undefined {
  const key = recordKey('reveal', name, world.hash)
  const holders = world.holdersOf(key)
  const final = holders.flatMap(({ holder, clock }) => {
    const entry = holder?.entries.load(key)?.entry
    const held = entry && changesHeld(entry, world.profile)
    return held !== undefined && held.final < clock.time().verified
      ? [{ head: toHex(held.head), claim: entry!.claim }]
      : []
  })
  const most = [...Map.groupBy(final, ({ head }) => head).values()].find((same) => same.length * 2 > holders.length)
  return most?.[0]!.claim
}
