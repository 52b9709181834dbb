/** Scenarios that run on real nodes and on simulated ones. */
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import type { Side, Size, Who } from './side.ts'

/** What must be the same, by step, and what must be of the same size. */
export interface Report {
  readonly outcomes: Record<string, unknown>
  readonly figures: Record<string, number>
}

export interface Scenario {
  readonly what: string
  play(steps: Steps, size: Size, profile: NetworkProfile): Promise<void>
  /** Outcomes that the rules promise, by step. */
  readonly promised: Readonly<Record<string, unknown>>
}

const PUBLISHED = { isPublished: true, refusals: [] }
const refused = (code: string): unknown => ({ isPublished: false, refusals: [code] })

/** The first one says most. */
export const SCENARIOS: readonly Scenario[] = [
  {
    what: 'liars who come for a name, a claim without a witness, and an eclipse once it is settled',
    async play(steps, { liars, majority }, { contest, min_commit: minCommit }) {
      await steps.commit('owner')
      await steps.side.advance(1)
      await steps.side.lie(liars, 'show')
      await steps.side.advance(minCommit - 1)
      await steps.put('reveal among liars who came for it', 'owner')
      steps.holders('in the contest')
      await steps.look('look in the contest')
      await steps.put('claim without a witness in the contest', 'squatter')
      await steps.side.advance(contest + 1)
      await steps.put('claim without a witness after it', 'squatter')
      await steps.side.settle()
      steps.holders('settled')
      await steps.put('claim without a witness, settled', 'squatter')
      await steps.look('look, settled')
      await steps.side.lie(majority - liars, 'show')
      await steps.look('look among a majority of liars')
      steps.holders('among a majority of liars')
    },
    promised: {
      'reveal among liars who came for it': PUBLISHED,
      'in the contest': ['owner'],
      'look in the contest': 'owner',
      settled: ['owner'],
      'look, settled': 'owner',
      'look among a majority of liars': 'thief',
      'among a majority of liars': ['owner']
    }
  },
  {
    what: 'a rival who commits a round later, and a holder that leaves for another',
    async play(steps, _size, { contest, min_commit: minCommit }) {
      await steps.commit('owner')
      await steps.side.advance(1)
      await steps.commit('rival')
      await steps.side.advance(minCommit - 1)
      await steps.put('reveal', 'owner')
      steps.holders('in the contest')
      await steps.look('look in the contest')
      await steps.side.advance(1)
      await steps.put('rival in the contest', 'rival')
      await steps.side.advance(contest + 1)
      await steps.put('rival after it', 'rival')
      await steps.side.settle()
      await steps.put('rival, settled', 'rival')
      await steps.look('look, settled')
      await steps.side.replaceNearest()
      await steps.look('look after one has left')
      steps.outcomes['newcomer nearest to the name'] = await steps.side.handedOver()
      await steps.look('look at the newcomer too')
    },
    promised: {
      reveal: PUBLISHED,
      'look in the contest': 'owner',
      'rival in the contest': refused('contest'),
      'rival after it': refused('taken'),
      'rival, settled': refused('taken'),
      'look, settled': 'owner',
      'look after one has left': 'owner',
      'newcomer nearest to the name': 'owner',
      'look at the newcomer too': 'owner'
    }
  },
  {
    what: 'ids near a name that accept records and keep nothing',
    async play(steps, { liars, majority }, { min_commit: minCommit }) {
      await steps.commit('owner')
      await steps.side.advance(1)
      await steps.side.lie(liars, 'keep-nothing')
      await steps.side.advance(minCommit - 1)
      await steps.put('reveal among a few of them', 'owner')
      await steps.look('look among a few of them')
      await steps.side.lie(majority - liars, 'keep-nothing')
      await steps.put('the same among a majority of them', 'owner')
      await steps.look('look among a majority of them')
      steps.holders('among a majority of them')
    },
    promised: {
      'reveal among a few of them': PUBLISHED,
      'look among a few of them': 'owner',
      'the same among a majority of them': { isPublished: false, refusals: [] },
      'among a majority of them': ['owner']
    }
  }
]

/** Steps of a scenario on one side, written down. */
export class Steps implements Report {
  readonly side: Side
  readonly outcomes: Record<string, unknown> = {}
  readonly figures: Record<string, number> = {}

  constructor(side: Side) {
    this.side = side
  }

  async commit(who: Who): Promise<void> {
    const { receipts, of } = await this.side.commit(who)
    this.outcomes[`commitment of the ${who}: more than half answer`] = receipts * 2 > of
    this.figures[`commitment of the ${who}: receipts`] = receipts
    this.figures[`commitment of the ${who}: asked`] = of
  }

  async put(step: string, who: Who): Promise<void> {
    const { storedBy, of, refusals, counts } = await this.side.put(who)
    this.outcomes[step] = { isPublished: storedBy * 2 > of, refusals }
    this.figures[`${step}: should store`] = of
    if (storedBy > 0) this.figures[`${step}: store`] = storedBy
    this.#asked(step, counts)
    this.figures[`${step}: bytes of all nodes, as carried`] = counts.carried
  }

  async look(step: string): Promise<void> {
    const { shown, asked, answered, networkSize, counts } = await this.side.look()
    this.outcomes[step] = shown
    this.figures[`${step}: asked`] = asked
    this.figures[`${step}: answered`] = answered
    this.figures[`${step}: estimated size`] = networkSize
    this.#asked(step, counts)
  }

  holders(step: string): void {
    const held = this.side.holders()
    this.outcomes[step] = Object.keys(held).sort()
    for (const [who, count] of Object.entries(held)) this.figures[`${step}: holders of the ${who}`] = count
  }

  #asked(step: string, { questions, finds, bytes, hops }: Awaited<ReturnType<Side['put']>>['counts']): void {
    this.figures[`${step}: questions`] = questions
    this.figures[`${step}: questions of look-ups`] = finds
    this.figures[`${step}: hops of a look-up`] = Math.round(hops * 100) / 100
    this.figures[`${step}: bytes of messages`] = bytes
  }
}

/** Plays a scenario on one side from its beginning to its end. */
export async function played(scenario: Scenario, side: Side, size: Size, profile: NetworkProfile): Promise<Report> {
  const steps = new Steps(side)
  // Honest nodes have known each other for longer than any name takes, and liars come after the commitment.
  await side.advance(profile.provisional_settle + 1)
  await scenario.play(steps, size, profile)
  const { questions, finds } = side.bytes()
  steps.figures['bytes of questions, for each node'] = Math.round(questions / size.nodes)
  steps.figures['bytes of look-ups, for each node'] = Math.round(finds / size.nodes)
  return { outcomes: steps.outcomes, figures: steps.figures }
}
