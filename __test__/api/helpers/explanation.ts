import type { Explanation } from '../../../src/views/explanation.ts'

/** An explanation, by default of a name without a holder, answered by one of two peers. */
export function explanation(change: Partial<Explanation> = {}): Explanation {
  return {
    name: 'alice.chronym',
    verdict: 'Nobody owns it.',
    rule: 'nobody-holds-it',
    rule_text: 'No peer that answered holds a record of it.',
    state: 'none',
    lease: null,
    owner: null,
    claim_id: null,
    answers: [
      {
        peer: 'self',
        distance: 0.1,
        prefix: null,
        self: true,
        state: 'none',
        claim_id: null,
        serial: null,
        owner: null,
        vote: false
      }
    ],
    notes: ['1 of 2 asked have answered.'],
    resolves: null,
    source: null,
    error: { code: 'SVC-RES-002', message: 'It is not registered.' },
    candidates: [],
    asked: {
      peers: 2,
      answered: 1,
      silent: [{ peer: '12D3KooX', distance: 0.2, prefix: '192.0.2.0/24', reason: 'busy' }],
      left_out: 0
    },
    reach: { network_size: 2, holders: 2, radius: 1 },
    pin: null,
    equivocation: null,
    held_here: null,
    own: null,
    ...change
  }
}
