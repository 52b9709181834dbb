/** What a run costs: messages, bytes and time of processors, of honest nodes and of attackers. */
import { encodeMessage, type Answer, type Request } from '../../../src/network/wire/messages.ts'

/**
 * Milliseconds of a core, measured on the project's own machine (docs/verification.md, "What it costs"); signatures by
 * node:crypto.
 */
export const COST_MS = { pulse: 2, proof: 7, signature: 0.1, message: 1, triedKey: 0.3 }

/** TCP, IP, Noise and Yamux around a message. */
export const FRAME_BYTES = 120

/** A question of a look-up, and its answer without peers. */
const FIND_BYTES = 50
const FOUND_BYTES = 20

/** A peer in an answer: its id, an address of IPv4, and the names of the fields. */
const FOUND_PEER_BYTES = 70

export interface Costs {
  bytes: number
  messages: number
  cpuMs: number
}

export class Ledger {
  readonly honest: Costs = { bytes: 0, messages: 0, cpuMs: 0 }
  readonly attacker: Costs = { bytes: 0, messages: 0, cpuMs: 0 }
  /** Look-ups, and their hops; questions where they are real. */
  readonly lookUps = { count: 0, hops: 0, questions: 0 }

  message(isAttacker: boolean, message: Request | Answer): void {
    const costs = isAttacker ? this.attacker : this.honest
    costs.messages++
    costs.bytes += FRAME_BYTES + bytesOf(message)
    costs.cpuMs += COST_MS.message
  }

  work(isAttacker: boolean, milliseconds: number): void {
    const costs = isAttacker ? this.attacker : this.honest
    costs.cpuMs += milliseconds
  }

  /** A real one, whose messages count by themselves. */
  lookedUp({ hops, questions }: { readonly hops: number; readonly questions: number }): void {
    this.lookUps.count++
    this.lookUps.hops += hops
    this.lookUps.questions += questions
  }

  /** A modelled one: as real ones do, it asks the nearest, and each names as many (lab/reports/simulator/reality.md). */
  lookUp(isAttacker: boolean, hops: number, nearest: number): void {
    this.lookUps.count++
    this.lookUps.hops += hops
    const costs = isAttacker ? this.attacker : this.honest
    costs.bytes += nearest * lookUpBytes(nearest)
    costs.messages += nearest * 2
  }
}

/** Of a question of a look-up and its answer, with what carries them. */
function lookUpBytes(named: number): number {
  return 2 * FRAME_BYTES + FIND_BYTES + FOUND_BYTES + named * FOUND_PEER_BYTES
}

/** The size of the usual ones without encoding them; the rest are encoded. */
function bytesOf(message: Request | Answer): number {
  if (message.type === 'none' || message.type === 'busy' || message.type === 'stored') return 20
  if (message.type === 'get') return 70
  if (message.type === 'entry') return 80 + (message.record?.length ?? message.digest?.length ?? 0)
  if (message.type === 'put') return 30 + message.record.length
  if (message.type === 'find') return FIND_BYTES
  if (message.type === 'found') return FOUND_BYTES + message.peers.length * FOUND_PEER_BYTES
  return encodeMessage(message).length
}
