/** Valid with modelled checks, whose costs are counted for each node as if it verified alone. */
import type { Verifier } from '../../../src/network/holder/verifier.ts'
import { encodeReveal, linksOf } from '../../../src/protocol/claim/reveal.ts'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { COST_MS } from '../network/ledger.ts'
import type { WorldPort } from '../ports.ts'

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
    }
  }
}
