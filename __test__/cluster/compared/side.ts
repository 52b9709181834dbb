/** What real nodes and simulated ones do alike: one scenario runs on either. */

/** Who wants the name: its owner, somebody with a claim that no node saw committed, and the liars' own. */
export type Who = 'owner' | 'squatter' | 'thief'

export interface Put {
  readonly storedBy: number
  readonly of: number
  /** Codes of refusals, each once, in order. */
  readonly refusals: readonly string[]
}

export interface Look {
  /** The owner that a resolver without a pin is shown, or why it is shown none. */
  readonly shown: Who | 'contested' | 'none' | 'silence'
  readonly asked: number
  readonly answered: number
  /** Its estimate of the network's size, nodes. */
  readonly networkSize: number
}

export interface Side {
  /** By a daemon of the owner's that holds no records. */
  commit(): Promise<{ readonly receipts: number; readonly of: number }>
  /** Lets rounds pass; the work that they cause need not be done yet. */
  advance(rounds: number): Promise<void>
  /** Makes the record of a claim whose p is now, unless it was made before, and sends it to the holders. */
  put(who: Who): Promise<Put>
  /** By a daemon that joins for it. */
  look(): Promise<Look>
  /** Honest nodes that hold the name, by owner. Others take it in hourly rounds, whose moment is no outcome. */
  holders(): Readonly<Partial<Record<Who, number>>>
  /** Ids near the name that show the thief's settled claim and nothing else, each two in a /24. */
  lie(count: number): Promise<void>
  /** Lets time pass until each honest holder has settled. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface Size {
  readonly nodes: number
  readonly k: number
  /** Ids that come for the name while it is worked for, and those that are more than half of k with them. */
  readonly liars: number
  readonly majority: number
}

/** What must be the same, by step, and what must be of the same size. */
export interface Report {
  readonly outcomes: Record<string, unknown>
  readonly figures: Record<string, number>
}

/** A registration beside a squatter, liars who come for the name, and an eclipse once it is settled. */
export async function playScenario(
  side: Side,
  { liars, majority }: Size,
  contest: number,
  minCommit: number
): Promise<Report> {
  const outcomes: Record<string, unknown> = {}
  const figures: Record<string, number> = {}
  const put = async (step: string, who: Who): Promise<void> => {
    const { storedBy, of, refusals } = await side.put(who)
    outcomes[step] = { isPublished: storedBy * 2 > of, refusals }
    figures[`${step}: asked to store`] = of
    if (storedBy > 0) figures[`${step}: stored`] = storedBy
  }
  const look = async (step: string): Promise<void> => {
    const { shown, asked, answered, networkSize } = await side.look()
    outcomes[step] = shown
    Object.assign(figures, {
      [`${step}: asked`]: asked,
      [`${step}: answered`]: answered,
      [`${step}: estimated size`]: networkSize
    })
  }
  const holders = (step: string): void => {
    const held = side.holders()
    outcomes[step] = Object.keys(held).sort()
    for (const [who, count] of Object.entries(held)) figures[`${step}: holders of the ${who}`] = count
  }

  // All have met before the commitment, and the liars come after it.
  await side.advance(1)
  const { receipts, of } = await side.commit()
  await side.advance(1)
  Object.assign(figures, { 'commitment: receipts': receipts, 'commitment: asked': of })
  await side.lie(liars)
  await side.advance(minCommit - 1)
  await put('reveal among liars who came for it', 'owner')
  holders('in the contest')
  await look('look in the contest')
  await put('claim without a witness in the contest', 'squatter')
  await side.advance(contest + 1)
  await put('claim without a witness after it', 'squatter')
  await side.settle()
  holders('settled')
  await put('claim without a witness, settled', 'squatter')
  await look('look, settled')
  await side.lie(majority - liars)
  await look('look among a majority of liars')
  holders('among a majority of liars')
  return { outcomes, figures }
}

export function counted(owners: readonly Who[]): Partial<Record<Who, number>> {
  const counts: Partial<Record<Who, number>> = {}
  for (const who of owners) counts[who] = (counts[who] ?? 0) + 1
  return counts
}
