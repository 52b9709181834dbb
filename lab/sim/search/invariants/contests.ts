/**
 * Watches contests and what decides them: P1, P2 and the holders' half of P11. It goes by what honest nodes answer: the
 * receipts that they give, the records that they take or refuse, and the entries that they then have.
 */
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { commitmentHash, decodeReceipt } from '../../../../src/protocol/claim/commitment.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { decodeReveal, firstLink } from '../../../../src/protocol/claim/reveal.ts'
import type { Claim } from '../../../../src/protocol/claim/claim.ts'
import type { Entry } from '../../../../src/protocol/admission/entry.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import type { HeldName, SimNode, Watcher } from '../../world/sim-node.ts'
import type { World } from '../../world/world.ts'
import { Invariants } from './violation.ts'

type Contested = Pick<Claim, 'id' | 'firstRound' | 'tie'>

export class ContestInvariants extends Invariants implements Watcher {
  /** s by node and C, as its first receipt said. */
  readonly #receipts = new Map<SimNode, Map<string, number>>()
  readonly #sent = new Map<string, Uint8Array>()
  /** Claims by their names and ids, and the nodes that saw them witnessed within their contest. */
  readonly #inTime = new Map<string, Map<string, { readonly claim: Contested; readonly nodes: Set<SimNode> }>>()
  readonly #last = new Map<SimNode, Map<string, Entry>>()

  constructor(world: World) {
    super(world)
    world.watchers.push(this)
  }

