/** Which decisions a run took: kinds of answers, and changes of entries, at honest nodes; looks and pins of resolvers. */
import type { HeldName, SimNode, Watcher } from '../world/sim-node.ts'
import { recordKey } from '../../../src/protocol/claim/record-key.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import type { World } from '../world/world.ts'

/** More of a kind are the same to the search. */
const MOST = 3

export class Coverage implements Watcher {
  readonly seen = new Set<string>()
  readonly #world: World
  readonly #ownerOf: (pubkey: string) => 'owner' | 'thief' | 'other'
  phase = 'before'

  constructor(world: World, ownerOf: (pubkey: string) => 'owner' | 'thief' | 'other') {
    this.#world = world
    this.#ownerOf = ownerOf
    world.watchers.push(this)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    const from = before === undefined ? 'none' : `${before.state} ${this.#ownerOf(before.owner)}`
    const to = after === undefined ? 'none' : `${after.state} ${this.#ownerOf(after.owner)}`
    const change = before?.claimId === after?.claimId || before === undefined ? '' : ' other'
    this.seen.add(`entry ${from} > ${to}${change}`)
    const entry = node.holder?.entries.load(recordKey('reveal', name, this.#world.hash))?.entry
    if (entry === undefined) return
    const { repairs, contenders = [], rivals, sight, equivocation } = entry
    const notes = [repairs, Math.min(MOST, contenders.length), Math.min(MOST, rivals.length)].join('/')
    this.seen.add(`notes ${entry.state} ${notes} ${sight !== undefined} ${equivocation !== undefined}`)
  }

  note(what: string): void {
    this.seen.add(what)
  }

  answered(_node: SimNode, request: Request, answer: Answer, from: SimNode): void {
    if (request.type !== 'put' && request.type !== 'commit') return
    const who = from.isAttacker ? 'attacker' : 'honest'
    const code = answer.type === 'refused' ? ` ${answer.code}` : ''
    this.seen.add(`${request.type} ${who} ${answer.type}${code} ${this.phase}`)
  }
}
