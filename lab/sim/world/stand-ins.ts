/** What a simulated node has where a daemon has threads, a beacon and proofs: its judge, its clock and its verifier. */
import type { DocumentJudge } from '../../../src/native/types.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../../src/protocol/identity/judge-documents.ts'
import { type RoundClock, createRoundClock } from '../../../src/time/clock.ts'
import type { Store } from '../../../src/store/types.ts'
import type { WorldPort } from '../ports.ts'
import { CHECK_MS } from '../../../src/network/budget/budget.ts'
import type { Verifier } from '../../../src/network/holder/verifier.ts'
import { encodeReveal, linksOf } from '../../../src/protocol/claim/reveal.ts'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { COST_MS } from '../network/ledger.ts'
import type { Holder } from '../../../src/network/holder/holder.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'

export const judgeHere: DocumentJudge = {
  judgeIdentity: (record, profile) => Promise.resolve(judgeIdentity(record, profile)),
  judgeManifest: (record, profile) => Promise.resolve(judgeManifest(record, profile)),
  judgeSpeaker: (manifest, identity, profile) => Promise.resolve(judgeSpeaker(manifest, identity, profile))
}

export function createSimClock(world: WorldPort, store: Store, offMs: () => number): RoundClock {
  const beacon = {
    latest: () => {
      const round = world.beacon.latestRound()
      return round <= 0 ? undefined : { round, signature: NOTHING, randomness: NOTHING }
    }
  }
  return createRoundClock(beacon, world.profile, store, () => world.timeline.nowMs + offMs())
}

const NOTHING = new Uint8Array()

export function createSimVerifier(world: WorldPort, isAttacker: boolean): Verifier {
  const known = new Set<string>()
  return {
    async validate(reveal, options) {
      const verdict = await world.verdicts.of(reveal)
      const id = toHex(sha256(encodeReveal(reveal)))
      if (!known.has(id)) {
        known.add(id)
        const links = verdict.ok ? linksOf(reveal).length : 1
        world.ledger.work(isAttacker, COST_MS.signature + links * (COST_MS.pulse + COST_MS.proof))
        for (let link = 0; link < links; link++) {
          options?.onCheck?.('pulse')
          options?.onCheck?.('proof')
        }
      }
      return verdict
    },
    checkMs: () => CHECK_MS
  }
}

export async function answerOf(
  holder: Holder,
  request: Exclude<Request, { type: 'find' }>,
  sender: Peer
): Promise<Answer> {
  const handlers = holder.handlers()
  switch (request.type) {
    case 'commit':
      return handlers.commit(request, sender)
    case 'put':
      return handlers.put(request, sender)
    case 'get':
      return handlers.get(request, sender)
    case 'list':
      return handlers.list(request, sender)
    case 'commitments':
      return handlers.commitments(request, sender)
    case 'reach':
    case 'time':
      return { type: 'busy' }
  }
}