  answered(node: SimNode, request: Request, answer: Answer): void {
    if (request.type === 'commit' && answer.type === 'received') {
      this.#received(node, request.commitment, decodeReceipt(answer.receipt).seen)
      return
    }
    if (request.type !== 'put' || request.kind !== 'reveal') return
    const { name } = decodeReveal(request.record)
    void this.#offered(node, request.record, answer, this.#entryOf(node, name))
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    const entries = this.#last.get(node) ?? new Map<string, Entry>()
    this.#last.set(node, entries)
    const former = entries.get(name)
    const entry = this.#entryOf(node, name)
    if (entry === undefined) entries.delete(name)
    else entries.set(name, entry)
    if (former === undefined || entry === undefined || before?.state !== 'fresh' || after?.state !== 'fresh') return
    if (toHex(former.claim.id) === toHex(entry.claim.id)) return
    if (isLower(former.claim, entry.claim))
      this.foundOnce('P1', `${name}: a claim with a higher (p, tie) took its place in a contest`)
    if (!this.#isSeenInTime(entry.claim))
      this.foundOnce('P1', `${name}: a claim that fewer than a quorum saw in time won a contest`)
  }

  /**
   * To be called at the end: no claim that two thirds of all nodes witnessed in their contests is lower than the one that
   * won, or is left without a winner. With fewer, a partition and a crash may leave the higher claim a majority.
   *
   * @param winner id of the claim that more than half hold, in hex
   */
  ended(name: string, winner: string | undefined): void {
    const claims = [...(this.#inTime.get(name)?.entries() ?? [])]
    const won = claims.find(([id]) => id === winner)?.[1].claim
    if (won === undefined && winner !== undefined) return
    for (const [, { claim, nodes }] of claims)
      if (nodes.size * 3 >= this.world.topology.size * 2 && (won === undefined || isLower(claim, won)))
        this.foundOnce(
          'P1',
          `${name}: ${nodes.size} nodes saw a claim in time, and ${won ? 'a higher one' : 'none'} won`
        )
  }

  /** Sends each C again to those that gave a receipt for it: they still have it, with its s. */
  async askAgain(client: SimNode): Promise<void> {
    for (const [node, receipts] of this.#receipts)
      for (const id of receipts.keys()) {
        const commitment = this.#sent.get(id)!
        const answer = await node.answer({ type: 'commit', commitment, nonce: new Uint8Array(8) }, client)
        if (answer?.type !== 'received') this.foundOnce('P11', `a node that gave a receipt answers ${answer?.type}`)
      }
  }

  #received(node: SimNode, commitment: Uint8Array, seen: number): void {
    const id = toHex(commitment)
    const receipts = this.#receipts.get(node) ?? new Map<string, number>()
    this.#receipts.set(node, receipts.set(id, receipts.get(id) ?? seen))
    this.#sent.set(id, commitment)
    const first = receipts.get(id)!
    // What was forgotten in the end is another sighting (docs/protocol/rules.md, 5).
    if (seen !== first && seen - first <= this.world.profile.commit_keep) {
      this.foundOnce('P11', `a node gave a receipt with s ${first}, and later one with ${seen}`)
      if (seen > first) this.foundOnce('P2', `C sent again moved s from ${first} to ${seen}`)
    }
  }

  async #offered(node: SimNode, record: Uint8Array, answer: Answer, entry: Entry | undefined): Promise<void> {
    const reveal = decodeReveal(record)
    const { now, verified } = node.clock.time()
    const verdict = await this.world.verdicts.of(reveal)
    if (!verdict.ok || entry === undefined) return
    const { claim } = verdict
    const { salt } = firstLink(reveal)
    const commitment = commitmentHash(reveal.name, reveal.pubkey, salt, this.world.hash)
    const seen = this.#receipts.get(node)?.get(toHex(commitment))
    const arrival = node.holder?.commitments.facts(commitment).arrival
    const { profile } = this.world
    if (seen === undefined || !isInTime(seen, claim.firstRound, this.world)) return
    // The shortest reveal window.
    if (now - claim.firstRound > profile.reveal_window.floor) return
    // A provisional entry is older than what was committed after it (docs/protocol/rules.md, 10).
    const isLate = entry.state === 'provisional' && (arrival ?? Infinity) > (entry.arrival ?? 0)
    if (answer.type === 'refused' && answer.code === 'unwitnessed' && !isLate)
      this.foundOnce('P2', `${reveal.name}: a claim whose C was seen in time is refused as unwitnessed`)
    if (entry.state !== 'fresh' || (answer.type !== 'stored' && !isRefused(answer, 'contest'))) return
    if (isLower(claim, entry.claim))
      this.foundOnce('P1', `${reveal.name}: a witnessed claim with the lowest (p, tie) lost at a holder`)
    if (verified - entry.tenureRound <= profile.contest) this.#note(node, reveal.name, claim)
  }

  #note(node: SimNode, name: string, claim: Claim): void {
    const claims = this.#inTime.get(name) ?? new Map<string, { claim: Contested; nodes: Set<SimNode> }>()
    this.#inTime.set(name, claims)
    const known = claims.get(toHex(claim.id)) ?? { claim, nodes: new Set<SimNode>() }
    known.nodes.add(node)
    claims.set(toHex(claim.id), known)
  }

  #isSeenInTime({ commitment, firstRound }: Claim): boolean {
    const id = toHex(commitment)
    const seen = [...this.#receipts.values()].filter((receipts) => {
      const s = receipts.get(id)
      return s !== undefined && isInTime(s, firstRound, this.world)
    })
    return seen.length > 0
  }

  #entryOf(node: SimNode, name: string): Entry | undefined {
    return node.holder?.entries.load(recordKey('reveal', name, this.world.hash))?.entry
  }
}

/** Whether s is early enough for p (docs/protocol/rules.md, 10, "Witnessed"), said again here so that a slip shows. */
function isInTime(seen: number, p: number, { profile }: World): boolean {
  const { min_commit, receipt_slack, pulse_window } = profile
  return seen + Math.max(1, min_commit - receipt_slack) <= p && p <= seen + pulse_window
}

function isLower(left: Contested, right: Contested): boolean {
  return left.firstRound === right.firstRound
    ? Buffer.compare(left.tie, right.tie) < 0
    : left.firstRound < right.firstRound
}

function isRefused(answer: Answer, code: string): boolean {
  return answer.type === 'refused' && answer.code === code
}
